public import Time

/// The time span in which a budget counts: its start is included, its end is not.
///
/// Windows follow the clock alone, so nothing has to run at midnight. The first use of an account
/// after its window has ended opens the next window.
public struct BudgetWindow: Hashable, Sendable {
  /// Midnight of the window's first day, or the later time from which the budget counts.
  ///
  /// For the period `total`, 1970 stands for "since ever".
  public let start: Timestamp
  /// Midnight after the window's last day; nil for the period `total`.
  public let end: Timestamp?

  public init(start: Timestamp, end: Timestamp?) {
    self.start = start
    self.end = end
  }

  /// Creates the window of `period` that contains `instant`, in the calendar of `timeZone`.
  public init(of period: BudgetPeriod, containing instant: Timestamp, in timeZone: TimeZoneRules) {
    let today = timeZone.civilDate(of: instant)
    guard let firstDay = period.firstDay(containing: today) else {
      self.init(start: Timestamp(milliseconds: 0), end: nil)
      return
    }
    var start = timeZone.startOfDay(firstDay)
    var nextDay = period.firstDay(after: firstDay)
    var end = timeZone.startOfDay(nextDay)
    // If a time zone sets its clocks back across midnight, an ended date returns for an hour. That
    // hour belongs to the window that has already started.
    while end <= instant, start < end {
      start = end
      nextDay = period.firstDay(after: nextDay)
      end = timeZone.startOfDay(nextDay)
    }
    self.init(start: start, end: end)
  }

  /// Whether the window has ended at `instant`.
  public func hasEnded(at instant: Timestamp) -> Bool {
    guard let end else { return false }
    return instant >= end
  }

  /// Returns this window without the part before `instant`.
  func starting(noEarlierThan instant: Timestamp) -> BudgetWindow {
    BudgetWindow(start: max(start, instant), end: end)
  }
}

extension BudgetPeriod {
  /// Returns the first day of the window that contains `date`; nil for the period `total`.
  package func firstDay(containing date: CivilDate) -> CivilDate? {
    switch self {
    case .daily: date
    case .weekly: date.adding(days: 1 - date.weekday)
    case .monthly: date.firstOfMonth
    case .monthsFrom(let day): date.latest(day: day)
    case .days(let length, let anchor):
      date.adding(days: -daysIntoWindow(date, length: length, anchor: anchor))
    case .total: nil
    }
  }

  /// Returns the first day of the window after the one that begins on `firstDay`.
  package func firstDay(after firstDay: CivilDate) -> CivilDate {
    switch self {
    case .daily: firstDay.adding(days: 1)
    case .weekly: firstDay.adding(days: 7)
    case .monthly: firstDay.adding(months: 1)
    case .monthsFrom(let day): firstDay.firstOfMonth.adding(months: 1).inSameMonth(day: day)
    case .days(let length, _): firstDay.adding(days: length)
    case .total: firstDay
    }
  }

  private func daysIntoWindow(_ date: CivilDate, length: Int, anchor: CivilDate) -> Int {
    let remainder = (date.daysSinceEpoch - anchor.daysSinceEpoch) % length
    return remainder < 0 ? remainder + length : remainder
  }
}

extension CivilDate {
  fileprivate var firstOfMonth: CivilDate { adding(days: 1 - day) }

  /// Returns this day of the month; the month's last day if the month is shorter.
  fileprivate func inSameMonth(day: Int) -> CivilDate {
    CivilDate(year: year, month: month, day: day)
      ?? firstOfMonth.adding(months: 1).adding(days: -1)
  }

  /// Returns the latest such day of a month up to this date.
  fileprivate func latest(day: Int) -> CivilDate {
    let candidate = inSameMonth(day: day)
    return candidate <= self ? candidate : firstOfMonth.adding(days: -1).inSameMonth(day: day)
  }
}
