public import Time

extension Reader {
  /// `22 Nov 2026`, or `22/11/2026`.
  public func date(_ date: CivilDate) -> String {
    switch language {
    case .english: "\(date.day) \(Reader.months[date.month - 1]) \(date.year)"
    case .portuguese: "\(Reader.padded(date.day))/\(Reader.padded(date.month))/\(date.year)"
    }
  }

  /// `22 Nov`, or `22/11`.
  public func shortDate(_ date: CivilDate) -> String {
    switch language {
    case .english: "\(date.day) \(Reader.months[date.month - 1])"
    case .portuguese: "\(Reader.padded(date.day))/\(Reader.padded(date.month))"
    }
  }

  /// The date of an instant in a time zone.
  public func date(_ instant: Timestamp, in zone: TimeZoneRules) -> String {
    date(zone.civilDate(of: instant))
  }

  /// `22 Nov 2026, 07:30:05`, in a time zone.
  public func moment(_ instant: Timestamp, in zone: TimeZoneRules) -> String {
    "\(date(instant, in: zone)), \(time(instant, in: zone))"
  }

  /// `07:30:05`.
  private func time(_ instant: Timestamp, in zone: TimeZoneRules) -> String {
    let local = instant.milliseconds / 1000 + zone.offset(at: instant).components.seconds
    let second = Int(((local % 86_400) + 86_400) % 86_400)
    return [second / 3600, second / 60 % 60, second % 60].map(Reader.padded)
      .joined(separator: ":")
  }

  /// The time until an instant: `in 9 days`, `in 3 hours`, `in 12 minutes`.
  public func distance(to instant: Timestamp, from now: Timestamp) -> String {
    let seconds = max(0, (instant.milliseconds - now.milliseconds) / 1000)
    if seconds >= 2 * 86_400 { return self(.inDays(seconds / 86_400)) }
    if seconds >= 2 * 3600 { return self(.inHours(seconds / 3600)) }
    return self(.inMinutes(max(1, seconds / 60)))
  }

  private static func padded(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}

extension Phrase {
  fileprivate static func inDays(_ count: Int64) -> Phrase {
    Phrase("in \(count) days", "em \(count) dias")
  }
  fileprivate static func inHours(_ count: Int64) -> Phrase {
    Phrase("in \(count) hours", "em \(count) horas")
  }
  fileprivate static func inMinutes(_ count: Int64) -> Phrase {
    count == 1
      ? Phrase("in 1 minute", "em 1 minuto")
      : Phrase("in \(count) minutes", "em \(count) minutos")
  }
}
