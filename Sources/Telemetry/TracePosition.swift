/// Where a request stands in its trace.
public struct TracePosition: Sendable {
  public let context: TraceContext
  /// The caller's span; nil where the trace begins here.
  let parentID: UInt64?
  /// The caller's `tracestate`, as far as it is exported.
  let traceState: SpanText?

  /// Whether the caller's `tracestate` belongs to this trace, and goes on with it.
  public var continuesCaller: Bool { parentID != nil }

  public var isSampled: Bool { context.isSampled }
}
