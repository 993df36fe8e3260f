public import HTTP

/// Starts spans, and queues ended ones. No caller ever waits.
public final class Tracer: Sendable {
  private let sampler: Sampler
  private let queue: SpanQueue

  init(_ sampler: Sampler, _ queue: SpanQueue) {
    self.sampler = sampler
    self.queue = queue
  }

  /// Continues the trace that a request names in `traceparent`, or starts a new one.
  public func begin(_ fields: HeaderFields) -> TracePosition {
    var generator = SystemRandomNumberGenerator()
    return begin(fields, using: &generator)
  }

  func begin(
    _ fields: HeaderFields, using generator: inout some RandomNumberGenerator
  ) -> TracePosition {
    // Several `traceparent` fields count as none.
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

  /// Queues a sampled span that has ended.
  public func record(_ span: RequestSpan) {
    queue.add(span)
  }

  /// The number of spans dropped since the start, because the queue was full or no receiver
  /// accepted them.
  public var droppedSpans: Int64 { queue.dropped }
}
