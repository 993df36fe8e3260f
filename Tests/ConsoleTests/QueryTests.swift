import Testing
import Time

@testable import Console

@Suite struct QueryTests {
  private func query(_ text: String?) throws -> Query {
    try Query(text, allowed: ["client", "limit", "from"].map { QueryParameter($0, "") })
  }

  @Test("Escapes and plus signs are decoded")
  func decodes() throws {
    #expect(try query("client=a%20b+c%C3%A7").text("client") == "a b cç")
    #expect(try query(nil).text("client") == nil)
  }

  @Test(
    "What isn't allowed names its parameter",
    arguments: [
      ("colour=red", "colour", "unknown_field"), ("client=a&client=b", "client", "invalid_value"),
      ("client=%ff", "client", "invalid_value"), ("client=%4", "client", "invalid_value"),
    ])
  func refused(text: String, param: String, code: String) {
    let error = #expect(throws: APIError.self) { try query(text) }
    #expect(error?.param == param && error?.code == code)
  }

  @Test(
    "A whole number has one spelling, within its range", arguments: ["0", "1001", "01", "+1", ""])
  func numbers(text: String) throws {
    #expect(try query("limit=1000").limit() == 1000)
    let query = try query("limit=\(text)")
    #expect(throws: APIError.self) { try query.limit() }
  }

  @Test("A date begins where the client lives")
  func dates() throws {
    let zone = try #require(TimeZoneRules(identifier: "America/Sao_Paulo"))
    let midnight = Timestamp(rfc3339: "2026-11-01T00:00:00-03:00")
    #expect(try query("from=2026-11-01").moment("from", in: zone) == midnight)
    #expect(try query("from=2026-11-01T00:00:00-03:00").moment("from", in: .utc) == midnight)
    #expect(throws: APIError.self) { try query("from=today").moment("from", in: zone) }
  }
}
