internal import CGLib

/// The rules of one IANA time zone (GLib reads the system's tz database).
public final class TimeZoneRules: Sendable {
  /// The IANA name, such as `America/Sao_Paulo`.
  public let identifier: String

  init(identifier: String) {
    self.identifier = identifier
  }
}

extension TimeZoneRules: Hashable {
  public static func == (left: TimeZoneRules, right: TimeZoneRules) -> Bool {
    left.identifier == right.identifier
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
  }
}
