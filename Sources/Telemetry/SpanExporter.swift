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
