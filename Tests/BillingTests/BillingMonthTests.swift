import Testing
import Time

@testable import Billing

@Suite struct BillingMonthTests {
  @Test("A month is written YYYY-MM, and nothing else is one")
  func months() throws {
    let month = try #require(BillingMonth("2026-12"))
    #expect(month.description == "2026-12")
    #expect(month.firstDay.description == "2026-12-01" && month.endDay.description == "2027-01-01")
    for text in ["", "2026", "2026-13", "2026-00", "2026-1", "2026-11-01", "2026-11 ", "+026-11"] {
      #expect(BillingMonth(text) == nil, "\(text)")
    }
  }

  @Test("The month of a day is the one that it lies in")
  func containing() throws {
    let day = try #require(CivilDate("2026-11-30"))
    #expect(BillingMonth(containing: day).description == "2026-11")
  }
}
