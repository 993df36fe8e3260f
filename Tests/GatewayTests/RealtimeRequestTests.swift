import Testing

@testable import Gateway

@Suite("The query of a session")
struct RealtimeRequestTests {
  @Test(
    "The model is the one parameter of that name",
    arguments: ["model=gpt-realtime", "a=b&model=gpt-realtime", "model=gpt-realtime&x_1-y=%20"])
  func model(query: String) throws {
    #expect(try RealtimeRequest.model(in: query) == "gpt-realtime")
  }

  @Test(
    "A query that readers could take for two models is refused",
    arguments: [
      "", "model", "model=", "model=a&model=b", "model=a&model=a", "Model=a", "MODEL=a",
      "model=a&Model=b", "model=a&MODEL=b", "model=a&mod%65l=b", "model=a&model[]=b",
      "model=a&model%5B%5D=b", "model=a&mod+el=b", "model=a;model=b", "model=a&model.x=b",
      "model=a%62", "model=a+b", "model=a&call_id=c", "model=a&Call_ID=c", "intent=transcription",
      "model=a&INTENT=transcription",
    ])
  func ambiguous(query: String) {
    #expect(throws: (any Error).self) { try RealtimeRequest.model(in: query) }
  }
}
