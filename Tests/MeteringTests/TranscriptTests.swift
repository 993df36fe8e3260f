import JSON
import Testing

@testable import Metering

@Suite("Formats of transcriptions")
struct TranscriptTests {
  let parser = JSONParser()
  static let verbose = """
    {"task":"transcribe","duration":12.42,"text":"All aboard. \\u00c0 bient\\u00f4t --> now.",
    "segments":[{"start":0.0,"end":7,"text":" All aboard."},
    {"start":7.0,"end":3723.0045,"text":" \\u00c0 bient\\u00f4t --> now. "}],"x_groq":{"id":"r"}}
    """

  @Test(
    "An answer is turned back into what was asked for",
    arguments: [
      (.text, "All aboard. À bientôt --> now.\n"),
      (.json, #"{"text":"All aboard. \u00c0 bient\u00f4t --> now.","x_groq":{"id":"r"}}"#),
      (
        .srt,
        "1\n00:00:00,000 --> 00:00:07,000\nAll aboard.\n\n"
          + "2\n00:00:07,000 --> 01:02:03,005\nÀ bientôt -> now.\n\n"
      ),
      (
        .vtt,
        "WEBVTT\n\n00:00:00.000 --> 00:00:07.000\nAll aboard.\n\n"
          + "00:00:07.000 --> 01:02:03.005\nÀ bientôt -> now.\n\n"
      ),
    ] as [(TranscriptFormat, String)])
  func rendering(_ format: TranscriptFormat, _ expected: String) throws {
    let answer = Array(Self.verbose.utf8)
    let rendering = try #require(TranscriptRendering(answer, as: format, parser: parser))
    #expect(String(decoding: rendering.body, as: UTF8.self) == expected)
  }

  @Test(
    "What isn't a transcription is left as it is",
    arguments: [
      "", "text", "[]", #"{"error":{}}"#, #"{"text":"a"}"#, #"{"text":"a","segments":[{}]}"#,
    ])
  func others(_ answer: String) {
    #expect(TranscriptRendering(Array(answer.utf8), as: .srt, parser: parser) == nil)
  }

  @Test("An answer in the short format already keeps every byte")
  func short() {
    let answer = Array("{ \"text\": \"a\",\n \"x_groq\": {} }".utf8)
    #expect(TranscriptRendering(answer, as: .json, parser: parser) == nil)
  }

  @Test("Subtitles are rendered as the provider writes them")
  func recorded() throws {
    let segments = """
      {"text":"","segments":[{"start":0,"end":7,"text":" All aboard."},
      {"start":7,"end":12.42,"text":" Mind the gap."}]}
      """
    let rendering = try #require(
      TranscriptRendering(Array(segments.utf8), as: .srt, parser: parser))
    #expect(rendering.body == (try Case.bytes(of: "c47-transcribe-srt.srt")))
  }

  @Test(
    "Another format is asked for only where the wanted one says nothing of usage",
    arguments: [
      ("openai", "whisper-1", "text", false, "verbose_json"),
      ("openai", "whisper-1", "vtt", false, "verbose_json"),
      ("openai", "whisper-1", "json", false, nil),
      ("openai", "whisper-1", nil, true, "verbose_json"),
      ("openai", "whisper-1", "verbose_json", false, nil),
      ("openai", "whisper-1", "later_format", false, nil),
      ("openai", "gpt-4o-transcribe", "text", false, nil),
      ("openai", "gpt-4o-transcribe-diarize", "text", false, "json"),
      ("groq", "whisper-large-v3", nil, false, "verbose_json"),
      ("groq", "whisper-large-v3", "text", false, "verbose_json"),
      ("groq", "whisper-large-v3", "srt", false, nil),
    ] as [(String, String, String?, Bool, String?)])
  func eliciting(
    _ provider: String, _ model: String, _ format: String?, _ isTranslation: Bool,
    _ expected: String?
  ) throws {
    var fields = ["model": model]
    fields["response_format"] = format
    let body = MediaBody(fields: fields)
    let endpoint = isTranslation ? Endpoints.translations : Endpoints.transcriptions
    let facts = try RequestFacts.read(
      body.bytes, contentType: body.contentType, endpoint: endpoint, parser: parser)
    let rewrite = RequestRewrite(
      for: facts, endpoint: endpoint, dialect: ProviderDialect(provider: provider))
    #expect(rewrite.transcriptFormat?.rawValue == expected)

    let sent = try rewrite.applied(to: body.bytes, endpoint: endpoint, parser: parser)
    guard let expected else {
      #expect(sent == body.bytes)
      return
    }
    let reread = try RequestFacts.read(
      sent, contentType: body.contentType, endpoint: endpoint, parser: parser)
    #expect(reread.transcript?.format?.rawValue == expected)
    #expect(reread.audioMilliseconds == facts.audioMilliseconds)
  }
}
