internal import Time

/// A month in UTC, which has its own partition of `usage_logs` on PostgreSQL.
struct UsageMonth: Hashable, Comparable {
  /// Months since the year 0.
  private let number: Int

  init(of instant: Timestamp) {
    let day = CivilDate(daysSinceEpoch: Int(instant.milliseconds / 86_400_000))
    number = day.year * 12 + day.month - 1
  }

  private init(number: Int) {
    self.number = number
  }

  /// Parses a month in the form `2026-11`; nil for any other text.
  init?(_ text: String) {
    guard let day = CivilDate("\(text)-01") else { return nil }
    number = day.year * 12 + day.month - 1
  }

  /// Returns the month of a partition; nil for another table, and for a table of late rows.
  init?(table: String) {
    guard table.hasPrefix(UsageMonth.prefix) else { return nil }
    let parts = table.dropFirst(UsageMonth.prefix.count).split(separator: "_")
    guard parts.count == 2 else { return nil }
    self.init("\(parts[0])-\(parts[1])")
  }

  var firstDay: CivilDate? { CivilDate(year: number / 12, month: number % 12 + 1, day: 1) }
  var next: UsageMonth { adding(1) }

  func adding(_ months: Int) -> UsageMonth { UsageMonth(number: number + months) }

  /// The month as text, for example `2026-11`. It is a prefix of the times in the month, and less
  /// than all of them.
  var text: String { String(dayText.prefix(7)) }
  var table: String { "\(UsageMonth.prefix)\(text.prefix(4))_\(text.suffix(2))" }
  /// The table for rows that come after the month was detached.
  var lateTable: String { "\(table)_late" }

  private static let prefix = "usage_logs_"
  private var dayText: String { firstDay?.description ?? "" }

  static func < (left: UsageMonth, right: UsageMonth) -> Bool { left.number < right.number }
}
