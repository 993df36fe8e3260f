/// The position of a request in its trace.
public struct TracePosition: Sendable {
  public let context: TraceContext
  /// The caller's span; nil if the trace begins here.
  let parentID: UInt64?
  /// The part of the caller's `tracestate` that is exported.
  let traceState: SpanText?

  /// Whether the caller's trace continues, so that its `tracestate` is passed on.
  public var continuesCaller: Bool { parentID != nil }

  public var isSampled: Bool { context.isSampled }
}
