import JSON
import Pricing
import Testing

@testable import Metering

@Suite("The memory of containers is found where a request or an answer says it")
struct ContainersTests {
  private static let tools: [(tools: String, price: String)] = [
    (#"{"type":"code_interpreter"}"#, "container 1g"),
    (#"{"type":"code_interpreter","container":null}"#, "container 1g"),
    (#"{"type":"code_interpreter","container":{"type":"auto"}}"#, "container 1g"),
    (
      #"{"type":"code_interpreter","container":{"type":"auto","memory_limit":null}}"#,
      "container 1g"
    ),
    (
      #"{"type":"code_interpreter","container":{"type":"auto","memory_limit":"16g"}}"#,
      "container 16g"
    ),
    (
      #"{"type":"code_interpreter","container":{"type":"auto","memory_limit":16}}"#, "container "
    ),
    (#"{"type":"code_interpreter","container":"cntr_1"}"#, "container "),
    (
      #"{"type":"code_interpreter","container":{"type":"auto","memory_limit":"4g"}},"#
        + #"{"type":"code_interpreter","container":{"type":"auto","memory_limit":"1g"}}"#,
      "container "
    ),
    (
      #"{"type":"namespace","tools":[{"type":"code_interpreter","container":"#
        + #"{"type":"auto","memory_limit":"4g"}}]}"#, "container 4g"
    ),
  ]

  @Test("a request says it, by its tools", arguments: tools)
  func request(tools: String, price: String) throws {
    let facts = try RequestFacts.read(
      Array(#"{"model":"m","input":"","tools":[\#(tools)]}"#.utf8), endpoint: Endpoints.responses,
      parser: JSONParser())
    #expect(facts.containers.interpreter == price)
    let body = #"{"output":[{"type":"code_interpreter_call","container_id":"a"}]}"#
    let report = AnswerMeter.read(
      Array(body.utf8), to: facts, endpoint: Endpoints.responses, parser: JSONParser())
    #expect(report.extraCalls.map(\.surcharge) == [price])
  }

  @Test("an answer to a request that isn't known any more says it", arguments: tools)
  func answer(tools: String, price: String) {
    var facts = RequestFacts(operation: .responses, model: "m")
    facts.isBackground = true
    let item = #"{"type":"code_interpreter_call","container_id":"a"}"#
    let report = AnswerMeter.read(
      Array(#"{"output":[\#(item)],"tools":[\#(tools)]}"#.utf8), to: facts,
      endpoint: Endpoints.responses, parser: JSONParser())
    #expect(report.extraCalls.map(\.surcharge) == [price])
  }

  @Test(
    "a shell is hosted where its environment isn't the app's",
    arguments: [
      ("", "container 1g"), (#","environment":{"type":"local"}"#, nil),
      (#","environment":{"type":"container_auto","memory_limit":"64g"}"#, "container 64g"),
      (#","environment":{"type":"container_reference","container_id":"c"}"#, "container "),
    ] as [(String, String?)])
  func shell(environment: String, price: String?) throws {
    let facts = try RequestFacts.read(
      Array(#"{"model":"m","tools":[{"type":"shell"\#(environment)}]}"#.utf8),
      endpoint: Endpoints.responses, parser: JSONParser())
    #expect(facts.callSurcharges == (price.map { [$0] } ?? []))
  }

  @Test("a memory that could be read in two ways is refused")
  func doubtful() {
    let container = #"{"type":"auto","memory_limit":"1g","memory_limit":"64g"}"#
    #expect(throws: MeteringError.self) {
      try RequestFacts.read(
        Array(
          #"{"model":"m","tools":[{"type":"code_interpreter","container":\#(container)}]}"#.utf8),
        endpoint: Endpoints.responses, parser: JSONParser())
    }
  }
}
