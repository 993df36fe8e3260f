import Money
import Testing

@testable import Console

@Suite struct BodyTests {
  private func body(_ text: String) throws -> Body {
    try Body(Array(text.utf8), allowed: ["name", "cost", "count"])
  }

  @Test("Nothing at all is an empty object; an absent field and null are told apart")
  func absence() throws {
    #expect(try !body("").has("name"))
    let cleared = try body(#"{"name":null}"#)
    #expect(try cleared.has("name") && cleared.read(BodyField("name", .text)) == nil)
  }

  @Test(
    "What is no object, or has a key twice, is refused",
    arguments: ["[]", "7", #"{"name""#, #"{"name":"a","name":"b"}"#, "\u{feff}{}"])
  func malformed(text: String) {
    let error = #expect(throws: APIError.self) { try body(text) }
    #expect(error?.code == "invalid_json")
  }

  @Test(
    "Money is a decimal in text, never a number, never negative",
    arguments: ["5", "\"-5\"", "\"1e3\"", "\"0.0000000001\"", "\"\""])
  func money(text: String) throws {
    let valid = try body(#"{"cost":"50.5"}"#).read(BodyField("cost", .amount))
    #expect(valid == 50_500_000_000)
    let body = try body("{\"cost\":\(text)}")
    let error = #expect(throws: APIError.self) { try body.read(BodyField("cost", .amount)) }
    #expect(error?.param == "cost")
  }

  @Test("A count is a whole number within its range", arguments: ["0", "11", "1.0", "\"1\""])
  func counts(text: String) throws {
    let body = try body("{\"count\":\(text)}")
    #expect(throws: APIError.self) { try body.read(BodyField("count", .integer(1...10))) }
  }
}
