import Testing

@testable import catraca

@Suite struct ArgumentParsingTests {
  private static let model = Parameter(
    "model", ArgumentFormat<String>.text("MODEL"), "a model", isRequired: true)
  private static let count = Parameter(
    "count", ArgumentFormat<Int64>.integer(1...9), "a count", default: "3")
  private static let client = Parameter(
    "client", ArgumentFormat<String>.name("C"), "a client", isRequired: true)
  private static let fast = Parameter.flag("fast", "at once")

  private static let command = Command(
    "price", "a command", arguments: [model], options: [count, client, fast]
  ) { _ throws(CommandError) in CommandOutcome(.nothing) }

  struct Accepted: Sendable, CustomTestStringConvertible {
    var line: String
    var model = "m"
    var count: Int64 = 3
    var client = "acme"
    var fast = false
    var testDescription: String { line }
  }

  @Test(
    "Options may stand anywhere, with a space or an equals sign before the value",
    arguments: [
      Accepted(line: "m --client acme"),
      Accepted(line: "--client acme m"),
      Accepted(line: "m --client=acme --count=9", count: 9),
      Accepted(line: "--fast m --client acme", fast: true),
      Accepted(line: "--client acme -- --m", model: "--m"),
      Accepted(line: "--client acme -", model: "-"),
      Accepted(line: "--client=acme -- -- ", model: "--"),
    ])
  func accepts(_ expected: Accepted) throws {
    let words = expected.line.split(separator: " ").map { String($0) }
    let values = try ArgumentParser.parse(words, for: Self.command)
    #expect(values[Self.model] == expected.model)
    #expect(values[Self.count] == expected.count)
    #expect(values[Self.client] == expected.client)
    #expect(values.isSet(Self.fast) == expected.fast)
  }

  @Test(
    "What can't be meant is refused, with what is allowed",
    arguments: [
      ("--client acme", "MODEL is missing"),
      ("m", "--client C is missing"),
      ("m n --client acme", "'n' is one argument too many"),
      ("m --client acme --cleint b", "there is no option --cleint; did you mean --client?"),
      ("m --client acme --zzzzzz", "there is no option --zzzzzz"),
      ("m --client acme -x", "there is no option -x"),
      ("m --client", "--client C needs a value"),
      ("m --client --fast", "--client C needs a value"),
      ("m --client acme --client b", "--client C is given twice; allowed: once"),
      ("m --client acme --fast=yes", "--fast takes no value"),
      (
        "m --client acme --count 10",
        "--count N: '10' is not valid; allowed: a whole number from 1 to 9"
      ),
      (
        "m --client acme --count=",
        "--count N: '' is not valid; allowed: a whole number from 1 to 9"
      ),
      (
        "m --client acme --count +5",
        "--count N: '+5' is not valid; allowed: a whole number from 1 to 9"
      ),
    ])
  func refuses(line: String, message: String) {
    let words = line.split(separator: " ").map { String($0) }
    let error = #expect(throws: UsageError.self) {
      try ArgumentParser.parse(words, for: Self.command)
    }
    #expect(error?.description == message)
  }

  @Test(
    "A time to look back has a unit, and is no longer than ten years",
    arguments: [
      ("30s", Duration.seconds(30)), ("30m", .seconds(1800)), ("6h", .seconds(21600)),
      ("7d", .seconds(604_800)), ("3660d", .seconds(316_224_000)), ("7", nil), ("d", nil),
      ("0d", nil), ("-1d", nil), ("1.5h", nil), ("3661d", nil), ("9223372036854775807d", nil),
    ])
  func readsLookback(text: String, duration: Duration?) {
    #expect(ArgumentFormat<Duration>.lookback.parse(text) == duration)
  }

  @Test("A list is refused as a whole when one of its items is wrong")
  func readsLists() {
    let format = ArgumentFormat<[Int64]>.list(of: .integer(1...9))
    #expect(format.parse("1,2,9") == [1, 2, 9])
    #expect(format.parse("1,,2") == nil)
    #expect(format.parse("1,10") == nil)
    #expect(format.parse("") == nil)
  }
}
