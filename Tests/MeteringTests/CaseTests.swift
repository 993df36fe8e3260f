import JSON
import Pricing
import Testing

@testable import Metering

@Suite("Every recorded answer is metered as it should be billed")
struct CaseTests {
  let parser = JSONParser()

  @Test("a plain answer gives its usage, model and tier", arguments: Case.answers)
  func plainAnswer(_ example: Case) throws {
    let endpoint = example.metered
    let body = try Case.bytes(of: example.responseFile)
    let facts = try RequestFacts.read(example.request.bytes, endpoint: endpoint, parser: parser)
    let report = AnswerMeter.read(
      body, status: example.status, to: facts, endpoint: endpoint, parser: parser)
    try check(report, of: example)
    #expect(report.isError == (example.expected.outcome == "error"))
  }

  @Test("a stream gives its usage however it is cut, and its bytes pass", arguments: Case.streams)
  func stream(_ example: Case) throws {
    let endpoint = example.metered
    let facts = try RequestFacts.read(example.request.bytes, endpoint: endpoint, parser: parser)
    let rewrite = RequestRewrite(
      for: facts, endpoint: endpoint, dialect: ProviderDialect(provider: example.provider))
    #expect(rewrite.addsUsage == (example.proxyInjectedIncludeUsage ?? false))
    let client = try Case.bytes(of: example.clientFile ?? example.responseFile)

    for chunks in try example.chunkings() {
      var meter = StreamMeter(
        endpoint: endpoint, facts: facts, hidesUsage: rewrite.addsUsage, parser: parser)
      var output: [UInt8] = []
      for chunk in chunks { _ = meter.pass(chunk, into: &output) }
      let end = meter.finish()
      #expect(!String(decoding: output, as: UTF8.self).contains("data: [DONE]"))
      meter.takeWithheld(into: &output)

      #expect(output == client)
      try check(end.report, of: example)
      #expect(end.report.isError == (example.expected.outcome == "error"))
      #expect(end.isTorn == (example.expected.outcome == "truncated"))
      #expect(end.hasTerminator == example.hasTerminator)
      #expect(!end.report.isUnreadable)
    }
  }

  @Test("every request is read, and its text is counted", arguments: Case.all)
  func request(_ example: Case) throws {
    let facts = try RequestFacts.read(
      example.request.bytes, endpoint: example.metered, parser: parser)
    #expect(facts.stream == example.streaming)
    if let sizes = example.expected.estimate {
      #expect(facts.input.textBytes == sizes.inputTextUtf8Bytes)
    }
  }

  private func check(_ report: UsageReport, of example: Case) throws {
    let expected = example.expected
    #expect(
      (report.usage != nil)
        == (expected.usageFound || expected.outcome == "complete" && expected.billable == false))
    #expect(report.responseModel == expected.model)
    #expect(report.serviceTier == expected.serviceTier)
    #expect(!report.isUsageAdjusted)
    if let sizes = expected.estimate {
      #expect(report.outputTextBytes == sizes.outputTextUtf8Bytes)
    }
    #expect(
      Dictionary(uniqueKeysWithValues: report.extraCalls.map { ($0.name, $0.count) })
        == expected.extraCalls)
    let sizes = report.extraCalls.compactMap { call in
      call.surcharge?.hasPrefix("container ") ?? false ? (call.surcharge ?? "", call.count) : nil
    }
    #expect(Dictionary(uniqueKeysWithValues: sizes) == expected.sessionsByPrice)
    if let tool = expected.imageTool { return try check(report, of: expected, and: tool) }
    #expect(Set(report.breakdown.map(\.model)) == Set((expected.byModel ?? [:]).keys))
    for part in report.breakdown {
      let tokens = try #require(expected.byModel?[part.model])
      #expect(part.usage.inputTokens == tokens.inputTokens)
      #expect(part.usage.cachedInputTokens == tokens.cachedInputTokens ?? 0)
      #expect(part.usage.outputTokens == tokens.outputTokens)
    }
    guard expected.usageFound else { return }
    #expect(report.usage == expected.usage)
  }

  /// A tool that draws is billed by its own model, beside the one that answered.
  private func check(
    _ report: UsageReport, of expected: Case.Expected, and tool: Case.ImageTool
  ) throws {
    let drawing = try #require(
      Usage(
        inputTokens: tool.inputTokens, outputTokens: tool.imageOutputTokens,
        imageOutputTokens: tool.imageOutputTokens))
    let answering = try #require(expected.usage)
    #expect(report.breakdown.map(\.model) == [expected.model, tool.model])
    #expect(report.breakdown.map(\.usage) == [answering, drawing])
    #expect(report.usage == Usage.sum(of: [answering, drawing]))
  }
}

extension Case {
  fileprivate var hasTerminator: Bool {
    guard metered.operation == .responses else { return clientText.contains("[DONE]") }
    return true
  }

  private var clientText: String {
    let bytes = try? Case.bytes(of: clientFile ?? responseFile)
    return String(decoding: bytes ?? [], as: UTF8.self)
  }
}

extension Case.Expected {
  /// Drawing is billed by its tokens, so it is no call with a price.
  fileprivate var extraCalls: [String: Int64] {
    (toolCalls ?? [:]).filter { imageTool == nil || $0.key != "image_generation" }
  }

  fileprivate var sessionsByPrice: [String: Int64] {
    Dictionary(
      uniqueKeysWithValues: (containerSessions ?? [:]).map { size, count in
        (size == "unknown" ? "container " : "container \(size)", count)
      })
  }

  fileprivate var usage: Usage? {
    Usage(
      inputTokens: inputTokens ?? 0, cachedInputTokens: cachedInputTokens ?? 0,
      cacheWriteTokens: cacheWriteTokens ?? 0, audioInputTokens: audioInputTokens ?? 0,
      outputTokens: outputTokens ?? 0, reasoningTokens: reasoningTokens ?? 0,
      audioOutputTokens: audioOutputTokens ?? 0)
  }
}
