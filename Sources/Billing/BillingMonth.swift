public import Time

/// What a billing period is called: the month that it begins in, such as `2026-11`.
public struct BillingMonth: Hashable, Sendable, LosslessStringConvertible {
  /// Its first day.
  public let firstDay: CivilDate

  public static let rule = "a month such as 2026-11"

  public init?(_ text: String) {
    guard let day = CivilDate("\(text)-01") else { return nil }
    firstDay = day
  }

  /// The month that a day lies in.
  public init(containing day: CivilDate) {
    firstDay = day.adding(days: 1 - day.day)
  }

  /// The day after its last.
  public var endDay: CivilDate { firstDay.adding(months: 1) }

  public var description: String { String(firstDay.description.prefix(7)) }
}
