import Testing
import Time

@Suite struct HTTPDateTests {
  static let cases: [(text: String, instant: String?)] = [
    ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
    ("Thu, 29 Feb 2024 23:59:60 GMT", "2024-03-01T00:00:00Z"),
    ("Wed, 29 Feb 2023 00:00:00 GMT", nil),
    ("Sunday, 06-Nov-94 08:49:37 GMT", nil),
    ("Sun Nov  6 08:49:37 1994", nil),
    ("Sun, 6 Nov 1994 08:49:37 GMT", nil),
    ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
    ("Sun, 06 Nov 1994 08:49:37 UTC", nil),
    ("Sun, 06 Nov 1994 +8:49:37 GMT", nil),
    ("", nil),
  ]

  @Test("A date of HTTP is an instant, or nothing", arguments: cases)
  func reads(_ text: String, _ instant: String?) {
    #expect(Timestamp(httpDate: text) == instant.flatMap { Timestamp(rfc3339: $0) })
  }
}
