public import JSON

/// Converts a transcription with usage back into the format that the client requested, byte for
/// byte as the provider writes it.
public struct TranscriptRendering {
  public let body: [UInt8]
  /// The value of `Content-Type`.
  public let contentType: StaticString

  /// Returns nil for an answer that isn't a transcription. The caller passes such an answer on
  /// unchanged.
  ///
  /// - Parameter parser: The parser of the answer. It invalidates values that it parsed before.
  public init?(_ answer: [UInt8], as format: TranscriptFormat, parser: JSONParser) {
    guard let root = try? parser.parse(answer), root["text"]?.kind == .string else { return nil }
    let rendered: [UInt8]?
    switch format {
    case .json: rendered = Self.json(answer, root)
    case .text: rendered = root["text"]?.string.map { Array("\($0)\n".utf8) }
    case .srt: rendered = Self.subtitles(root, mark: ",", isNumbered: true)
    case .vtt:
      rendered = Self.subtitles(root, mark: ".", isNumbered: false).map {
        Array("WEBVTT\n\n".utf8) + $0
      }
    case .verboseJSON, .diarizedJSON: rendered = answer
    }
    guard let rendered else { return nil }
    body = rendered
    contentType = format == .json ? "application/json" : "text/plain; charset=utf-8"
  }

  private static let shortMembers: [StaticString] = ["text", "x_groq"]

  /// Returns the members of the short format in the provider's own bytes; nil if the answer has no
  /// other members, because it is already in that format.
  private static func json(_ answer: [UInt8], _ root: JSONValue) -> [UInt8]? {
    let isShort = root.members.allSatisfy { member in
      shortMembers.contains { member.hasKey($0) }
    }
    guard !isShort, let located = JSONLocatedObject(root: root) else { return nil }
    var writer = JSONWriter()
    writer.object { object in
      for key in shortMembers {
        guard let member = located.member(key) else { continue }
        object.key("\(key)")
        object.raw(answer[member.valueRange])
      }
    }
    return writer.bytes
  }

  private static func subtitles(
    _ root: JSONValue, mark: String, isNumbered: Bool
  ) -> [UInt8]? {
    guard let segments = root["segments"], segments.kind == .array else { return nil }
    var text = ""
    var number = 0
    for segment in segments.elements {
      guard let start = segment["start"]?.milliseconds, let end = segment["end"]?.milliseconds,
        let words = segment["text"]?.string
      else { return nil }
      number += 1
      if isNumbered { text += "\(number)\n" }
      text += "\(clock(start, mark)) --> \(clock(end, mark))\n\(line(words))\n\n"
    }
    return Array(text.utf8)
  }

  /// Example: `01:02:03,456`.
  private static func clock(_ milliseconds: Int64, _ mark: String) -> String {
    let seconds = milliseconds / 1000
    return padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":"
      + padded(seconds % 60, 2) + mark + padded(milliseconds % 1000, 3)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Removes the space before a segment's first word. An arrow would end the cue's header, so `-->`
  /// becomes `->`.
  private static func line(_ words: String) -> String {
    var line = words[...]
    while line.first?.isWhitespace == true { line.removeFirst() }
    while line.last?.isWhitespace == true { line.removeLast() }
    guard line.contains("-->") else { return String(line) }
    return line.split(separator: "-->", omittingEmptySubsequences: false).joined(separator: "->")
  }
}

extension JSONValue {
  /// A number of seconds in milliseconds, rounded to the nearest; nil for anything else, for
  /// negative numbers and for more than 1,000,000,000 seconds.
  var milliseconds: Int64? {
    seconds(times: 1000)
  }

  /// A number of seconds in milliseconds, rounded up. A binary fraction's own error, far below a
  /// microsecond, isn't rounded up.
  var billedMilliseconds: Int64? {
    seconds(times: 1_000_000).map { ($0 + 999) / 1000 }
  }

  private func seconds(times scale: Double) -> Int64? {
    guard let real, real >= 0, real <= 1e9 else { return nil }
    return Int64((real * scale).rounded())
  }
}
