import Testing
import Time

@Suite struct TimeZoneRulesTests {
  @Test(
    "An instant is shown with the zone's offset",
    arguments: [
      ("UTC", "2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z"),
      ("America/Sao_Paulo", "2026-12-01T03:00:00.999Z", "2026-12-01T00:00:00-03:00"),
      ("America/Sao_Paulo", "2018-12-01T02:00:00Z", "2018-12-01T00:00:00-02:00"),
      ("Europe/Berlin", "2026-07-01T00:00:00Z", "2026-07-01T02:00:00+02:00"),
      ("Europe/Berlin", "2050-07-01T00:00:00Z", "2050-07-01T02:00:00+02:00"),
      ("Europe/Berlin", "2050-12-01T00:00:00Z", "2050-12-01T01:00:00+01:00"),
      ("Europe/London", "2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z"),
      ("Asia/Kathmandu", "2026-12-01T00:00:00Z", "2026-12-01T05:45:00+05:45"),
      ("Australia/Lord_Howe", "2026-12-01T00:00:00Z", "2026-12-01T11:00:00+11:00"),
      ("Australia/Lord_Howe", "2026-07-01T00:00:00Z", "2026-07-01T10:30:00+10:30"),
      ("Etc/GMT+3", "2026-07-01T00:00:00Z", "2026-06-30T21:00:00-03:00"),
    ])
  func text(zone: String, instant: String, shown: String) throws {
    let rules = try #require(TimeZoneRules(identifier: zone))
    let instant = try #require(Timestamp(rfc3339: instant))
    #expect(rules.rfc3339(instant) == shown)
    #expect(rules.identifier == zone)
  }

  @Test("An offset with seconds, from before standard time, is shown as the same instant")
  func secondsInOffset() throws {
    let rules = try #require(TimeZoneRules(identifier: "America/Sao_Paulo"))
    let instant = try #require(Timestamp(rfc3339: "1900-01-01T12:00:00Z"))
    #expect(rules.offset(at: instant) == .seconds(-(3 * 3600 + 6 * 60 + 28)))
    #expect(Timestamp(rfc3339: rules.rfc3339(instant)) == instant)
  }

  @Test(
    "A day begins at midnight, at the first of two, or where the gap ends",
    arguments: [
      ("UTC", "2026-11-01", "2026-11-01T00:00:00Z"),
      ("America/Sao_Paulo", "2026-11-01", "2026-11-01T00:00:00-03:00"),
      // Clocks went from 00:00 to 01:00.
      ("America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00"),
      // Clocks went from 24:00 back to 23:00.
      ("America/Sao_Paulo", "2018-02-18", "2018-02-18T00:00:00-03:00"),
      // Clocks went from 01:00 back to 00:00.
      ("America/Havana", "2026-11-01", "2026-11-01T00:00:00-04:00"),
      // Clocks went from 00:01 back to 23:01.
      ("America/St_Johns", "2010-11-07", "2010-11-07T00:00:00-02:30"),
      ("Europe/Berlin", "2026-03-29", "2026-03-29T00:00:00+01:00"),
      ("Europe/Berlin", "2026-03-30", "2026-03-30T00:00:00+02:00"),
      ("Europe/Berlin", "2026-10-25", "2026-10-25T00:00:00+02:00"),
      ("Asia/Kathmandu", "2026-11-01", "2026-11-01T00:00:00+05:45"),
      // Kathmandu went from 05:30 to 05:45 at midnight.
      ("Asia/Kathmandu", "1986-01-01", "1986-01-01T00:15:00+05:45"),
      ("Australia/Lord_Howe", "2026-04-05", "2026-04-05T00:00:00+11:00"),
      ("Australia/Lord_Howe", "2026-04-06", "2026-04-06T00:00:00+10:30"),
      // The day that Apia never had.
      ("Pacific/Apia", "2011-12-30", "2011-12-31T00:00:00+14:00"),
    ])
  func startOfDay(zone: String, day: String, start: String) throws {
    let rules = try #require(TimeZoneRules(identifier: zone))
    let date = try #require(CivilDate(day))
    #expect(rules.rfc3339(rules.startOfDay(date)) == start)
  }

  @Test(
    "The start of a day is in the day, and the millisecond before is not",
    arguments: [
      "America/Sao_Paulo", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC",
      "America/New_York", "Pacific/Kiritimati", "Africa/Casablanca", "Asia/Tehran",
    ])
  func daysPartition(zone: String) throws {
    let rules = try #require(TimeZoneRules(identifier: zone))
    var date = try #require(CivilDate("2015-01-01"))
    let end = try #require(CivilDate("2045-01-01"))
    while date < end {
      let start = rules.startOfDay(date)
      #expect(rules.civilDate(of: start) == date)
      #expect(rules.civilDate(of: start.advanced(by: .milliseconds(-1))) == date.adding(days: -1))
      date = date.adding(days: 1)
    }
  }

  @Test(
    "What isn't a zone of the database is refused",
    arguments: [
      "", "/", "Mars/X", "Mars/X5", "../../etc/passwd", "/etc/localtime", "America/", "America",
      "America//Sao_Paulo", "America/../UTC", ":UTC", "+03:00", "-03", "ABC5", "EST5EDT4",
      "UTC+3", "zone.tab", "tzdata.zi", "leapseconds", "posixrules", "right/Europe/Berlin",
      "Europe/Berlin\0x",
      "Europe/Berlin ", "europe/berlin", String(repeating: "a/", count: 400),
    ])
  func refused(identifier: String) {
    #expect(TimeZoneRules(identifier: identifier) == nil)
  }

  @Test("Rules of the same zone are equal, and may be shared between tasks")
  func shared() async throws {
    let rules = try #require(TimeZoneRules(identifier: "Europe/Berlin"))
    #expect(rules == TimeZoneRules(identifier: "Europe/Berlin"))
    #expect(rules != .utc)
    let instant = Timestamp(milliseconds: 1_795_332_600_123)
    let shown = await withTaskGroup(of: String.self) { group in
      for _ in 0..<8 { group.addTask { rules.rfc3339(instant) } }
      return await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(shown == ["2026-11-22T08:30:00+01:00"])
  }
}
