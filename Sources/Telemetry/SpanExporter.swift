internal import EventLoop

/// Sends the waiting spans when a batch is full, and at the latest after the interval.
final class SpanExporter: Sendable {
  private let queue: SpanQueue
  private let sender: OTLPSender
  private let envelope: OTLPEnvelope
  private let interval: Duration
  private let log: ExportLog

  init(
    _ queue: SpanQueue, to sender: OTLPSender, in envelope: OTLPEnvelope, every interval: Duration,
    log: ExportLog
  ) {
    self.queue = queue
    self.sender = sender
    self.envelope = envelope
    self.interval = interval
    self.log = log
  }

  /// Runs until its task is canceled, and then sends the rest.
  func run() async {
    queue.bell.ring(after: interval)
    for await _ in queue.bell.rings {
      await sendAll()
      queue.bell.ring(after: interval)
    }
    queue.bell.close()
    await sendAll()
  }

  private func sendAll() async {
    while true {
      let spans = queue.takeBatch()
      guard !spans.isEmpty else { return }
      switch await sender.send(OTLPTraces.body(spans, in: envelope)) {
      case .taken(rejected: 0, _): break
      case .taken(let rejected, let reason): drop(min(rejected, Int64(spans.count)), reason)
      case .failed(let reason): drop(Int64(spans.count), reason)
      }
    }
  }

  private func drop(_ count: Int64, _ reason: String) {
    queue.countDropped(count)
    log.write(.traces, to: sender.receiver.url, reason, droppedSpans: queue.dropped)
  }
}

/// Ended spans that wait for export. Spans beyond the capacity are dropped and counted.
final class SpanQueue: Sendable {
  private struct State {
    var spans: [RequestSpan] = []
    var dropped: Int64 = 0
  }

  /// Rings when a batch is full.
  let bell = WorkBell()
  private let capacity: Int
  private let batchSize: Int
  private let state = Lock(State())

  /// - Parameters:
  ///   - capacity: The most waiting spans; at least `batchSize`.
  ///   - batchSize: The most spans of one batch. Positive.
  init(capacity: Int, batchSize: Int) {
    precondition(batchSize > 0 && capacity >= batchSize, "a batch fits")
    self.capacity = capacity
    self.batchSize = batchSize
  }

  func add(_ span: RequestSpan) {
    let isFull = state.withLock { state in
      guard state.spans.count < capacity else {
        state.dropped += 1
        return false
      }
      state.spans.append(span)
      return state.spans.count == batchSize
    }
    if isFull { bell.ring() }
  }

  /// Removes and returns the spans that have waited longest, at most one batch.
  func takeBatch() -> [RequestSpan] {
    state.withLock { state in
      let batch = Array(state.spans.prefix(batchSize))
      state.spans.removeFirst(batch.count)
      return batch
    }
  }

  /// Counts spans that were taken but not accepted.
  func countDropped(_ count: Int64) {
    state.withLock { $0.dropped += count }
  }

  var dropped: Int64 { state.withLock { $0.dropped } }
}
