import Budgets
import Testing
import Time

@testable import Alerts

@Suite("How many messages about a budget's subjects go out in a minute")
struct AlertPaceTests {
  private let budget = BudgetID(client: "acme", name: "users")
  private let start = Timestamp(rfc3339: "2026-11-22T07:30:00Z")!

  private func later(_ seconds: Int64) -> Timestamp { start.advanced(by: .seconds(seconds)) }

  @Test("A few are told one by one at once; further ones wait for the minute's end, in one message")
  func fewThenMany() {
    var pace = AlertPace()
    let end = later(60)
    #expect(pace.decide(1, of: budget, at: start) == .oneByOne)
    #expect(pace.decide(2, of: budget, at: later(1)) == .oneByOne)
    #expect(pace.decide(1, of: budget, at: later(2)) == .later(end))
    #expect(pace.decide(2_997, of: budget, at: later(59)) == .later(end))
    #expect(pace.decide(2_997, of: budget, at: end) == .together)
    #expect(pace.decide(1, of: budget, at: later(61)) == .later(later(120)))
    #expect(pace.decide(1, of: budget, at: later(120)) == .oneByOne)
  }

  @Test("Very many at once are one message at once")
  func manyAtOnce() {
    var pace = AlertPace()
    #expect(pace.decide(40, of: budget, at: start) == .together)
    #expect(pace.decide(1, of: budget, at: later(1)) == .later(later(60)))
  }

  @Test("Budgets don't wait for each other, and a clock that is set back makes nobody wait")
  func apart() {
    var pace = AlertPace()
    #expect(pace.decide(40, of: budget, at: start) == .together)
    let other = BudgetID(client: "acme", name: "conversations")
    #expect(pace.decide(1, of: other, at: start) == .oneByOne)
    #expect(pace.decide(1, of: budget, at: later(-10)) == .oneByOne)
  }

  @Test("A minute that is over is forgotten, and one that is not is kept")
  func forgets() {
    var pace = AlertPace()
    _ = pace.decide(3, of: budget, at: start)
    pace.forget(at: later(59))
    #expect(pace.decide(1, of: budget, at: later(59)) == .later(later(60)))
    pace.forget(at: later(60))
    #expect(pace.decide(1, of: budget, at: later(60)) == .oneByOne)
  }
}
