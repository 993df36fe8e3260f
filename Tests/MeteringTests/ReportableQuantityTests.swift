import JSON
import Pricing
import Testing

@testable import Metering

@Suite("What answers can report that needs a price") struct ReportableQuantityTests {
  @Test("All details of a usage object that are read are known")
  func details() throws {
    let object = try JSONParser(largestDepth: 8).parse(
      Array(
        """
        {"input_tokens":70,"input_tokens_details":{"cached_tokens":10,"audio_tokens":10,\
        "image_tokens":10,"cache_write_tokens":20,\
        "cache_write_tokens_details":{"ttl_12h_tokens":10}},\
        "output_tokens":30,"output_tokens_details":{"audio_tokens":10,"image_tokens":10}}
        """.utf8))
    let usage = try #require(ReportedUsage.read(object).usage).usage
    let read: [PricedQuantity: Int64] = [
      .cachedInput: usage.cachedInputTokens, .cacheWrite: usage.cacheWriteTokens,
      .cacheWriteLong: usage.cacheWriteLongTokens, .audioInput: usage.audioInputTokens,
      .imageInput: usage.imageInputTokens, .audioOutput: usage.audioOutputTokens,
      .imageOutput: usage.imageOutputTokens,
    ]
    #expect(read.values.allSatisfy { $0 == 10 })
    #expect(Set(read.keys) == ReportedUsage.details)
    let plain: Set<PricedQuantity> = [.input, .output]
    #expect(Set(PricedQuantity.tokens) == ReportedUsage.details.union(plain))
  }

  @Test(
    "A model reports what its endpoints, its provider and its kind can",
    arguments: [
      ("openai", "gpt-4o-mini", .chat, [.cachedInput, .imageInput]),
      ("openai", "gpt-3.5-turbo", .chat, [.cachedInput]),
      ("openai", "gpt-audio", .chat, [.cachedInput, .audioInput, .audioOutput]),
      (
        "openai", "gpt-6-sol", .responses,
        [.cachedInput, .cacheWrite, .cacheWriteLong, .imageInput]
      ),
      ("openai", "gpt-realtime", .realtime, [.cachedInput, .audioInput, .audioOutput]),
      ("openai", "gpt-image-2", .image, [.cachedInput, .imageInput, .imageOutput]),
      ("openai", "text-embedding-3-small", .embedding, []),
      ("groq", "llama-3.3-70b-versatile", .chat, [.cachedInput]),
      ("google", "gemini-2.5-pro", .chat, [.cachedInput]),
      ("unknown", "model", .chat, []),
    ] as [(String, String, Operation, Set<PricedQuantity>)])
  func ofModels(
    provider: String, model: String, operation: Operation, quantities: Set<PricedQuantity>
  ) {
    let reports = ProviderReports(provider: provider)
    #expect(reports.quantities(of: model, for: operation) == quantities)
  }

  @Test("The priced tools of a provider are those that its declarations are read as")
  func tools() {
    #expect(
      ProviderReports.openAI.pricedTools.allSatisfy { OpenAI.surcharge(ofTool: $0) == $0 })
    #expect(ProviderReports.groq.pricedTools.allSatisfy { Groq.surcharge(ofTool: $0) == $0 })
    #expect(Endpoints.runsTools(.chat) && Endpoints.runsTools(.responses))
    #expect(!Endpoints.runsTools(.embedding))
  }
}
