internal import JSON
internal import Ledger
internal import Logging
internal import Time

/// Has months of the ledger detached that are older than is kept: at the start, and every day.
///
/// It runs on Swift's own threads, since the ledger blocks, and no request ever waits for it.
struct MonthKeeper {
  private let detacher: MonthDetacher
  private let monthCount: Int
  private let logger: Logger

  /// How long until months are looked for again.
  private static let interval = Duration.seconds(24 * 3_600)
  /// How long until it is tried again where others were in the way, or the database away.
  private static let pause = Duration.seconds(10)

  init(_ detacher: MonthDetacher, keeping monthCount: Int, logger: Logger) {
    self.detacher = detacher
    self.monthCount = monthCount
    self.logger = logger
  }

  /// Works until the task is cancelled.
  func run() async {
    var hasFailed = false
    while true {
      do {
        for month in try detacher.detach(keeping: monthCount, at: .readSystemClock()) {
          logger.log(.info, "month_detached") { line in
            line.member("month", month.month)
            line.member("table", month.table)
            line.member("rows", month.rowCount)
          }
        }
        hasFailed = false
      } catch {
        // A database that is away for long is told once.
        if !hasFailed {
          logger.log(.warn, "months_not_detached") { $0.member("reason", error.description) }
        }
        hasFailed = true
      }
      do {
        try await Task.sleep(for: hasFailed ? MonthKeeper.pause : MonthKeeper.interval)
      } catch { return }
    }
  }
}
