import JSON
import Pricing
import Testing

@testable import Metering

@Suite("Every recorded answer is metered as it should be billed")
struct CaseTests {
  let parser = JSONParser()
  let endpoint = Endpoints.chatCompletions

  @Test("a plain answer gives its usage, model and tier", arguments: Case.answers)
  func plainAnswer(_ example: Case) throws {
    let body = try Case.bytes(of: example.responseFile)
    let facts = try RequestFacts.read(example.request.bytes, endpoint: endpoint, parser: parser)
    let report = AnswerMeter.read(
      body, status: example.status, to: facts, endpoint: endpoint, parser: parser)
    try check(report, of: example)
    #expect(report.isError == (example.expected.outcome == "error"))
  }

  @Test("a stream gives its usage however it is cut, and its bytes pass", arguments: Case.streams)
  func stream(_ example: Case) throws {
    let facts = try RequestFacts.read(example.request.bytes, endpoint: endpoint, parser: parser)
    let rewrite = RequestRewrite(
      for: facts, endpoint: endpoint, dialect: ProviderDialect(provider: example.provider))
    #expect(rewrite.addsUsage == (example.proxyInjectedIncludeUsage ?? false))
    let client = try Case.bytes(of: example.clientFile ?? example.responseFile)

    for chunks in try example.chunkings() {
      var meter = StreamMeter(
        endpoint: endpoint, facts: facts, hidesUsage: rewrite.addsUsage, parser: parser)
      var output: [UInt8] = []
      for chunk in chunks { _ = meter.receive(chunk.span, into: &output) }
      let end = meter.finish()
      #expect(!String(decoding: output, as: UTF8.self).contains("data: [DONE]"))
      meter.takeWithheld(into: &output)

      #expect(output == client)
      try check(end.report, of: example)
      #expect(end.report.isError == (example.expected.outcome == "error"))
      #expect(end.isTorn == (example.expected.outcome == "truncated"))
      #expect(end.hasTerminator == String(decoding: client, as: UTF8.self).contains("[DONE]"))
      #expect(!end.report.isUnreadable)
    }
  }

  @Test("every request is read, and its text is counted", arguments: Case.all)
  func request(_ example: Case) throws {
    let facts = try RequestFacts.read(example.request.bytes, endpoint: endpoint, parser: parser)
    #expect(facts.stream == example.streaming)
    if let sizes = example.expected.estimate {
      #expect(facts.input.textBytes == sizes.inputTextUtf8Bytes)
    }
  }

  private func check(_ report: UsageReport, of example: Case) throws {
    let expected = example.expected
    #expect((report.usage != nil) == expected.usageFound)
    #expect(report.responseModel == expected.model)
    #expect(report.serviceTier == expected.serviceTier)
    #expect(!report.isUsageAdjusted)
    if let sizes = expected.estimate {
      #expect(report.outputTextBytes == sizes.outputTextUtf8Bytes)
    }
    #expect(
      Dictionary(uniqueKeysWithValues: report.extraCalls.map { ($0.name, $0.count) })
        == expected.toolCalls ?? [:])
    #expect(Set(report.breakdown.map(\.model)) == Set((expected.byModel ?? [:]).keys))
    for part in report.breakdown {
      let tokens = try #require(expected.byModel?[part.model])
      #expect(part.usage.inputTokens == tokens.inputTokens)
      #expect(part.usage.cachedInputTokens == tokens.cachedInputTokens ?? 0)
      #expect(part.usage.outputTokens == tokens.outputTokens)
    }
    guard expected.usageFound else { return }
    let usage = try #require(
      Usage(
        inputTokens: expected.inputTokens ?? 0,
        cachedInputTokens: expected.cachedInputTokens ?? 0,
        cacheWriteTokens: expected.cacheWriteTokens ?? 0,
        audioInputTokens: expected.audioInputTokens ?? 0,
        outputTokens: expected.outputTokens ?? 0,
        reasoningTokens: expected.reasoningTokens ?? 0,
        audioOutputTokens: expected.audioOutputTokens ?? 0))
    #expect(report.usage == usage)
  }
}
