import Testing
import Time

@Suite struct CivilDateTests {
  @Test(
    "A day has its number, its weekday and its text",
    arguments: [
      ("1970-01-01", 0, 4), ("1969-12-31", -1, 3), ("2000-02-29", 11_016, 2),
      ("2026-11-22", 20_779, 7), ("2026-11-23", 20_780, 1), ("1900-03-01", -25_508, 4),
      ("0001-01-01", -719_162, 1), ("9999-12-31", 2_932_896, 5),
    ])
  func known(text: String, number: Int, weekday: Int) throws {
    let date = try #require(CivilDate(text))
    #expect(date.daysSinceEpoch == number)
    #expect(date.weekday == weekday)
    #expect(CivilDate(daysSinceEpoch: number) == date)
    #expect(date.description == text)
  }

  @Test("Numbers and days correspond one to one over the whole calendar")
  func wholeCalendar() {
    var previous = CivilDate.first
    for number in (CivilDate.first.daysSinceEpoch + 1)...CivilDate.last.daysSinceEpoch {
      let date = CivilDate(daysSinceEpoch: number)
      let isNextDay =
        date.day == previous.day + 1
        ? (date.year, date.month) == (previous.year, previous.month)
        : date.day == 1 && date.year * 12 + date.month == previous.year * 12 + previous.month + 1
      guard isNextDay, date.daysSinceEpoch == number,
        CivilDate(year: date.year, month: date.month, day: date.day) == date
      else {
        Issue.record("\(previous) is followed by \(date)")
        return
      }
      previous = date
    }
    #expect(previous == .last)
  }

  @Test(
    "What no calendar has is refused",
    arguments: [
      "", "2026-11", "2026-13-01", "2026-00-01", "2026-02-29", "1900-02-29", "2026-11-31",
      "2026-11-1", "2026-11-01 ", "0000-01-01", "-001-01-01", "2026/11/01", "20261101",
    ])
  func refused(text: String) {
    #expect(CivilDate(text) == nil)
  }

  @Test(
    "Months are added with the day held within the month",
    arguments: [
      ("2026-01-31", 1, "2026-02-28"), ("2028-01-31", 1, "2028-02-29"),
      ("2026-12-15", 1, "2027-01-15"), ("2026-01-15", -1, "2025-12-15"),
      ("2026-03-31", -13, "2025-02-28"), ("2026-05-31", 0, "2026-05-31"),
      ("9999-12-01", 1, "9999-12-31"), ("0001-01-05", -1, "0001-01-01"),
      ("2026-01-01", Int.max, "9999-12-31"), ("2026-01-01", Int.min, "0001-01-01"),
    ])
  func months(text: String, months: Int, result: String) {
    #expect(CivilDate(text)?.adding(months: months).description == result)
  }

  @Test(
    "Days are added over months and years, and end with the calendar",
    arguments: [
      ("2026-12-31", 1, "2027-01-01"), ("2028-02-28", 1, "2028-02-29"),
      ("2026-01-01", -1, "2025-12-31"), ("2026-01-01", 30, "2026-01-31"),
      ("2026-01-01", Int.max, "9999-12-31"), ("1969-01-01", Int.min, "0001-01-01"),
      ("2026-01-01", Int.min, "0001-01-01"), ("2026-01-01", 1 << 40, "9999-12-31"),
    ])
  func days(text: String, days: Int, result: String) {
    #expect(CivilDate(text)?.adding(days: days).description == result)
  }
}
