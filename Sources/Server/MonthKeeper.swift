internal import JSON
internal import Ledger
internal import Logging
internal import Time

/// Detaches the ledger's months that are older than the retention, at the start and once a day.
///
/// It runs on Swift's own threads because the ledger blocks. No request waits for it.
struct MonthKeeper {
  private let detacher: MonthDetacher
  private let monthCount: Int
  private let logger: Logger

  /// Pause after a success.
  private static let interval = Duration.seconds(24 * 3_600)
  /// Pause after a failure, such as a lock of another server or an unreachable database.
  private static let pause = Duration.seconds(10)

  init(_ detacher: MonthDetacher, keeping monthCount: Int, logger: Logger) {
    self.detacher = detacher
    self.monthCount = monthCount
    self.logger = logger
  }

  /// Runs until its task is cancelled.
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
        // A database that stays unreachable is logged once.
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
