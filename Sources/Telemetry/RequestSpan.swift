public import HTTP
public import Money
public import Pricing
public import Time

/// One request, as a trace shows it.
public struct RequestSpan: Sendable {
  let context: TraceContext
  /// The caller's span; nil where the trace begins here.
  let parentID: UInt64?
  /// The caller's `tracestate`.
  let traceState: SpanText?
  public let start: Timestamp
  public var duration = Duration.zero

  // What was asked, and by whom; nil: unknown.
  /// Nil for one that isn't of the usual.
  let method: String?
  let path: SpanText
  /// The path as the endpoint table has it; nil where it isn't one of few.
  public var route: String?
  let requestID: String
  public var client: String?
  public var key: String?
  public var operation: Operation?
  public var model: SpanText?
  public var isStream: Bool?
  /// The most tokens that a choice may have, as the app says it.
  public var outputLimit: Int64?
  public var choices: Int64 = 1
  public var conversation: SpanText?
  public var provider: String?
  public var providerHost: String?
  public var providerPort: UInt16?

  // How it ended.
  /// Of the answer that the app got; nil where it got none.
  public var status: Int?
  /// Why it failed, as one of few words; nil where it didn't.
  public var failure: String?
  public var responseModel: SpanText?
  public var usage: Usage?
  /// Where the usage is from, as in `usage_logs`.
  public var usageSource: String?
  /// In US dollars.
  public var cost: Money?
  /// What was set aside: tokens and US dollars.
  public var heldTokens: Int64?
  public var heldCost: Money?
  public var timeToFirstToken: Duration?
  /// The budget that refused it.
  public var refusingBudget: String?

  public init(
    at position: TracePosition, start: Timestamp, method: Method, path: SpanText,
    requestID: String
  ) {
    context = position.context
    parentID = position.parentID
    traceState = position.traceState
    self.start = start
    self.method = if case .other = method { nil } else { method.name }
    self.path = path
    self.requestID = requestID
  }
}
