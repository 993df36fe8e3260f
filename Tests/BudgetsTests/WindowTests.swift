import Budgets
import Testing
import Time

@Suite("Windows")
struct WindowTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let period: BudgetPeriod
    let zone: String
    let instant: String
    let start: String
    let end: String?

    var testDescription: String { "\(period) in \(zone) at \(instant)" }
  }

  static let newYear = CivilDate(year: 2026, month: 1, day: 1)!

  @Test("The longest window is that of the rule which files, calls and commands name")
  func longestWindow() {
    let days = BudgetPeriod.longestDays
    #expect(BudgetPeriod("\(days)d", anchor: Self.newYear) != nil)
    #expect(BudgetPeriod("\(days + 1)d", anchor: Self.newYear) == nil)
    #expect(BudgetPeriod.allowed.hasSuffix("1d to \(days)d"))
  }

  static let cases: [Case] = [
    Case(
      period: .daily, zone: "UTC", instant: "2026-11-22T00:00:00Z",
      start: "2026-11-22T00:00:00Z", end: "2026-11-23T00:00:00Z"),
    Case(
      period: .daily, zone: "UTC", instant: "2026-11-22T23:59:59.999Z",
      start: "2026-11-22T00:00:00Z", end: "2026-11-23T00:00:00Z"),
    Case(
      period: .daily, zone: "America/Sao_Paulo", instant: "2026-11-22T02:59:59Z",
      start: "2026-11-21T00:00:00-03:00", end: "2026-11-22T00:00:00-03:00"),
    Case(
      period: .daily, zone: "Asia/Kathmandu", instant: "2026-11-21T18:15:00Z",
      start: "2026-11-22T00:00:00+05:45", end: "2026-11-23T00:00:00+05:45"),
    // Clocks go forward over midnight: the day begins at one o'clock.
    Case(
      period: .daily, zone: "America/Sao_Paulo", instant: "2018-11-04T12:00:00Z",
      start: "2018-11-04T01:00:00-02:00", end: "2018-11-05T00:00:00-02:00"),
    Case(
      period: .daily, zone: "Europe/Berlin", instant: "2026-03-29T12:00:00Z",
      start: "2026-03-29T00:00:00+01:00", end: "2026-03-30T00:00:00+02:00"),
    Case(
      period: .daily, zone: "Europe/Berlin", instant: "2026-10-25T12:00:00Z",
      start: "2026-10-25T00:00:00+02:00", end: "2026-10-26T00:00:00+01:00"),
    // At 00:01 the clocks went back to 23:01 of the day before, which does not begin again.
    Case(
      period: .daily, zone: "America/St_Johns", instant: "2010-11-07T03:00:00Z",
      start: "2010-11-07T00:00:00-02:30", end: "2010-11-08T00:00:00-03:30"),
    Case(
      period: .weekly, zone: "UTC", instant: "2026-11-22T10:00:00Z",
      start: "2026-11-16T00:00:00Z", end: "2026-11-23T00:00:00Z"),
    Case(
      period: .weekly, zone: "UTC", instant: "2026-11-23T00:00:00Z",
      start: "2026-11-23T00:00:00Z", end: "2026-11-30T00:00:00Z"),
    Case(
      period: .weekly, zone: "Europe/Berlin", instant: "2026-03-29T12:00:00Z",
      start: "2026-03-23T00:00:00+01:00", end: "2026-03-30T00:00:00+02:00"),
    Case(
      period: .monthly, zone: "America/Sao_Paulo", instant: "2026-12-01T02:59:59Z",
      start: "2026-11-01T00:00:00-03:00", end: "2026-12-01T00:00:00-03:00"),
    Case(
      period: .monthly, zone: "UTC", instant: "2026-12-31T23:59:59Z",
      start: "2026-12-01T00:00:00Z", end: "2027-01-01T00:00:00Z"),
    Case(
      period: .monthly, zone: "UTC", instant: "2028-02-29T00:00:00Z",
      start: "2028-02-01T00:00:00Z", end: "2028-03-01T00:00:00Z"),
    Case(
      period: .days(30, anchor: newYear), zone: "UTC", instant: "2026-01-30T23:59:59Z",
      start: "2026-01-01T00:00:00Z", end: "2026-01-31T00:00:00Z"),
    Case(
      period: .days(30, anchor: newYear), zone: "UTC", instant: "2026-01-31T00:00:00Z",
      start: "2026-01-31T00:00:00Z", end: "2026-03-02T00:00:00Z"),
    Case(
      period: .days(7, anchor: newYear), zone: "UTC", instant: "2025-12-31T10:00:00Z",
      start: "2025-12-25T00:00:00Z", end: "2026-01-01T00:00:00Z"),
    Case(
      period: .days(1, anchor: newYear), zone: "Europe/Berlin", instant: "2026-11-22T10:00:00Z",
      start: "2026-11-22T00:00:00+01:00", end: "2026-11-23T00:00:00+01:00"),
    Case(
      period: .total, zone: "America/Sao_Paulo", instant: "2026-11-22T10:00:00Z",
      start: "1970-01-01T00:00:00Z", end: nil),
  ]

  @Test("A window begins and ends at midnight of its zone", arguments: cases)
  func window(_ row: Case) throws {
    let instant = try #require(Timestamp(rfc3339: row.instant))
    let window = BudgetWindow(of: row.period, containing: instant, in: zone(row.zone))
    #expect(window.start == Timestamp(rfc3339: row.start))
    #expect(window.end == row.end.flatMap { Timestamp(rfc3339: $0) })
    #expect(window.start <= instant && !window.hasEnded(at: instant))
  }

  @Test(
    "Windows follow each other without a gap and contain their instants",
    arguments: [
      "UTC", "America/Sao_Paulo", "America/St_Johns", "Europe/Berlin", "Australia/Lord_Howe",
    ])
  func gapless(_ name: String) throws {
    let periods: [BudgetPeriod] = [.daily, .weekly, .monthly, .days(10, anchor: Self.newYear)]
    let zone = zone(name)
    for period in periods {
      var window = BudgetWindow(
        of: period, containing: Timestamp(milliseconds: 1_280_000_000_000), in: zone)
      for _ in 0..<400 {
        let end = try #require(window.end)
        #expect(window.start < end)
        let next = BudgetWindow(of: period, containing: end, in: zone)
        #expect(next.start == end)
        let last = Timestamp(milliseconds: end.milliseconds - 1)
        #expect(BudgetWindow(of: period, containing: last, in: zone) == window)
        window = next
      }
    }
  }
}

@Suite("Months from a day")
struct AnchoredMonthTests {
  @Test(
    "They begin on that day, or on a shorter month's last",
    arguments: [
      (31, "2026-02-28T12:00:00Z", "2026-02-28", "2026-03-31"),
      (31, "2026-02-27T12:00:00Z", "2026-01-31", "2026-02-28"),
      (31, "2028-03-30T12:00:00Z", "2028-02-29", "2028-03-31"),
      (30, "2026-03-01T00:00:00Z", "2026-02-28", "2026-03-30"),
      (10, "2026-11-10T00:00:00Z", "2026-11-10", "2026-12-10"),
      (10, "2026-11-09T23:59:59Z", "2026-10-10", "2026-11-10"),
      (1, "2026-12-31T23:59:59Z", "2026-12-01", "2027-01-01"),
    ])
  func windows(day: Int, now: String, start: String, end: String) throws {
    let window = BudgetWindow(
      of: .monthsFrom(day: day), containing: try #require(Timestamp(rfc3339: now)), in: .utc)
    #expect(window.start == Timestamp(rfc3339: "\(start)T00:00:00Z"))
    #expect(window.end == Timestamp(rfc3339: "\(end)T00:00:00Z"))
  }

  @Test("They begin at midnight of the zone, also where its clocks change")
  func daylightSaving() throws {
    // New York sets its clocks back on 2026-11-01.
    let window = BudgetWindow(
      of: .monthsFrom(day: 20),
      containing: try #require(Timestamp(rfc3339: "2026-11-10T00:00:00Z")),
      in: zone("America/New_York"))
    #expect(window.start == Timestamp(rfc3339: "2026-10-20T04:00:00Z"))
    #expect(window.end == Timestamp(rfc3339: "2026-11-20T05:00:00Z"))
  }
}
