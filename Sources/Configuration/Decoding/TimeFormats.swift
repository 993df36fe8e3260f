internal import Time

extension ValueFormat<CivilDate> {
  static var date: ValueFormat {
    .scalar("a date such as 2026-11-01") { CivilDate($0) }
  }
}

/// A day, which begins where its reader lives, or an instant.
enum Moment {
  case startOfDay(CivilDate)
  case instant(Timestamp)

  func timestamp(in zone: TimeZoneRules) -> Timestamp {
    switch self {
    case .startOfDay(let date): zone.startOfDay(date)
    case .instant(let instant): instant
    }
  }
}

extension ValueFormat<Moment> {
  static var moment: ValueFormat {
    .scalar("a date such as 2027-01-01 or an instant such as 2027-01-01T12:00:00-03:00") { text in
      CivilDate(text).map { .startOfDay($0) }
        ?? Timestamp(rfc3339: text).map { .instant($0) }
    }
  }
}
