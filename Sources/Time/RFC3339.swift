extension Timestamp {
  /// The instant in UTC with milliseconds: `2026-11-22T07:30:00.123Z`.
  ///
  /// An instant outside the years 1…9999 is written as the nearest instant inside.
  public var rfc3339: String {
    let clock = WallClock(self, offsetSeconds: 0)
    return String(asciiCapacity: Timestamp.rfc3339Length) { text in
      clock.append(to: &text)
      text.append(ASCIIByte.point)
      text.append(clock.millisecond, digits: 3)
      text.append(UInt8(ascii: "Z"))
    }
  }

  private static let rfc3339Length = 24

  /// Reads RFC 3339 with its offset, for example `2026-12-01T00:00:00-03:00`.
  ///
  /// Decimals below a millisecond are dropped. Nil for any other text, and for a leap second: no
  /// clock here counts it.
  public init?(rfc3339 text: String) {
    var reader = DigitReader(text.utf8)
    guard let year = reader.number(digits: 4), reader.take("-") != nil,
      let month = reader.number(digits: 2), reader.take("-") != nil,
      let day = reader.number(digits: 2), reader.take("T", "t") != nil,
      let date = CivilDate(year: year, month: month, day: day),
      let hour = reader.number(digits: 2), hour < 24, reader.take(":") != nil,
      let minute = reader.number(digits: 2), minute < 60, reader.take(":") != nil,
      let second = reader.number(digits: 2), second < 60,
      let millisecond = Timestamp.readMilliseconds(&reader),
      let offsetSeconds = Timestamp.readOffset(&reader),
      reader.isAtEnd
    else { return nil }
    let seconds = date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second
    self.init(milliseconds: Int64((seconds - offsetSeconds) * 1000 + millisecond))
  }

  /// Reads the decimals of a second as milliseconds: 0 if there are none, nil if a point has no
  /// digit after it.
  private static func readMilliseconds(_ reader: inout DigitReader) -> Int? {
    guard reader.take(".") != nil else { return 0 }
    guard var millisecond = reader.number(digits: 1) else { return nil }
    millisecond = millisecond * 10 + (reader.number(digits: 1) ?? 0)
    millisecond = millisecond * 10 + (reader.number(digits: 1) ?? 0)
    while reader.number(digits: 1) != nil {}
    return millisecond
  }

  private static func readOffset(_ reader: inout DigitReader) -> Int? {
    guard let sign = reader.take("Z", "z", "+", "-") else { return nil }
    if sign == "Z" || sign == "z" { return 0 }
    guard let hours = reader.number(digits: 2), hours < 24, reader.take(":") != nil,
      let minutes = reader.number(digits: 2), minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return sign == "-" ? -seconds : seconds
  }
}

extension TimeZoneRules {
  /// The instant as the zone's clocks show it, with their offset: `2026-12-01T00:00:00-03:00`. An
  /// offset of zero is written `Z`. Milliseconds are dropped.
  public func rfc3339(_ instant: Timestamp) -> String {
    // An offset in RFC 3339 has no seconds. Before standard time, zones had offsets with seconds.
    let minutes = offsetSeconds(at: instant) / 60
    let clock = WallClock(instant, offsetSeconds: minutes * 60)
    return String(asciiCapacity: TimeZoneRules.rfc3339Length) { text in
      clock.append(to: &text)
      if minutes == 0 {
        text.append(UInt8(ascii: "Z"))
      } else {
        text.append(minutes < 0 ? ASCIIByte.hyphen : ASCIIByte.plus)
        text.append(abs(minutes) / 60, digits: 2)
        text.append(ASCIIByte.colon)
        text.append(abs(minutes) % 60, digits: 2)
      }
    }
  }

  /// The length with an offset.
  private static let rfc3339Length = 25
}

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
