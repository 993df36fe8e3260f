internal import Configuration
internal import EventLoop
internal import JSON
internal import Logging

/// Logs that a receiver doesn't accept its data. At most one line a minute is written, because a
/// dead receiver fails all the time.
final class ExportLog: Sendable {
  private let logger: Logger
  private let lastLine = Lock<[TelemetrySettings.Signal: MonotonicInstant]>([:])

  private static let interval = Duration.seconds(60)

  init(_ logger: Logger) {
    self.logger = logger
  }

  /// - Parameter droppedSpans: The number of spans dropped since the start; nil for metrics.
  func write(
    _ signal: TelemetrySettings.Signal, to url: BaseURL, _ reason: String, droppedSpans: Int64?
  ) {
    let now = MonotonicInstant.now()
    let isDue = lastLine.withLock { lines in
      if let last = lines[signal], now.elapsed(since: last) < ExportLog.interval { return false }
      lines[signal] = now
      return true
    }
    guard isDue else { return }
    logger.log(.warn, "telemetry_not_exported") { line in
      line.member("signal", signal.rawValue)
      line.member("url", "\(url)")
      line.member("reason", reason)
      if let droppedSpans { line.member("dropped_spans", droppedSpans) }
    }
  }
}
