import HTTP
import Testing
import Time

@testable import Telemetry

@Suite struct TracerTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let span = "b7ad6b7169203331"

  private static func tracer(capacity: Int = 4) -> (Tracer, SpanQueue) {
    let queue = SpanQueue(capacity: capacity, batchSize: 2)
    return (Tracer(.parentBasedAlwaysOn, queue), queue)
  }

  private static func fields(_ pairs: (FieldName, String)...) throws -> HeaderFields {
    var fields = HeaderFields()
    for (name, value) in pairs { try fields.append(name, value) }
    return fields
  }

  private static func span(_ id: String) -> RequestSpan {
    RequestSpan(
      at: tracer().0.begin(HeaderFields()), start: Timestamp(milliseconds: 0), method: .get,
      path: SpanText("/"), requestID: id)
  }

  @Test("A caller's trace goes on, with a span of its own")
  func continued() throws {
    let fields = try TracerTests.fields(
      (.traceparent, "00-\(TracerTests.trace)-\(TracerTests.span)-01"),
      (.tracestate, "a=1"), (.tracestate, "b=2"))
    let position = TracerTests.tracer().0.begin(fields)
    #expect(position.context.traceText == TracerTests.trace)
    #expect(position.context.spanText != TracerTests.span)
    #expect(position.parentID.map(TraceContext.hexadecimal) == TracerTests.span)
    #expect(position.traceState?.text == "a=1,b=2")
    #expect(position.isSampled && position.continuesCaller)
  }

  @Test("Without one traceparent that holds, a trace begins, and no tracestate goes on")
  func begun() throws {
    let valid = "00-\(TracerTests.trace)-\(TracerTests.span)-01"
    for fields in [
      try TracerTests.fields((.tracestate, "a=1")),
      try TracerTests.fields((.traceparent, "nonsense"), (.tracestate, "a=1")),
      try TracerTests.fields((.traceparent, valid), (.traceparent, valid), (.tracestate, "a=1")),
    ] {
      let position = TracerTests.tracer().0.begin(fields)
      #expect(position.context.traceText != TracerTests.trace)
      #expect(position.parentID == nil && position.traceState == nil)
      #expect(position.isSampled && !position.continuesCaller)
    }
  }

  @Test("What a full queue can't take is dropped, and counted")
  func full() {
    let (tracer, queue) = TracerTests.tracer(capacity: 3)
    for number in 1...5 { tracer.record(TracerTests.span("\(number)")) }
    #expect(tracer.droppedSpans == 2)
    #expect(queue.takeBatch().map(\.requestID) == ["1", "2"])
    #expect(queue.takeBatch().map(\.requestID) == ["3"])
    #expect(queue.takeBatch().isEmpty)
    tracer.record(TracerTests.span("6"))
    #expect(queue.takeBatch().map(\.requestID) == ["6"])
    #expect(tracer.droppedSpans == 2)
  }

  @Test("A long text is cut between characters' scalars")
  func texts() {
    #expect(SpanText(String(repeating: "a", count: 256)).text.utf8.count == 256)
    #expect(SpanText(String(repeating: "a", count: 257)).text.utf8.count == 256)
    #expect(SpanText("a" + String(repeating: "€", count: 100)).text.utf8.count == 256)
    #expect(SpanText(String(repeating: "😀", count: 100) + "x").text.utf8.count == 256)
    #expect(SpanText("aa" + String(repeating: "é", count: 200)).text.hasSuffix("é"))
  }

  @Test("Pauses double and vary, and a receiver's wish is read")
  func backoff() {
    var generator = SystemRandomNumberGenerator()
    for (attempts, whole) in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (9, 16), (1000, 16)] {
      let pause = ExportBackoff.pause(after: attempts, using: &generator)
      #expect((.seconds(whole) / 2 ... .seconds(whole)).contains(pause))
    }
    #expect(ExportBackoff.pause(retryAfter: "3") == .seconds(3))
    #expect(ExportBackoff.pause(retryAfter: "9999999999") == .seconds(86_400))
    for text in [nil, "", "-1", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"] {
      #expect(ExportBackoff.pause(retryAfter: text) == nil)
    }
  }
}
