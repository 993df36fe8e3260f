/// The answer to `POST /audio/transcriptions` and `/audio/translations`, in the format that the
/// request asks for: two sentences, each in one half of the sound.
struct SandboxTranscriptionAnswer {
  private static let sentences = ["One goes through.", "Açaí — the gate \"counts\" on."]
  private static let outputTokens: Int64 = 17
  private static let millisecondsPerToken: Int64 = 100

  private let request: MediaRequest
  private let dialect: SandboxProviderDialect
  private let isTranslation: Bool
  private let number: Int64

  static func answer(
    to request: MediaRequest, dialect: SandboxProviderDialect, isTranslation: Bool, number: Int64
  ) throws(ProviderError) -> MediaAnswer {
    guard request.hasFile else {
      throw ProviderError(status: 400, message: "'file' is required.", param: "file")
    }
    let answer = SandboxTranscriptionAnswer(
      request: request, dialect: dialect, isTranslation: isTranslation, number: number)
    return try answer.formatted(as: request.fields["response_format"] ?? "json")
  }

  private var isWhisper: Bool { request.model.hasPrefix("whisper") }
  private var text: String { SandboxTranscriptionAnswer.sentences.joined(separator: " ") }

  private func formatted(as format: String) throws(ProviderError) -> MediaAnswer {
    if request.isStreamed && !isWhisper { return events }
    switch format {
    case "json":
      let isBare = isTranslation && dialect == .openAI
      return .json(#"{"text":\#(text)\#(isBare ? "" : figures)}"#)
    case "verbose_json" where isWhisper: return verbose
    case "text" where isWhisper:
      return .text("\(text)\n")
    case "srt" where isWhisper && dialect == .openAI:
      return .text(subtitles(mark: ",", numbers: true))
    case "vtt" where isWhisper && dialect == .openAI:
      return .text("WEBVTT\n\n" + subtitles(mark: ".", numbers: false))
    default:
      throw ProviderError(
        status: 400, message: "response_format '\(format)' is not compatible with the model.",
        param: "response_format", code: "unsupported_value")
    }
  }

  private var verbose: MediaAnswer {
    let segments = SandboxTranscriptionAnswer.sentences.indices.map { index -> JSONText in
      """
      {"id":\(index),"start":\(start(of: index), decimals: 3),
      "end":\(start(of: index + 1), decimals: 3),
      "text":\(" " + SandboxTranscriptionAnswer.sentences[index])}
      """
    }
    return .json(
      """
      {"task":\(isTranslation ? "translate" : "transcribe"),"language":"english",
      "duration":\(request.milliseconds, decimals: 3),"text":\(text),"segments":\(segments)
      \(figures)}
      """)
  }

  private var events: MediaAnswer {
    let deltas = SandboxTranscriptionAnswer.sentences.map { sentence -> JSONText in
      #"{"type":"transcript.text.delta","delta":\#(sentence)}"#
    }
    let end: JSONText = """
      {"type":"transcript.text.done","text":\(text)\(member: "usage", usage)}
      """
    return .events((deltas + [end]).map(\.event))
  }

  /// The last member of an answer: OpenAI's usage or Groq's mark.
  private var figures: JSONText {
    switch dialect {
    case .openAI: "\(member: "usage", usage)"
    case .groq: #","x_groq":{"id":"req_sandbox\#(number)"}"#
    }
  }

  private var usage: JSONText {
    if isWhisper {
      return #"{"type":"duration","seconds":\#((request.milliseconds + 999) / 1000)}"#
    }
    let audio = (request.milliseconds + 99) / SandboxTranscriptionAnswer.millisecondsPerToken
    let text = Int64(request.text.utf8.count / 4)
    let output = SandboxTranscriptionAnswer.outputTokens
    return """
      {"type":"tokens","input_tokens":\(audio + text),
      "input_token_details":{"text_tokens":\(text),"audio_tokens":\(audio)},
      "output_tokens":\(output),"total_tokens":\(audio + text + output)}
      """
  }

  private func start(of index: Int) -> Int64 {
    request.milliseconds * Int64(index) / Int64(SandboxTranscriptionAnswer.sentences.count)
  }

  // MARK: Subtitles

  private func subtitles(mark: String, numbers: Bool) -> String {
    var text = ""
    for (index, sentence) in SandboxTranscriptionAnswer.sentences.enumerated() {
      if numbers { text += "\(index + 1)\n" }
      text += time(start(of: index), mark) + " --> " + time(start(of: index + 1), mark)
      text += "\n\(sentence)\n\n"
    }
    return text
  }

  private func time(_ milliseconds: Int64, _ mark: String) -> String {
    let seconds = milliseconds / 1000
    let digits = [seconds / 3600, seconds / 60 % 60, seconds % 60].map {
      $0 < 10 ? "0\($0)" : "\($0)"
    }
    let rest = String(1000 + milliseconds % 1000).dropFirst()
    return digits.joined(separator: ":") + mark + rest
  }
}
