internal import Alerts
internal import Configuration
internal import EventLoop
internal import JSON
internal import Logging
internal import Reconciliation
internal import Time

/// Writes differences into the server's log, where that is a file which is there: standard output
/// has the report.
enum DifferenceLog {
  static func write(
    _ comparison: UsageComparison, of provider: String, by settings: LogSettings
  ) throws(CommandError) {
    guard let file = settings.file, PathAccess.isThere(file), !comparison.differences.isEmpty else {
      return
    }
    let logger: Logger
    do {
      logger = try Logger(.file(path: file), level: settings.level, format: settings.format)
    } catch {
      throw .failed("reconcile: \(error)")
    }
    for difference in comparison.differences {
      let figure = difference.figure
      logger.log(.warn, "reconciliation_difference") { line in
        line.member("provider", provider)
        line.member("day", figure.day.description)
        line.member("model", figure.model)
        line.member("quantity", figure.quantity.rawValue)
        line.member("ours", figure.text(figure.ours))
        line.member("theirs", figure.text(figure.theirs))
        line.member("reason", difference.reason.rawValue)
      }
    }
    logger.close()
  }
}

/// Tells of differences through every channel of alerts, once.
enum DifferenceAlert {
  /// The result of sending the alert, a line for each channel.
  static func send(
    _ sentence: String, by settings: AlertSettings
  ) async throws(CommandError) -> [String] {
    let group: EventLoopGroup
    do {
      group = try EventLoopGroup(count: 1)
    } catch {
      throw .failed("reconcile: \(error)")
    }
    defer { group.stop() }
    let queue = await AlertQueue(on: group.loops[0])
    var lines: [String] = []
    for channel in settings.channelNames {
      let outcome = await queue.tell(ofDifference: sentence, through: channel, of: settings)
      guard let outcome else { continue }
      lines.append(
        "reconcile: alert \(channel) \(outcome.isDelivered ? "delivered" : "failed"): "
          + outcome.detail)
    }
    await queue.close()
    return lines.isEmpty ? ["reconcile: alerts has no channel: nobody was told"] : lines
  }
}
