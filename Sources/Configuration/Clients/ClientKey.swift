public import Pricing
public import Time

/// A virtual key of a client, with its permissions.
public struct ClientKey: Hashable, Sendable {
  public let name: String
  public let digest: KeyDigest
  /// The models that the key may use; nil for all.
  public let models: [ModelPattern]?
  /// The kinds of work that the key may request; nil for all.
  public let operations: Set<Operation>?
  /// The time from which the key is refused; nil for never.
  public let expires: Timestamp?
  /// Requests per minute, within `rates`; nil for no limit.
  public let requestsPerMinute: Int64?
  /// Tokens per minute, within `rates`; nil for no limit.
  public let tokensPerMinute: Int64?
  /// The line of its declaration in `clients.yaml`; nil for other keys.
  public let line: Int?

  public init(
    name: String, digest: KeyDigest, models: [ModelPattern]? = nil,
    operations: Set<Operation>? = nil, expires: Timestamp? = nil,
    requestsPerMinute: Int64? = nil, tokensPerMinute: Int64? = nil, line: Int? = nil
  ) {
    self.name = name
    self.digest = digest
    self.models = models
    self.operations = operations
    self.expires = expires
    self.requestsPerMinute = requestsPerMinute
    self.tokensPerMinute = tokensPerMinute
    self.line = line
  }

  /// The allowed limits of requests and of tokens per minute.
  public static let rates: ClosedRange<Int64> = 1...1_000_000_000
  /// The most patterns of models.
  public static let mostModels = 1000

  /// Whether the key may use `model`.
  public func allows(model: String) -> Bool {
    models?.contains { $0.matches(model) } ?? true
  }

  /// Whether the key may request this kind of work.
  public func allows(_ operation: Operation) -> Bool {
    operations?.contains(operation) ?? true
  }

  public func isExpired(at now: Timestamp) -> Bool {
    expires.map { $0 <= now } ?? false
  }
}

/// Reads keys. Its formats are created once for many of them.
///
/// It is a class for the same reason as `BudgetDecoder`.
final class ClientKeyDecoder {
  /// The most keys of one client.
  static let capacity = 1000

  private let name = ValueFormat<String>.name
  private let digest = ValueFormat<KeyDigest>.digest
  private let models = ValueFormat<[ModelPattern]>.list(
    of: .modelPattern, count: 0...ClientKey.mostModels)
  private let operations = ValueFormat<[Operation]>.list(of: .choice)
  private let moment = ValueFormat<Moment>.moment
  private let rate = ValueFormat<Int64>.integer(ClientKey.rates)

  func decode(from section: inout Section, zone: TimeZoneRules, line: Int) -> ClientKey? {
    let name = section.required("name", name)
    let digest = section.required("sha256", digest)
    let models = section.optional("models", models)
    let operations = section.optional("operations", operations)
    let expires = section.optional("expires", moment)
    let requests = section.optional("requests_per_minute", rate)
    let tokens = section.optional("tokens_per_minute", rate)
    guard let name, let digest else { return nil }
    return ClientKey(
      name: name, digest: digest, models: models, operations: operations.map { Set($0) },
      expires: expires?.timestamp(in: zone), requestsPerMinute: requests,
      tokensPerMinute: tokens, line: line)
  }
}
