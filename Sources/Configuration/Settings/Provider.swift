public import Money

/// An API of the OpenAI kind that requests are forwarded to.
public struct Provider: Hashable, Sendable {
  /// What becomes of a request whose client has gone.
  public enum OnDisconnect: Hashable, Sendable {
    /// The provider is stopped, and an estimate is settled.
    case cancel
    /// The rest is read, within these bounds, and the exact usage is settled.
    case drain(atMost: Duration, bytes: ByteCount)

    /// Of a provider that doesn't say that it stops billing: the rest is read.
    public static let usual = OnDisconnect.drain(atMost: usualDrainTime, bytes: usualDrainBytes)
    static let usualDrainTime = Duration.seconds(120)
    static let usualDrainBytes = ByteCount.mebibytes(16)
  }

  /// The name in paths (`/NAME/v1/…`), in price files and in `usage_logs.source`.
  public let name: String
  public let baseURL: BaseURL
  /// Nil where the provider wants none, or where a missing secret was tolerated.
  public let apiKey: Secret?
  /// Where the configuration says that the key is; nil where the provider wants none.
  public let keySource: NamedSecret.Source?
  /// The id of the client whose own key it is; nil where it is that of the account of all clients.
  public let keyOwner: String?
  public let onDisconnect: OnDisconnect
  /// A file of further certificate authorities (PEM).
  public let caFile: String?
  /// What its prices are multiplied by at this `baseURL`, for the models of its pricing file that
  /// cost more where they process in a region.
  public let priceFactor: PriceFactor
  /// The tier in which its project serves requests that name none; nil for `priority`.
  public let automaticTier: String?
  /// Whether clients without a key of their own aren't told the account's name, and what is left
  /// of its limits.
  public let hidesAccount: Bool

  public init(
    name: String, baseURL: BaseURL, apiKey: Secret?, keySource: NamedSecret.Source? = nil,
    onDisconnect: OnDisconnect = .usual, caFile: String? = nil, keyOwner: String? = nil,
    priceFactor: PriceFactor = .one, automaticTier: String? = nil, hidesAccount: Bool = false
  ) {
    self.name = name
    self.baseURL = baseURL
    self.apiKey = apiKey
    self.keySource = keySource
    self.keyOwner = keyOwner
    self.onDisconnect = onDisconnect
    self.caFile = caFile
    self.priceFactor = priceFactor
    self.automaticTier = automaticTier
    self.hidesAccount = hidesAccount
  }

  /// Whether its account is that of all clients who have no key of their own.
  public var isShared: Bool { keyOwner == nil }

  /// Names that would stand where the proxy has paths of its own.
  static let reservedNames = ["v1", "api", "widget", "healthz"]
}

extension Provider {
  private enum DisconnectChoice: String, CaseIterable {
    case cancel, drain
  }
  private enum AccountHeaders: String, CaseIterable {
    case pass, hide
  }

  /// Reads the providers, in the order of the file, which decides which one is the first.
  static func decodeAll(from section: inout Section) -> [Provider] {
    let context = section.context
    let entries = section.entries("providers")
    if entries.isEmpty {
      section.mistake(
        at: "providers",
        "providers is missing; allowed: a mapping with at least one provider, such as "
          + "openai: { base_url: https://api.openai.com/v1, api_key_env: OPENAI_API_KEY }")
    }
    return entries.compactMap { entry in
      // What stands behind a wrong name is read all the same: its mistakes are told with it.
      if !EntityName.isValid(entry.key) || reservedNames.contains(entry.key) {
        context.mistake(
          entry.keyMark,
          "\(quoted(entry.key)) can't name a provider; allowed: \(EntityName.rule), but not "
            + reservedNames.joined(separator: ", "))
      }
      return Section.read(entry.value, entry.key, context) { section in
        decode(from: &section, name: entry.key)
      }
    }
  }

  private static func decode(from section: inout Section, name: String) -> Provider? {
    let baseURL = section.required("base_url", .baseURL)
    let key = NamedSecret.decodeKey(from: &section)
    let onDisconnect = decodeDisconnect(from: &section)
    let caFile = section.optional("ca_file", .path)
    let priceFactor = section.optional("price_factor", .priceFactor)
    let automaticTier = section.optional("auto_tier", .name)
    let accountHeaders = section.optional(
      "account_headers", ValueFormat<AccountHeaders>.choice)
    guard let baseURL else { return nil }
    return Provider(
      name: name, baseURL: baseURL, apiKey: key?.value, keySource: key?.source,
      onDisconnect: onDisconnect, caFile: caFile, priceFactor: priceFactor ?? .one,
      automaticTier: automaticTier, hidesAccount: accountHeaders == .hide)
  }

  private static func decodeDisconnect(from section: inout Section) -> OnDisconnect {
    let choice = section.optional("on_disconnect", ValueFormat<DisconnectChoice>.choice)
    let time = section.optional("drain_time", .duration(.seconds(1)...(.seconds(3600))))
    let bytes = section.optional("drain_bytes", .size(.kibibytes(1)...(.gibibytes(1))))
    if choice == .cancel {
      for key in ["drain_time", "drain_bytes"] where section.has(key) {
        section.mistake(
          at: key, "\(key) has no meaning here; allowed: only with on_disconnect: drain")
      }
      return .cancel
    }
    return .drain(
      atMost: time ?? OnDisconnect.usualDrainTime, bytes: bytes ?? OnDisconnect.usualDrainBytes)
  }
}
