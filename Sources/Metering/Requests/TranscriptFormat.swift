import Pricing

/// The format of a transcription or translation: the `response_format` of its request.
public enum TranscriptFormat: String, Sendable, Hashable {
  case json, text, srt, vtt
  case verboseJSON = "verbose_json"
  case diarizedJSON = "diarized_json"

  /// Whether the answer is plain text, with or without times.
  var isText: Bool {
    switch self {
    case .text, .srt, .vtt: true
    case .json, .verboseJSON, .diarizedJSON: false
    }
  }
}

/// A transcription request's statement of the answer's format, and its place in the body.
public struct TranscriptRequest: Sendable, Hashable {
  /// The format that the client requests; nil for an unknown one.
  public var format: TranscriptFormat? = .json
  /// The place of the format in the body; nil if it is omitted.
  var formatPlace: Range<Int>?
  /// The boundary of the form.
  let boundary: String

  /// Returns the format to request from the provider, because the client's format has no usage. The
  /// answer is then converted back. Nil if nothing needs to change.
  func elicitedFormat(for facts: RequestFacts, dialect: ProviderDialect) -> TranscriptFormat? {
    if facts.model.hasFragment("diarize") {
      return format == .text && !facts.stream ? .json : nil
    }
    // Only Whisper supports `verbose_json` with its segments, and it ignores `stream`.
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

  /// Returns the body with another requested format; all other bytes stay.
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
