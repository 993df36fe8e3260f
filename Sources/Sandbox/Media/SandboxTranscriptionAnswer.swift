internal import JSON

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
      return .json {
        $0.member("text", text)
        if dialect == .groq { writeGroq(to: &$0) } else if !isTranslation { writeUsage(to: &$0) }
      }
    case "verbose_json" where isWhisper: return verbose
    case "text" where isWhisper:
      return MediaAnswer(MediaAnswer.text, [Array("\(text)\n".utf8)])
    case "srt" where isWhisper && dialect == .openAI:
      return MediaAnswer(MediaAnswer.text, [Array(subtitles(mark: ",", numbers: true).utf8)])
    case "vtt" where isWhisper && dialect == .openAI:
      let cues = subtitles(mark: ".", numbers: false)
      return MediaAnswer(MediaAnswer.text, [Array("WEBVTT\n\n\(cues)".utf8)])
    default:
      throw ProviderError(
        status: 400, message: "response_format '\(format)' is not compatible with the model.",
        param: "response_format", code: "unsupported_value")
    }
  }

  private var verbose: MediaAnswer {
    .json { object in
      object.member("task", isTranslation ? "translate" : "transcribe")
      object.member("language", "english")
      object.member("duration") { $0.seconds(milliseconds: request.milliseconds) }
      object.member("text", text)
      object.member("segments") { segments in
        segments.array { list in
          for index in 0..<SandboxTranscriptionAnswer.sentences.count {
            writeSegment(index, to: &list)
          }
        }
      }
      if dialect == .groq { writeGroq(to: &object) } else { writeUsage(to: &object) }
    }
  }

  private var events: MediaAnswer {
    var pieces = SandboxTranscriptionAnswer.sentences.map { sentence in
      MediaAnswer.event(nil) {
        $0.member("type", "transcript.text.delta")
        $0.member("delta", sentence)
      }
    }
    pieces.append(
      MediaAnswer.event(nil) {
        $0.member("type", "transcript.text.done")
        $0.member("text", text)
        writeUsage(to: &$0)
      })
    return MediaAnswer(MediaAnswer.events, pieces)
  }

  private func writeUsage(to object: inout JSONWriter) {
    if isWhisper {
      object.member("usage") { usage in
        usage.object {
          $0.member("type", "duration")
          $0.member("seconds", (request.milliseconds + 999) / 1000)
        }
      }
    } else {
      let audio = (request.milliseconds + 99) / SandboxTranscriptionAnswer.millisecondsPerToken
      let text = Int64(request.text.utf8.count / 4)
      object.tokenUsage(
        input: audio + text, output: SandboxTranscriptionAnswer.outputTokens, type: "tokens",
        details: "input_token_details", text: text, other: ("audio_tokens", audio))
    }
  }

  private func writeGroq(to object: inout JSONWriter) {
    object.member("x_groq") { value in
      value.object { $0.member("id", "req_sandbox\(number)") }
    }
  }

  private func writeSegment(_ index: Int, to list: inout JSONWriter) {
    list.object { segment in
      segment.member("id", Int64(index))
      segment.member("start") { $0.seconds(milliseconds: start(of: index)) }
      segment.member("end") { $0.seconds(milliseconds: start(of: index + 1)) }
      segment.member("text", " \(SandboxTranscriptionAnswer.sentences[index])")
    }
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
