public import Time

/// The span of time in which a budget counts, from its start up to but not including its end.
///
/// Windows follow the clock alone: nothing has to run at midnight. Whoever touches an account after
/// its window has ended finds out, and opens the next one.
public struct BudgetWindow: Hashable, Sendable {
  /// Midnight of the window's first day, or the later instant from which the budget counts.
  ///
  /// For a period that never starts again, 1970 stands for "since ever".
  public let start: Timestamp
  /// Midnight after the window's last day; nil for a period that never starts again.
  public let end: Timestamp?

  public init(start: Timestamp, end: Timestamp?) {
    self.start = start
    self.end = end
  }

  /// The window of `period` that `instant` lies in, by the calendar of `timeZone`.
  public init(of period: BudgetPeriod, containing instant: Timestamp, in timeZone: TimeZoneRules) {
    let today = timeZone.civilDate(of: instant)
    guard let firstDay = period.firstDay(containing: today) else {
      self.init(start: Timestamp(milliseconds: 0), end: nil)
      return
    }
    var start = timeZone.startOfDay(firstDay)
    var nextDay = period.firstDay(after: firstDay)
    var end = timeZone.startOfDay(nextDay)
    // Where a zone sets its clocks back across midnight, a date's name returns for an hour after
    // the next date has begun: that hour belongs to the window that has already started.
    while end <= instant, start < end {
      start = end
      nextDay = period.firstDay(after: nextDay)
      end = timeZone.startOfDay(nextDay)
    }
    self.init(start: start, end: end)
  }

  /// Whether the window lies in the past at `instant`.
  public func hasEnded(at instant: Timestamp) -> Bool {
    guard let end else { return false }
    return instant >= end
  }

  /// This window without what lies before `instant`, which counts from now on.
  func starting(noEarlierThan instant: Timestamp) -> BudgetWindow {
    BudgetWindow(start: max(start, instant), end: end)
  }
}

extension BudgetPeriod {
  /// The first day of the window that `date` lies in; nil for a period that never starts again.
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

  /// The first day of the window after the one that begins on `firstDay`.
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

  /// That day of this month; the month's last day where it is shorter.
  fileprivate func inSameMonth(day: Int) -> CivilDate {
    CivilDate(year: year, month: month, day: day)
      ?? firstOfMonth.adding(months: 1).adding(days: -1)
  }

  /// The latest such day of a month up to this date.
  fileprivate func latest(day: Int) -> CivilDate {
    let candidate = inSameMonth(day: day)
    return candidate <= self ? candidate : firstOfMonth.adding(days: -1).inSameMonth(day: day)
  }
}
