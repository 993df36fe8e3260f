public import Money

/// An API in OpenAI's format to which requests are forwarded.
///
/// A class, because a request refers to its provider from many places.
public final class Provider: Hashable, Sendable {
  /// The treatment of a request whose client has disconnected.
  public enum OnDisconnect: Hashable, Sendable {
    /// The request to the provider is canceled, and an estimate is settled.
    case cancel
    /// The rest of the answer is read within these limits, and the exact usage is settled.
    case drain(atMost: Duration, bytes: ByteCount)

    /// The default: the rest is read, because a provider may bill the whole answer after a
    /// disconnect.
    public static let usual = OnDisconnect.drain(atMost: usualDrainTime, bytes: usualDrainBytes)
    static let usualDrainTime = Duration.seconds(120)
    static let usualDrainBytes = ByteCount.mebibytes(16)
  }

  /// The name in paths (`/NAME/v1/…`), in price files and in `usage_logs.source`.
  public let name: String
  public let baseURL: BaseURL
  /// The key; nil if the provider needs none, or if a missing secret was tolerated.
  public let apiKey: Secret?
  /// The place that the configuration names for the key; nil if the provider needs none.
  public let keySource: NamedSecret.Source?
  /// The ID of the client that owns the key; nil for the account of all clients.
  public let keyOwner: String?
  public let onDisconnect: OnDisconnect
  /// A PEM file of additional certificate authorities.
  public let caFile: String?
  /// The factor on its prices at this `baseURL`, for the models of its pricing file that cost more
  /// when processed in a region.
  public let priceFactor: PriceFactor
  /// The tier in which its project serves requests without a tier; nil for `priority`.
  public let automaticTier: String?
  /// Whether the account's name and its remaining limits are hidden from clients without their own
  /// key.
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

  /// Whether its account serves all clients without their own key.
  public var isShared: Bool { keyOwner == nil }

  public static func == (left: Provider, right: Provider) -> Bool {
    left === right
      || left.name == right.name && left.baseURL == right.baseURL && left.apiKey == right.apiKey
        && left.keySource == right.keySource && left.keyOwner == right.keyOwner
        && left.onDisconnect == right.onDisconnect && left.caFile == right.caFile
        && left.priceFactor == right.priceFactor && left.automaticTier == right.automaticTier
        && left.hidesAccount == right.hidesAccount
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(keyOwner)
  }

  /// Names that collide with the proxy's own paths.
  static let reservedNames = ["v1", "api", "widget", "healthz"]
}

extension Provider {
  private enum DisconnectChoice: String, CaseIterable {
    case cancel, drain
  }
  private enum AccountHeaders: String, CaseIterable {
    case pass, hide
  }

  /// Reads the providers in the order of the file. The first one is the default.
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
      // The value of an invalid name is read nevertheless, so that its mistakes are reported too.
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
