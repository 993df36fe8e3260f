import HTTP
import HTTPServer
import Testing

@testable import Console

@Suite("Figures of refusals and answers")
struct RefusalFigureTests {
  @Test(
    "The amount that a page offers to add is the next with at most two digits",
    arguments: [
      (0, 0), (1, 1), (99, 99), (100, 100), (101, 110), (4_213, 4_300), (99_001, 100_000),
      (1 << 60, 1_200_000_000_000_000_000), (.max, .max), (.max - 1, .max - 1),
    ] as [(Int64, Int64)])
  func rounded(amount: Int64, expected: Int64) {
    #expect(RaiseButton.rounded(amount) == expected)
  }

  @Test("An answer of no status that HTTP has can't be used", arguments: [Int.min, 0, 99, 1000])
  func wrongStatus(status: Int) {
    #expect(Answer(status: status, body: []).httpAnswer.head.status == 503)
  }

  @Test(
    "An answer whose field HTTP doesn't allow is a 400 without that field",
    arguments: ["a\u{7F}", "a\r\nset-cookie: x=1", String(repeating: "a", count: 2 << 20)])
  func unsendable(value: String) {
    var answer = Answer(status: 303, body: [])
    answer.fields = [("location", value)]
    #expect(answer.httpAnswer.head.status == 400)
    #expect(!answer.httpAnswer.head.fields.contains("location"))
  }
}
