/// A day of the proleptic Gregorian calendar, without a time zone.
public struct CivilDate: Hashable, Comparable, Sendable {
  public let year: Int
  /// 1…12.
  public let month: Int
  /// 1…31, valid in its month.
  public let day: Int

  init(uncheckedYear year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}
