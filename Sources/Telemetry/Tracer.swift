public import HTTP

/// Begins spans, and takes those that have ended. No caller ever waits.
public final class Tracer: Sendable {
  private let sampler: Sampler
  private let queue: SpanQueue

  init(_ sampler: Sampler, _ queue: SpanQueue) {
    self.sampler = sampler
    self.queue = queue
  }

  /// Goes on with the trace that a request names in `traceparent`, or begins one.
  public func begin(_ fields: HeaderFields) -> TracePosition {
    var generator = SystemRandomNumberGenerator()
    return begin(fields, using: &generator)
  }

  func begin(
    _ fields: HeaderFields, using generator: inout some RandomNumberGenerator
  ) -> TracePosition {
    // Several are none.
    let parent =
      fields.count(of: .traceparent) == 1
      ? fields.first(.traceparent).flatMap { TraceContext(traceparent: $0) } : nil
    let states = parent == nil ? [] : fields.values(.tracestate)
    let low = parent?.traceLow ?? .random(in: 1...UInt64.max, using: &generator)
    let context = TraceContext(
      traceHigh: parent?.traceHigh ?? .random(in: 1...UInt64.max, using: &generator),
      traceLow: low, spanID: .random(in: 1...UInt64.max, using: &generator),
      isSampled: sampler.samples(traceLow: low, parent: parent))
    return TracePosition(
      context: context, parentID: parent?.spanID,
      traceState: states.isEmpty ? nil : SpanText(states.joined(separator: ",")))
  }

  /// Queues a span that has ended and is sampled.
  public func record(_ span: RequestSpan) {
    queue.add(span)
  }

  /// Spans that were dropped since the start, because too many waited or nobody took them.
  public var droppedSpans: Int64 { queue.dropped }
}
