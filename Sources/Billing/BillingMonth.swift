public import Time

/// The name of a billing period: the month in which it begins, for example `2026-11`.
public struct BillingMonth: Hashable, Sendable, LosslessStringConvertible {
  /// The first day of the month.
  public let firstDay: CivilDate

  public static let rule = "a month such as 2026-11"

  public init?(_ text: String) {
    guard let day = CivilDate("\(text)-01") else { return nil }
    firstDay = day
  }

  /// Creates the month that contains a day.
  public init(containing day: CivilDate) {
    firstDay = day.adding(days: 1 - day.day)
  }

  /// The day after the last one of the month.
  public var endDay: CivilDate { firstDay.adding(months: 1) }

  public var description: String { String(firstDay.description.prefix(7)) }
}
