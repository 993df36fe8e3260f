import Randomness
import Testing
import Time

@testable import Ledger

@Suite struct RequestIDTests {
  @Test("An id's text is lower-case hex with dashes, of version 7, and reads back")
  func textReadsBack() throws {
    var generator = RequestIDGenerator()
    var random = SplitMix64(seed: 1)
    let id = generator.next(at: Sample.admitted, using: &random)
    let text = id.description
    #expect(RequestID(text) == id)
    #expect(text.utf8.count == 36)
    #expect(text.hasPrefix("01a20229-713b-"))
    #expect(Array(text.utf8)[14] == UInt8(ascii: "7"))
    #expect("89ab".utf8.contains(Array(text.utf8)[19]))
  }

  @Test(
    "Text that is not an id is refused",
    arguments: [
      "", "019aab6e", "019AAB6E-3c1b-7000-8000-5f2d8a90b1c3",
      "019aab6e-3c1b-7000-8000-5f2d8a90b1cg", "019aab6e03c1b-7000-8000-5f2d8a90b1c3",
      "019aab6e-3c1b-7000-8000-5f2d8a90b1c34", "-19aab6e-3c1b-7000-8000-5f2d8a90b1c3",
    ])
  func otherTextIsRefused(text: String) {
    #expect(RequestID(text) == nil)
  }

  @Test("Ids ascend within a millisecond, when it overflows, and when the clock steps back")
  func idsAscend() {
    var generator = RequestIDGenerator()
    var random = SplitMix64(seed: 2)
    var last = generator.next(at: Sample.admitted, using: &random)
    for number in 0..<10_000 {
      let now = Sample.admitted.advanced(by: .milliseconds(number % 3 == 0 ? -1000 : 0))
      let next = generator.next(at: now, using: &random)
      #expect(last < next)
      last = next
    }
  }

  @Test("The parts of a request have ids of their own, always the same")
  func parts() throws {
    let whole = try #require(RequestID("019aab6e-3c1b-7000-bfff-ffffffffffff"))
    let parts = (1...3).map { whole.part($0) }
    #expect(Set(parts + [whole]).count == 4)
    #expect(parts == (1...3).map { whole.part($0) })
    #expect(parts[0].description == "019aab6e-3c1b-7000-8000-000000000000")
  }
}
