import JSON
import Pricing
import Testing

@testable import Metering

@Suite("Work that a provider goes on with after its answer")
struct ProviderWorkTests {
  private func report(_ body: String, isBackground: Bool = true) -> UsageReport {
    var facts = RequestFacts(operation: .responses, model: "m")
    facts.isBackground = isBackground
    return AnswerMeter.read(
      Array(body.utf8), to: facts, endpoint: Endpoints.responses, parser: JSONParser())
  }

  @Test(
    "its status says how far it is",
    arguments: [
      ("queued", .underway), ("in_progress", .underway), ("validating", .underway),
      ("finalizing", .underway), ("cancelling", .underway), ("completed", .ended(.completed)),
      ("incomplete", .ended(.completed)), ("failed", .ended(.failed)),
      ("cancelled", .ended(.cancelled)), ("expired", .ended(.expired)),
    ] as [(String, ProviderWork.Stage)])
  func stages(_ status: String, _ stage: ProviderWork.Stage) {
    let work = report(#"{"id":"resp_1","status":"\#(status)","usage":null}"#).work
    #expect(work?.id == "resp_1")
    #expect(work?.stage == stage)
  }

  @Test(
    "without an id that can stand in a path, or a known status, there is none",
    arguments: [
      #"{"status":"queued"}"#, #"{"id":"a/b","status":"queued"}"#,
      #"{"id":"..","status":"queued"}"#,
      #"{"id":"","status":"queued"}"#, #"{"id":"a?b","status":"queued"}"#, #"{"id":"a"}"#,
      #"{"id":"a","status":"elsewhere"}"#, #"{"id":7,"status":"queued"}"#,
    ])
  func unknown(_ body: String) {
    #expect(report(body).work == nil)
  }

  @Test("an answer to a request that waits for it has none")
  func foreground() {
    #expect(report(#"{"id":"r","status":"in_progress"}"#, isBackground: false).work == nil)
  }

  @Test("the end has the usage, the beginning none")
  func usage() {
    #expect(report(#"{"id":"r","status":"queued","usage":null}"#).usage == nil)
    let end = report(
      #"{"id":"r","status":"completed","usage":{"input_tokens":30,"output_tokens":2100}}"#)
    #expect(end.usage?.totalTokens == 2130)
    #expect(!end.isError)
  }

  @Test(
    "the paths that may show a response's end name it",
    arguments: [
      ("/v1/responses/resp_1", "resp_1"), ("/v1/responses/resp_1/cancel", "resp_1"),
      ("/v1/responses/resp_1/input_items", nil), ("/v1/responses", nil), ("/v1/files/f", nil),
    ] as [(String, String?)])
  func paths(_ path: String, _ id: String?) {
    #expect(Endpoints.responseID(inPath: path) == id)
  }
}
