import Budgets
import Testing
import Time

@testable import Console

@Suite struct ForecastTests {
  /// Ten seconds, of which four have passed.
  private let window = BudgetWindow(
    start: Timestamp(milliseconds: 0), end: Timestamp(milliseconds: 10_000))
  private let now = Timestamp(milliseconds: 4000)

  @Test("Use goes on to the period's end as it was so far")
  func extrapolates() {
    let forecast = Forecast(
      window: window, now: now, tokens: (used: 400, limit: 800), nanoUnits: (used: 40, limit: nil))
    #expect(forecast?.tokens == 1000 && forecast?.nanoUnits == 100)
    #expect(forecast?.exhaustedAt == Timestamp(milliseconds: 8000))
  }

  @Test("A limit that lasts has no end")
  func lasts() {
    let forecast = Forecast(
      window: window, now: now, tokens: (used: 400, limit: 1001), nanoUnits: (used: 0, limit: 5))
    #expect(forecast != nil && forecast?.exhaustedAt == nil)
  }

  @Test("Without use there is no forecast")
  func unused() {
    let forecast = Forecast(
      window: window, now: now, tokens: (used: 0, limit: 1), nanoUnits: (used: 0, limit: 1))
    #expect(forecast == nil)
  }

  @Test("The largest figures that there are trap nowhere")
  func absurd() {
    let forecast = Forecast(
      window: BudgetWindow(start: Timestamp(milliseconds: 0), end: nil),
      now: Timestamp(milliseconds: .max), tokens: (used: 1, limit: .max),
      nanoUnits: (used: .max, limit: 1))
    #expect(forecast?.tokens == nil)
  }
}
