internal import CGLib

/// The rules of one IANA time zone. GLib reads them from the system's tz database.
///
/// On Linux, FoundationEssentials has no zone but GMT.
@safe public final class TimeZoneRules: Sendable {
  /// The IANA name, for example `America/Sao_Paulo`.
  public let identifier: String

  /// Owned; nil stands for UTC. Any thread may use it, because a GTimeZone never changes.
  nonisolated(unsafe) private let handle: OpaquePointer?

  /// Coordinated Universal Time, which needs no database.
  public static let utc = TimeZoneRules(utc: "UTC")

  /// Nil if the system's tz database doesn't have that zone.
  ///
  /// The first request for a zone reads a file.
  public convenience init?(identifier: String) {
    if TimeZoneRules.namesOfUTC.contains(identifier) {
      self.init(utc: identifier)
      return
    }
    guard TimeZoneRules.isName(identifier),
      let handle = unsafe g_time_zone_new_identifier(identifier)
    else { return nil }
    unsafe self.init(identifier: identifier, handle: handle)
  }

  private init(utc identifier: String) {
    self.identifier = identifier
    unsafe handle = nil
  }

  private init(identifier: String, handle: OpaquePointer) {
    self.identifier = identifier
    unsafe self.handle = handle
  }

  deinit {
    if let handle = unsafe handle { unsafe g_time_zone_unref(handle) }
  }

  /// The zone's offset from UTC at an instant; positive if its clocks are ahead.
  public func offset(at instant: Timestamp) -> Duration {
    .seconds(offsetSeconds(at: instant))
  }

  /// The day that the zone's calendar shows at an instant.
  public func civilDate(of instant: Timestamp) -> CivilDate {
    WallClock(instant, offsetSeconds: offsetSeconds(at: instant)).date
  }

  /// The first instant of a day, usually midnight.
  ///
  /// If clocks are set back over midnight, the first of the two midnights. If they are set forward
  /// over it, the end of the gap.
  public func startOfDay(_ date: CivilDate) -> Timestamp {
    let midnight = date.daysSinceEpoch * 86_400
    let before = offsetSeconds(atSecond: midnight - TimeZoneRules.longestOffset)
    let first = midnight - before
    if offsetSeconds(atSecond: first) == before { return Timestamp(seconds: first) }
    let after = offsetSeconds(atSecond: midnight + TimeZoneRules.longestOffset)
    let second = midnight - after
    if offsetSeconds(atSecond: second) == after { return Timestamp(seconds: second) }
    return Timestamp(seconds: change(from: before, after: second, until: first))
  }

  func offsetSeconds(at instant: Timestamp) -> Int {
    offsetSeconds(atSecond: Int(instant.milliseconds.flooredDivision(by: 1000)))
  }

  private func offsetSeconds(atSecond second: Int) -> Int {
    guard let handle = unsafe handle else { return 0 }
    let interval = unsafe g_time_zone_find_interval(handle, G_TIME_TYPE_UNIVERSAL, second)
    return Int(unsafe g_time_zone_get_offset(handle, interval))
  }

  /// The second at which the offset stops being `offset`. It halves the span between `after` and
  /// `until`.
  private func change(from offset: Int, after: Int, until: Int) -> Int {
    var (low, high) = (after, until)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if offsetSeconds(atSecond: middle) == offset { low = middle } else { high = middle }
    }
    return high
  }

  /// Seconds; more than any zone is ahead of UTC or behind. A change of offset near midnight lies
  /// between the instants at this distance from it.
  private static let longestOffset = 26 * 3600

  /// The longest name that is looked up, in bytes. No name in the database is half as long.
  private static let longestName = 64

  private static let namesOfUTC = ["UTC", "Etc/UTC"]

  /// Whether a text has the form of a zone's name. GLib also takes paths, offsets (`+03:00`) and
  /// POSIX rules (`EST5EDT`). Files of the database that begin with a small letter don't hold a
  /// zone.
  private static func isName(_ identifier: String) -> Bool {
    guard identifier.utf8.count <= longestName,
      let first = identifier.utf8.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
    else { return false }
    let parts = identifier.utf8.split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.allSatisfy({ $0.first.map(isLetter) ?? false }) else { return false }
    return identifier.utf8.allSatisfy { byte in
      isLetter(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "_")
        || (parts.count > 1
          && (isDigit(byte) || byte == ASCIIByte.hyphen || byte == ASCIIByte.plus))
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
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

extension Timestamp {
  fileprivate init(seconds: Int) {
    self.init(milliseconds: Int64(seconds) * 1000)
  }
}
