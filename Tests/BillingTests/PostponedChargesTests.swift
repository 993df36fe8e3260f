import Billing
import Testing
import Time

@Suite("Lines about charges that couldn't be tried")
struct PostponedChargesTests {
  private let start = Timestamp(rfc3339: "2026-11-05T12:00:00Z")!

  private func second(_ seconds: Int64) -> Timestamp { start.advanced(by: .seconds(seconds)) }

  @Test("One a minute is written, with the number of the others")
  func gathered() {
    var charges = PostponedCharges()
    #expect(charges.note(at: start) == 0)
    for number in 0..<50_000 { #expect(charges.note(at: second(Int64(number % 60))) == nil) }
    #expect(charges.note(at: second(60)) == 50_000)
    #expect(charges.note(at: second(120)) == 0)
  }

  @Test("Those that nothing follows are told a minute later, once")
  func rest() {
    var charges = PostponedCharges()
    #expect(charges.rest(at: start) == nil)
    _ = charges.note(at: start)
    #expect(charges.rest(at: second(70)) == nil)
    _ = charges.note(at: second(71))
    #expect(charges.note(at: second(72)) == nil)
    #expect(charges.rest(at: second(73)) == nil)
    #expect(charges.rest(at: second(131)) == 1)
    #expect(charges.rest(at: second(999)) == nil)
  }

  @Test("A clock that is set back silences nothing")
  func setBack() {
    var charges = PostponedCharges()
    _ = charges.note(at: second(3600))
    #expect(charges.note(at: start) == 0)
  }
}
