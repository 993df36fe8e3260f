import Testing

@testable import Telemetry

@Suite struct TraceContextTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let span = "b7ad6b7169203331"

  @Test(
    "A traceparent is taken",
    arguments: [
      ("00-\(trace)-\(span)-01", true), ("00-\(trace)-\(span)-00", false),
      ("00-\(trace)-\(span)-ff", true), ("00-\(trace)-\(span)-02", false),
      ("cc-\(trace)-\(span)-01", true), ("cc-\(trace)-\(span)-01-what-comes-later", true),
      ("00-00000000000000000000000000000001-0000000000000001-01", true),
    ])
  func taken(text: String, isSampled: Bool) throws {
    let context = try #require(TraceContext(traceparent: text))
    #expect(context.isSampled == isSampled)
    #expect(context.traceparent.dropFirst(2).dropLast(2) == text.dropFirst(2).prefix(51))
  }

  @Test(
    "What isn't a traceparent is ignored",
    arguments: [
      "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-1",
      "00-\(trace)-\(span)-001", "00-\(trace)-\(span)-01-", "00-\(trace)-\(span)-01-more",
      "ff-\(trace)-\(span)-01", "0-\(trace)-\(span)-01", "000-\(trace)-\(span)-01",
      "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
      "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span.uppercased())-01",
      "00-\(trace)-\(span)-0G", "00-\(trace.dropLast())-\(span)-01",
      "00-\(trace)0-\(span)-01", "00-\(trace)-\(span)0-01", "00-\(trace)-\(span.dropLast())-01",
      "00-\(trace.dropLast())+-\(span)-01", "00-\(trace.dropLast(2))é-\(span)-01",
      " 00-\(trace)-\(span)-01", "00-\(trace)-\(span)-01 ", "00-\(trace)-\(span)-01,",
      "cc-\(trace)-\(span)-01.more", "00_\(trace)_\(span)_01",
    ])
  func ignored(text: String) {
    #expect(TraceContext(traceparent: text) == nil)
  }

  @Test("Ids keep their leading zeros")
  func zeros() {
    let context = TraceContext(traceHigh: 0, traceLow: 0x1F, spanID: 0xAB, isSampled: true)
    #expect(
      context.traceparent == "00-0000000000000000000000000000001f-00000000000000ab-01")
  }
}
