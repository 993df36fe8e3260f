internal import Configuration
internal import JSON
internal import Logging
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
        line.member("day", figure.subject.day.description)
        line.member("model", figure.subject.model)
        line.member("quantity", figure.quantity.rawValue)
        line.member("ours", figure.text(figure.ours))
        line.member("theirs", figure.text(figure.theirs))
        line.member("reason", difference.reason.rawValue)
      }
    }
    logger.close()
  }
}
