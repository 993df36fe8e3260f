internal import EventLoop
internal import Time

/// Sends all metrics with their current values, at an interval and at the end. If a request fails,
/// the values are lost, but the next one has them all again.
final class MetricExporter: Sendable {
  private let sender: OTLPSender
  private let envelope: OTLPEnvelope
  private let interval: Duration
  private let log: ExportLog
  private let clock: @Sendable () -> Timestamp
  private let started: Timestamp
  private let bell = WorkBell()

  init(
    to sender: OTLPSender, in envelope: OTLPEnvelope, every interval: Duration, log: ExportLog,
    clock: @escaping @Sendable () -> Timestamp
  ) {
    self.sender = sender
    self.envelope = envelope
    self.interval = interval
    self.log = log
    self.clock = clock
    started = clock()
  }

  /// Runs until its task is canceled, and then sends once more.
  func run(_ metrics: Telemetry.MetricSource) async {
    bell.ring(after: interval)
    for await _ in bell.rings {
      await sendAll(metrics)
      bell.ring(after: interval)
    }
    bell.close()
    await sendAll(metrics)
  }

  private func sendAll(_ metrics: Telemetry.MetricSource) async {
    let writeNext = metrics()
    let now = clock()
    while true {
      var page = OTLPMetrics(since: started, at: now)
      guard writeNext(&page) else { return }
      guard !page.isEmpty else { continue }
      switch await sender.send(page.body(in: envelope)) {
      case .taken(rejected: 0, _): break
      case .taken(_, let reason), .failed(let reason):
        return log.write(.metrics, to: sender.receiver.url, reason, droppedSpans: nil)
      }
    }
  }
}
