import JSON
import Pricing
import Testing

@testable import Metering

@Suite("Usage is taken over in one normal form")
struct ReportedUsageTests {
  private func report(_ answer: String) -> UsageReport {
    AnswerMeter.read(
      Array(answer.utf8), to: RequestFacts(operation: .chat, model: "m"),
      endpoint: Endpoints.chatCompletions, parser: JSONParser())
  }

  @Test(
    "an object without a usable count is absent, not zero",
    arguments: [
      "null", "{}", "[]", "5", #"{"prompt_tokens":null}"#, #"{"dram_cached_tokens":32}"#,
    ])
  func absent(_ usage: String) {
    for answer in ["{\"usage\":\(usage)}", "{\"x_groq\":{\"usage\":\(usage)}}"] {
      #expect(report(answer).usage == nil)
      #expect(!report(answer).isUnreadable)
    }
  }

  @Test(
    "a count that can't be read makes the answer unreadable",
    arguments: [
      #"{"total_tokens":5}"#, #"{"prompt_tokens":1.5,"completion_tokens":4}"#,
      #"{"prompt_tokens":-1,"completion_tokens":4}"#, #"{"completion_tokens":4}"#,
      #"{"prompt_tokens":"7","completion_tokens":"4","total_tokens":"11"}"#,
      #"{"prompt_tokens":9007199254740993,"completion_tokens":4}"#,
      #"{"prompt_tokens":9223372036854775807,"completion_tokens":4}"#,
      #"{"prompt_tokens":18446744073709551617,"completion_tokens":4}"#,
      #"{"prompt_tokens":20}"#, #"{"prompt_tokens":20,"completion_tokens":null}"#,
      #"{"prompt_tokens":20,"completion_tokens":"4000"}"#,
      #"{"prompt_tokens":20,"completion_tokens":4000.5}"#,
      #"{"prompt_tokens":20,"completion_tokens":-1}"#,
      #"{"prompt_tokens":20,"completion_tokens":1e300}"#,
      #"{"prompt_tokens":20,"total_tokens":3}"#,
    ])
  func unreadable(usage: String) {
    for answer in [
      "{\"usage\":\(usage)}", "{\"x_groq\":{\"usage\":\(usage)}}",
      #"{"usage":{"prompt_tokens":1,"completion_tokens":1},"usage":\#(usage)}"#,
    ] {
      #expect(report(answer).isUnreadable || report(answer).isAmbiguous)
      #expect(report(answer).usage == nil || report(answer).isAmbiguous)
    }
  }

  @Test("the last usage of a stream counts, also if it can't be read")
  func lastOfStream() {
    let (good, bad) = (
      #"{"prompt_tokens":20,"completion_tokens":4}"#, #"{"prompt_tokens":20}"#
    )
    func end(_ usages: [String]) -> UsageReport {
      var meter = StreamMeter(
        endpoint: Endpoints.chatCompletions, facts: RequestFacts(operation: .chat, model: "m"),
        hidesUsage: false, parser: JSONParser())
      var output: [UInt8] = []
      for usage in usages {
        _ = meter.pass(#"data: {"choices":[],"usage":\#(usage)}\#n\#n"#.utf8, into: &output)
      }
      return meter.finish().report
    }
    #expect(end([good, bad]).usage == nil)
    #expect(end([good, bad]).isUnreadable)
    #expect(end([bad, good]).usage == Usage(inputTokens: 20, outputTokens: 4))
    #expect(!end([bad, good]).isUnreadable)
    #expect(end([good, "null"]).usage == Usage(inputTokens: 20, outputTokens: 4))
  }

  @Test(
    "a whole number with a fraction or an exponent is read",
    arguments: [
      #"{"prompt_tokens":200.0,"completion_tokens":4E1}"#,
      #"{"prompt_tokens":2E2,"completion_tokens":"4","total_tokens":240.0}"#,
    ])
  func wholeNumbers(_ usage: String) {
    let report = report("{\"usage\":\(usage)}")
    #expect(report.usage == Usage(inputTokens: 200, outputTokens: 40))
    #expect(!report.isUnreadable)
  }

  @Test(
    "operations without output need none in their usage",
    arguments: [Endpoints.embeddings, Endpoints.decisions])
  func withoutOutput(_ endpoint: Endpoint) {
    let report = AnswerMeter.read(
      Array(#"{"usage":{"prompt_tokens":8}}"#.utf8),
      to: RequestFacts(operation: endpoint.operation, model: "m"), endpoint: endpoint,
      parser: JSONParser())
    #expect(report.usage == Usage(inputTokens: 8))
    #expect(!report.isUnreadable)
  }

  @Test("zeros are a report")
  func zeros() {
    #expect(report(#"{"usage":{"prompt_tokens":0,"completion_tokens":0}}"#).usage == .zero)
  }

  @Test("what a model thinks is output, also where only the total has it")
  func thoughts() {
    // As Google's compatible endpoint answers.
    let answer = #"{"usage":{"completion_tokens":1,"prompt_tokens":9,"total_tokens":103}}"#
    let thinking = Usage(inputTokens: 9, outputTokens: 94, reasoningTokens: 93)
    #expect(report(answer).completed(by: .google).usage == thinking)
    #expect(report(answer).completed(by: .google).completed(by: .google).usage == thinking)
    let usage = Usage(inputTokens: 9, outputTokens: 1)
    #expect(report(answer).completed(by: .openAI).usage == usage)
    let short = #"{"usage":{"completion_tokens":1,"prompt_tokens":9,"total_tokens":3}}"#
    #expect(report(short).completed(by: .google).usage == usage)
    #expect(report("{}").completed(by: .google).usage == nil)
  }

  @Test("either family of names is read, and null details are none")
  func names() {
    let usage = Usage(inputTokens: 9, cachedInputTokens: 4, outputTokens: 5, reasoningTokens: 2)
    #expect(
      report(
        """
        {"usage":{"input_tokens":9,"output_tokens":5,
          "input_tokens_details":{"cached_tokens":4},
          "output_tokens_details":{"reasoning_tokens":2,"audio_tokens":null}}}
        """
      ).usage == usage)
    #expect(
      report(
        """
        {"usage":{"prompt_tokens":9,"completion_tokens":5,"prompt_tokens_details":null,
          "input_token_details":{"cached_tokens":4,"text_tokens":9},
          "completion_tokens_details":{"reasoning_tokens":2}}}
        """
      ).usage == usage)
  }

  @Test("tokens that were written to the cache are told apart by retention")
  func cacheWrites() {
    let report = report(
      """
      {"usage":{"prompt_tokens":100,"completion_tokens":1,
        "prompt_tokens_details":{"cache_write_tokens":60,
          "cache_write_tokens_details":{"ttl_30m_tokens":40,"ttl_12h_tokens":20}}}}
      """
    )
    #expect(
      report.usage
        == Usage(
          inputTokens: 100, cacheWriteTokens: 40, cacheWriteLongTokens: 20, outputTokens: 1))
    #expect(!report.isUsageAdjusted)
  }

  @Test("without an output count, the total tells it")
  func missingOutput() {
    #expect(
      report(#"{"usage":{"prompt_tokens":8,"total_tokens":20}}"#).usage
        == Usage(inputTokens: 8, outputTokens: 12))
    #expect(
      report(#"{"usage":{"prompt_tokens":8,"total_tokens":8}}"#).usage == Usage(inputTokens: 8))
  }

  @Test(
    "cached tokens that are images or sound too are counted once, at no lower charge",
    arguments: [
      ([900, 0, 800, 0], [200, 0, 0]), ([500, 0, 800, 0], [200, 0, 0]),
      ([201, 0, 800, 0], [200, 0, 0]), ([200, 0, 800, 0], [200, 0, 0]),
      ([100, 0, 800, 0], [100, 0, 0]), ([1000, 0, 1000, 0], [0, 0, 0]),
      ([900, 0, 0, 800], [200, 0, 0]), ([600, 0, 500, 300], [200, 0, 0]),
      ([0, 800, 640, 0], [0, 360, 440]), ([300, 600, 500, 0], [0, 500, 100]),
      ([300, 600, 250, 0], [150, 600, 0]), ([0, 800, 0, 640], [0, 360, 0]),
    ])
  func overlaps(_ counts: [Int64], _ expected: [Int64]) throws {
    let (images, audio, cached, written) = (counts[0], counts[1], counts[2], counts[3])
    let report = report(
      """
      {"usage":{"prompt_tokens":1000,"completion_tokens":5,"prompt_tokens_details":{
        "cached_tokens":\(cached),"cache_write_tokens":\(written),
        "image_tokens":\(images),"audio_tokens":\(audio)}}}
      """)
    let usage = try #require(report.usage)
    #expect(!report.isUsageAdjusted)
    #expect((usage.inputTokens, usage.cachedInputTokens) == (1000, cached))
    #expect(usage.cacheWriteTokens == written)
    #expect(
      [usage.imageInputTokens, usage.audioInputTokens, usage.cachedAudioTokens] == expected)
    // The dearest of all divisions, where text costs 4, images 5 and sound 32.
    let stored = cached + written
    let dearest = stride(from: 0, through: min(images, stored), by: 1).compactMap {
      (cachedImages: Int64) -> Int64? in
      let plain = 1000 - stored
      let ownImages = images - cachedImages
      let sound = min(audio, plain - ownImages)
      guard sound >= 0, audio - sound <= stored - cachedImages else { return nil }
      return ownImages * 5 + sound * 32 + (plain - ownImages - sound) * 4
    }.max()
    #expect(
      usage.imageInputTokens * 5 + usage.audioInputTokens * 32 + usage.textInputTokens * 4
        == dearest)
  }

  @Test("parts above their total are brought into line at no lower charge, and marked")
  func contradictions() {
    let overfull = report(
      """
      {"usage":{"prompt_tokens":100,"completion_tokens":9,
        "prompt_tokens_details":{"cached_tokens":64,"audio_tokens":80,"image_tokens":40}}}
      """
    )
    #expect(
      overfull.usage
        == Usage(
          inputTokens: 120, audioInputTokens: 80, imageInputTokens: 40, outputTokens: 9))
    #expect(overfull.isUsageAdjusted)

    let tooMuch = report(
      """
      {"usage":{"prompt_tokens":10,"completion_tokens":9,
        "prompt_tokens_details":{"cached_tokens":5,"image_tokens":30},
        "completion_tokens_details":{"reasoning_tokens":50}}}
      """
    )
    #expect(
      tooMuch.usage
        == Usage(inputTokens: 30, imageInputTokens: 30, outputTokens: 9, reasoningTokens: 9))
    #expect(tooMuch.isUsageAdjusted)

    let negative = report(
      """
      {"usage":{"prompt_tokens":10,"completion_tokens":9,
        "prompt_tokens_details":{"cached_tokens":-5}}}
      """
    )
    #expect(negative.usage == Usage(inputTokens: 10, outputTokens: 9))
    #expect(negative.isUsageAdjusted)
  }

  @Test(
    "an error is told from none",
    arguments: [
      (#"{"error":{"message":"x"}}"#, true), (#"{"error":"text"}"#, true),
      (#"{"x_groq":{"error":"over capacity"}}"#, true), (#"{"error":null}"#, false),
      (#"{"error":""}"#, false), (#"{"error":false}"#, false), ("{}", false),
    ])
  func errors(_ answer: String, _ isError: Bool) {
    #expect(report(answer).isError == isError)
  }

  @Test("an answer that isn't a JSON object is marked", arguments: ["", "[]", "{\"a\":", "hello"])
  func unreadable(_ answer: String) {
    #expect(report(answer).isUnreadable)
    #expect(report(answer).usage == nil)
  }

  @Test(
    "a breakdown that can't be read leaves the sum in force",
    arguments: [
      "null", #"{"models":null}"#, #"{"models":[]}"#, #"{"models":[{"model":"m"}]}"#,
      #"{"models":[{"model":"m","usage":{"prompt_tokens":1}},{"model":"n","usage":{}}]}"#,
    ])
  func brokenBreakdown(_ breakdown: String) {
    let report = report(
      #"{"usage":{"prompt_tokens":7,"completion_tokens":1},"usage_breakdown":\#(breakdown)}"#)
    #expect(report.breakdown.isEmpty)
    #expect(report.usage?.inputTokens == 7)
  }

  @Test("a sound that lasts no time isn't believed, unless the provider bills by it")
  func noDuration() {
    var facts = RequestFacts(operation: .transcription, model: "whisper-1")
    facts.estimatedAudioMilliseconds = 12_420
    func usage(_ answer: String) -> Usage? {
      AnswerMeter.read(
        Array(answer.utf8), to: facts, endpoint: Endpoints.transcriptions, parser: JSONParser()
      ).usage
    }
    #expect(usage(#"{"text":"a","duration":0}"#) == nil)
    #expect(usage(#"{"text":"a","duration":0.0}"#) == nil)
    #expect(usage(#"{"text":"a","duration":3}"#) == Usage(audioMilliseconds: 3000))
    #expect(usage(#"{"duration":0,"usage":{"seconds":0}}"#) == Usage(audioMilliseconds: 0))
    facts.estimatedAudioMilliseconds = 0
    #expect(usage(#"{"text":"a","duration":0}"#) == Usage(audioMilliseconds: 0))
  }

  @Test("seconds that can't be read make a transcription unreadable")
  func unreadableSeconds() {
    let report = AnswerMeter.read(
      Array(#"{"text":"a","usage":{"type":"duration","seconds":"12"}}"#.utf8),
      to: RequestFacts(operation: .transcription, model: "whisper-1"),
      endpoint: Endpoints.transcriptions, parser: JSONParser())
    #expect(report.isUnreadable)
    #expect(report.usage == nil)
  }

  @Test("images of a drawing that are cached have the price of the cache")
  func cachedDrawing() {
    let answer = """
      {"data":[{}],"usage":{"input_tokens":300,"output_tokens":1000,"total_tokens":1300,
        "input_tokens_details":{"image_tokens":300,"text_tokens":0,"cached_tokens":300},
        "output_tokens_details":{"image_tokens":1000}}}
      """
    let usage = AnswerMeter.read(
      Array(answer.utf8), to: RequestFacts(operation: .image, model: "gpt-image-2"),
      endpoint: Endpoints.imageGenerations, parser: JSONParser()
    ).usage
    #expect(
      usage
        == Usage(
          inputTokens: 300, cachedInputTokens: 300, outputTokens: 1000, imageOutputTokens: 1000,
          images: 1))
  }

  @Test("the usage of a drawing that can't be read makes the whole answer unreadable")
  func unreadableDrawing() {
    for members in [
      #""tool_usage":{"image_gen":{"input_tokens":5}}"#,
      #""output":[{"type":"image_generation_call","svg_usage":{"model":"m","input_tokens":5}}]"#,
    ] {
      let report = AnswerMeter.read(
        Array(#"{"usage":{"input_tokens":1,"output_tokens":1},\#(members)}"#.utf8),
        to: RequestFacts(operation: .responses, model: "m"), endpoint: Endpoints.responses,
        parser: JSONParser())
      #expect(report.isUnreadable)
      #expect(report.usage == nil)
    }
  }
}
