import Budgets
import Testing
import Time

@testable import Console

@Suite struct ForecastTests {
  /// Ten seconds, of which four have passed.
  private let window = BudgetWindow(
    start: Timestamp(milliseconds: 0), end: Timestamp(milliseconds: 10_000))
  private let now = Timestamp(milliseconds: 4000)

  private func recent(since start: Int64, tokens: Int64, nanoUnits: Int64 = 0) -> RecentUse {
    RecentUse(since: Timestamp(milliseconds: start), tokens: tokens, nanoUnits: nanoUnits)
  }

  @Test("Use goes on to the period's end as it was in the period so far")
  func extrapolates() {
    let forecast = Forecast(
      window: window, now: now, lately: recent(since: 0, tokens: 400, nanoUnits: 40),
      tokens: (used: 400, limit: 800), nanoUnits: (used: 40, limit: nil))
    #expect(forecast?.tokens == 1000 && forecast?.nanoUnits == 100)
    #expect(forecast?.exhaustedAt == Timestamp(milliseconds: 8000))
  }

  @Test("Use goes on from what was used lately, not from what was used before")
  func goesOnFromRecentUse() {
    let forecast = Forecast(
      window: window, now: now, lately: recent(since: 3000, tokens: 10),
      tokens: (used: 400, limit: 450), nanoUnits: (used: 0, limit: nil))
    #expect(forecast?.tokens == 460)
    #expect(forecast?.exhaustedAt == Timestamp(milliseconds: 9000))
  }

  @Test("Without recent use what is used stays, and the limit lasts")
  func rests() {
    let forecast = Forecast(
      window: window, now: now, lately: recent(since: 3000, tokens: 0),
      tokens: (used: 400, limit: 401), nanoUnits: (used: 7, limit: nil))
    #expect(forecast?.tokens == 400 && forecast?.nanoUnits == 7)
    #expect(forecast?.exhaustedAt == nil)
  }

  @Test("A limit that lasts has no end")
  func lasts() {
    let forecast = Forecast(
      window: window, now: now, lately: recent(since: 0, tokens: 400),
      tokens: (used: 400, limit: 1001), nanoUnits: (used: 0, limit: 5))
    #expect(forecast != nil && forecast?.exhaustedAt == nil)
  }

  @Test("A limit that is used up is so now")
  func isUsedUp() {
    let forecast = Forecast(
      window: window, now: now, lately: recent(since: 0, tokens: 0),
      tokens: (used: 400, limit: 400), nanoUnits: (used: 0, limit: nil))
    #expect(forecast?.exhaustedAt == now)
  }

  @Test("Without use there is no forecast")
  func unused() {
    let forecast = Forecast(
      window: window, now: now, lately: recent(since: 0, tokens: 0),
      tokens: (used: 0, limit: 1), nanoUnits: (used: 0, limit: 1))
    #expect(forecast == nil)
  }

  @Test("The largest figures that there are trap nowhere")
  func absurd() {
    let forecast = Forecast(
      window: BudgetWindow(start: Timestamp(milliseconds: 0), end: nil),
      now: Timestamp(milliseconds: .max), lately: recent(since: 0, tokens: 1, nanoUnits: .max),
      tokens: (used: 1, limit: .max), nanoUnits: (used: .max, limit: 1))
    #expect(forecast?.tokens == nil)
  }
}
