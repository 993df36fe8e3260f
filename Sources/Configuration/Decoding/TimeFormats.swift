public import Time

extension ValueFormat<CivilDate> {
  static var date: ValueFormat {
    .scalar("a date such as 2026-11-01") { CivilDate($0) }
  }
}

/// A day, which begins at midnight of the reader's time zone, or a time.
public enum Moment: Hashable, Sendable {
  case startOfDay(CivilDate)
  case instant(Timestamp)

  /// Parses a date (`2027-01-01`) or a time (`2027-01-01T12:00:00-03:00`).
  public init?(_ text: String) {
    if let date = CivilDate(text) {
      self = .startOfDay(date)
    } else if let instant = Timestamp(rfc3339: text) {
      self = .instant(instant)
    } else {
      return nil
    }
  }

  public func timestamp(in zone: TimeZoneRules) -> Timestamp {
    switch self {
    case .startOfDay(let date): zone.startOfDay(date)
    case .instant(let instant): instant
    }
  }
}

extension ValueFormat<Moment> {
  static var moment: ValueFormat {
    .scalar("a date such as 2027-01-01 or an instant such as 2027-01-01T12:00:00-03:00") {
      Moment($0)
    }
  }
}
