import Pricing

/// How a transcription or translation is written: the `response_format` of its request.
public enum TranscriptFormat: String, Sendable, Hashable {
  case json, text, srt, vtt
  case verboseJSON = "verbose_json"
  case diarizedJSON = "diarized_json"

  /// Whether an answer is plain text, with or without times in it.
  var isText: Bool {
    switch self {
    case .text, .srt, .vtt: true
    case .json, .verboseJSON, .diarizedJSON: false
    }
  }
}

/// What the request of a transcription says of the answer's format, and where.
public struct TranscriptRequest: Sendable, Hashable {
  /// What the client wants; nil for a format that isn't known here.
  public var format: TranscriptFormat? = .json
  /// Where the format stands in the body; nil where it is left out.
  var formatPlace: Range<Int>?
  /// The boundary of the form.
  let boundary: String

  /// The format to ask the provider for instead, because the wanted one says nothing of usage: the
  /// answer is then turned back into the wanted one. Nil where nothing is to be changed.
  func elicitedFormat(for facts: RequestFacts, dialect: ProviderDialect) -> TranscriptFormat? {
    if facts.model.hasFragment("diarize") {
      return format == .text && !facts.stream ? .json : nil
    }
    // Only Whisper has `verbose_json`, and its segments; it ignores `stream`.
    guard facts.model.hasFragment("whisper") else { return nil }
    switch format {
    case .text: return .verboseJSON
    case .json:
      let isReported = facts.operation == .transcription && dialect.reportsTranscriptDuration
      return isReported ? nil : .verboseJSON
    case .srt, .vtt: return dialect.writesSubtitles ? .verboseJSON : nil
    case .verboseJSON, .diarizedJSON, nil: return nil
    }
  }

  /// The body with another format asked for; all other bytes stay.
  func asking(for format: TranscriptFormat, in body: [UInt8]) -> [UInt8] {
    if let formatPlace {
      var edited = body
      edited.replaceSubrange(formatPlace, with: format.rawValue.utf8)
      return edited
    }
    let part =
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"response_format\"\r\n\r\n"
      + "\(format.rawValue)\r\n"
    return Array(part.utf8) + body
  }
}
