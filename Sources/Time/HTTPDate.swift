extension Timestamp {
  private static let monthNames = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Reads an instant in the form of HTTP's field `Date`: `Sun, 06 Nov 1994 08:49:37 GMT`.
  ///
  /// The name of the weekday isn't checked. Nil for the obsolete forms and for any other text.
  public init?(httpDate text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
      let day = Timestamp.number(parts[1], digits: 2),
      let month = Timestamp.monthNames.firstIndex(of: String(parts[2])),
      let year = Timestamp.number(parts[3], digits: 4),
      let date = CivilDate(year: year, month: month + 1, day: day)
    else { return nil }
    let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false)
    guard clock.count == 3, let hour = Timestamp.number(clock[0], digits: 2), hour < 24,
      let minute = Timestamp.number(clock[1], digits: 2), minute < 60,
      // A leap second counts as the first second of the next minute.
      let second = Timestamp.number(clock[2], digits: 2), second <= 60
    else { return nil }
    let seconds = date.daysSinceEpoch * 86_400 + hour * 3_600 + minute * 60 + second
    self.init(milliseconds: Int64(seconds) * 1_000)
  }

  private static func number(_ text: Substring, digits: Int) -> Int? {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(text)
  }
}
