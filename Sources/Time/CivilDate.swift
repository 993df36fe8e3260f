/// A day of the proleptic Gregorian calendar, without a time zone.
///
/// Years go from 1 to 9999, as in RFC 3339. If a calculation leaves that range, its result is the
/// first or the last day.
public struct CivilDate: Hashable, Comparable, Sendable {
  public let year: Int
  /// 1…12.
  public let month: Int
  /// 1…31, valid in its month.
  public let day: Int

  public static let first = CivilDate(uncheckedYear: 1, month: 1, day: 1)
  public static let last = CivilDate(uncheckedYear: 9999, month: 12, day: 31)

  /// Nil if the calendar doesn't have that day.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...CivilDate.length(ofMonth: month, year: year)).contains(day)
    else { return nil }
    self.init(uncheckedYear: year, month: month, day: day)
  }

  /// The day `daysSinceEpoch` days after 1970-01-01, or before if negative.
  public init(daysSinceEpoch: Int) {
    let days = min(max(daysSinceEpoch, CivilDate.firstDay), CivilDate.lastDay)
    let shifted = days + CivilDate.daysFromMarchOfYearZero
    let cycle = shifted / CivilDate.daysPerCycle
    let dayOfCycle = shifted % CivilDate.daysPerCycle
    // The leap days so far are subtracted before the division by the length of a common year.
    let yearOfCycle =
      (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    self.init(
      uncheckedYear: cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0),
      month: month,
      day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  init(uncheckedYear year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Days since 1970-01-01, negative before.
  public var daysSinceEpoch: Int {
    // A year that begins in March has its leap day at the end, so it moves no month.
    let yearFromMarch = month <= 2 ? year - 1 : year
    let monthFromMarch = (month + 9) % 12
    let leapDays = yearFromMarch / 4 - yearFromMarch / 100 + yearFromMarch / 400
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return 365 * yearFromMarch + leapDays + dayOfYear - CivilDate.daysFromMarchOfYearZero
  }

  /// 1 for Monday … 7 for Sunday.
  public var weekday: Int {
    let daysSinceAMonday = (daysSinceEpoch + 3) % 7
    return (daysSinceAMonday + 7) % 7 + 1
  }

  /// The day that is `days` later, or earlier if negative.
  public func adding(days: Int) -> CivilDate {
    let (sum, overflow) = daysSinceEpoch.addingReportingOverflow(days)
    if overflow { return days > 0 ? .last : .first }
    return CivilDate(daysSinceEpoch: sum)
  }

  /// The same day of the month that is `months` later, or earlier if negative. If that month is too
  /// short, its last day: 2026-01-31 plus one month is 2026-02-28.
  public func adding(months: Int) -> CivilDate {
    let (sum, overflow) = (year * 12 + month - 1).addingReportingOverflow(months)
    if overflow || sum >= 10_000 * 12 || sum < 12 { return months > 0 ? .last : .first }
    let (newYear, newMonth) = (sum / 12, sum % 12 + 1)
    return CivilDate(
      uncheckedYear: newYear, month: newMonth,
      day: min(day, CivilDate.length(ofMonth: newMonth, year: newYear)))
  }

  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// Days from 0000-03-01 to 1970-01-01.
  private static let daysFromMarchOfYearZero = 719_468
  /// Days in 400 years, after which the calendar repeats.
  private static let daysPerCycle = 146_097
  private static let firstDay = first.daysSinceEpoch
  private static let lastDay = last.daysSinceEpoch
}

extension CivilDate: LosslessStringConvertible {
  /// `2026-11-01`.
  public var description: String {
    String(asciiCapacity: CivilDate.textLength) { append(to: &$0) }
  }

  /// Nil if `text` isn't a day in the form `YYYY-MM-DD`.
  public init?(_ text: String) {
    var reader = DigitReader(text.utf8)
    guard let year = reader.number(digits: 4), reader.take("-") != nil,
      let month = reader.number(digits: 2), reader.take("-") != nil,
      let day = reader.number(digits: 2), reader.isAtEnd
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  private static let textLength = 10

  /// Appends `2026-11-01`.
  func append(to text: inout OutputSpan<UInt8>) {
    text.append(year, digits: 4)
    text.append(ASCIIByte.hyphen)
    text.append(month, digits: 2)
    text.append(ASCIIByte.hyphen)
    text.append(day, digits: 2)
  }
}
