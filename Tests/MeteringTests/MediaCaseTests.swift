import JSON
import Pricing
import Testing

@testable import Metering

@Suite("Every recorded answer of sound and images is metered as it should be billed")
struct MediaCaseTests {
  let parser = JSONParser()

  private func facts(of example: MediaCase) throws -> RequestFacts {
    let body = try MediaBody(example)
    return try RequestFacts.read(
      body.bytes, contentType: body.contentType, endpoint: example.metered, parser: parser)
  }

  @Test("a plain answer gives its usage", arguments: MediaCase.answers)
  func plainAnswer(_ example: MediaCase) throws {
    let facts = try facts(of: example)
    let report =
      AnswerMeter.isOpaque(example.metered)
      ? AnswerMeter.charge(for: facts, endpoint: example.metered)
      : AnswerMeter.read(
        try Case.bytes(of: example.responseFile), to: facts, endpoint: example.metered,
        parser: parser)
    try check(report, of: example, facts)
  }

  @Test("a stream gives its usage however it is cut", arguments: MediaCase.streams)
  func stream(_ example: MediaCase) throws {
    let facts = try facts(of: example)
    #expect(facts.stream)
    let body = try Case.bytes(of: example.responseFile)
    for size in [1, 7, body.count] {
      var meter = StreamMeter(
        endpoint: example.metered, facts: facts, hidesUsage: false, parser: parser)
      var output: [UInt8] = []
      for start in stride(from: 0, to: body.count, by: size) {
        let chunk = Array(body[start..<min(start + size, body.count)])
        _ = meter.pass(chunk, into: &output)
      }
      let end = meter.finish()
      #expect(end.hasTerminator)
      #expect(output.count < body.count, "the last event waits for the row")
      meter.takeWithheld(into: &output)
      #expect(output == body)
      try check(end.report, of: example, facts)
    }
  }

  private func check(_ report: UsageReport, of example: MediaCase, _ facts: RequestFacts) throws {
    let expected = example.expected
    switch expected.fallback {
    case "duration":
      #expect(report.usage == nil)
      #expect(facts.estimate.audioMilliseconds > 0)
    case "characters":
      #expect(report.usage == Usage(characters: try #require(expected.characters)))
    default:
      #expect(expected.usageFound)
      let milliseconds = expected.seconds.flatMap(Double.init).map { Int64($0 * 1000) }
      #expect(
        report.usage
          == Usage(
            inputTokens: expected.inputTokens ?? 0,
            audioInputTokens: expected.audioInputTokens ?? 0,
            imageInputTokens: expected.imageInputTokens ?? 0,
            outputTokens: expected.outputTokens ?? 0,
            audioOutputTokens: expected.audioOutputTokens ?? 0,
            imageOutputTokens: expected.imageOutputTokens ?? 0,
            audioMilliseconds: milliseconds ?? 0, images: expected.images ?? 0))
    }
  }
}
