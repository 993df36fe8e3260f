public import HTTP
public import Money
public import Pricing
public import Time

/// One request in a trace.
public struct RequestSpan: Sendable {
  let context: TraceContext
  /// The caller's span; nil if the trace begins here.
  let parentID: UInt64?
  /// The caller's `tracestate`.
  let traceState: SpanText?
  public let start: Timestamp
  public var duration = Duration.zero

  // The request and its caller; nil if unknown.
  /// The method; nil for an unusual one.
  let method: String?
  let path: SpanText
  /// The path as in the endpoint table; nil for any other path.
  public var route: String?
  let requestID: String
  public var client: String?
  public var key: String?
  public var operation: Operation?
  public var model: SpanText?
  public var isStream: Bool?
  /// The app's own limit of output tokens for one choice.
  public var outputLimit: Int64?
  public var choices: Int64 = 1
  public var conversation: SpanText?
  public var provider: String?
  public var providerHost: String?
  public var providerPort: UInt16?

  // The end of the request.
  /// The status of the app's answer; nil if it got none.
  public var status: Int?
  /// The reason of a failure, one of a few words; nil without a failure.
  public var failure: String?
  public var responseModel: SpanText?
  public var usage: Usage?
  /// The source of the usage, as in `usage_logs`.
  public var usageSource: String?
  /// The cost in US dollars.
  public var cost: Money?
  /// The hold: tokens and US dollars.
  public var heldTokens: Int64?
  public var heldCost: Money?
  public var timeToFirstToken: Duration?
  /// The budget that refused the request; nil for none.
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

/// A text from outside, cut to the length that a span keeps, so that waiting spans are bounded.
public struct SpanText: Hashable, Sendable {
  let text: String

  /// The longest text, in bytes of UTF-8.
  static let longest = 256

  public init(_ text: String) {
    guard text.utf8.count > SpanText.longest else {
      self.text = text
      return
    }
    var end = text.utf8.index(text.startIndex, offsetBy: SpanText.longest)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    self.text = String(text[..<end])
  }
}
