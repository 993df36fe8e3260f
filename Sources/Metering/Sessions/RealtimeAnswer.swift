import JSON
import Pricing

/// Reads a response of the Realtime API: its events up to `response.done`.
struct RealtimeAnswer: AnswerReader {
  static let reportableDetails: Set<PricedQuantity> = [.cachedInput, .audioInput, .audioOutput]

  var members = AnswerMembers()
  private var audioCharacters: Int64 = 0
  private var hasFailed = false

  init(for facts: RequestFacts) {}

  /// Marks the answer as unreadable: this format has only events.
  mutating func read(answer root: JSONValue) {
    members.noteUnreadable()
  }

  mutating func read(event root: JSONValue) -> AnswerEvent {
    guard let type = root["type"] else {
      members.noteUnreadable()
      return .ordinary
    }
    if type.isString("response.done") {
      readDone(root["response"])
      return .last
    }
    if let delta = root["delta"]?.utf8Count {
      if type.isString("response.output_audio.delta") || type.isString("response.audio.delta") {
        audioCharacters += Int64(delta)
      } else {
        members.add(textBytes: delta)
      }
    }
    return .ordinary
  }

  var report: UsageReport {
    var report = members.report()
    report.outputAudioTokens = RealtimeAudio.estimatedOutputTokens(characters: audioCharacters)
    // The provider itself failed before the model wrote anything.
    let isEmpty = report.outputTextBytes == 0 && report.outputAudioTokens == 0
    if hasFailed && isEmpty && report.usage == nil { report.usage = .zero }
    return report
  }

  private mutating func readDone(_ response: JSONValue?) {
    guard let response, response.kind == .object else { return members.noteUnreadable() }
    for member in response.members where member.hasKey("usage") {
      _ = members.read(member)
      if members.usage == nil, !member.value.isNull { members.noteUnreadable() }
    }
    if response["status"]?.isString("failed") ?? false {
      members.noteError()
      hasFailed = true
    }
  }
}

/// Bounds the sound in base64. Only the session knows its format.
enum RealtimeAudio {
  /// Input sound has ten tokens a second and at least 8,000 bytes a second (G.711), which is 1,066
  /// characters a token.
  private static let leastCharactersPerInputToken: Int64 = 1_000
  /// G.711 again: 8,000 bytes a second are 10,666 characters.
  private static let leastCharactersPerSecond: Int64 = 10_000
  /// Output sound has 20 tokens a second and, in its default format, 48,000 bytes a second.
  private static let charactersPerOutputToken: Int64 = 3_200

  static func boundInputTokens(characters: Int64) -> Int64 {
    (characters + leastCharactersPerInputToken - 1) / leastCharactersPerInputToken
  }

  static func boundMilliseconds(characters: Int64) -> Int64 {
    (characters * 1000 + leastCharactersPerSecond - 1) / leastCharactersPerSecond
  }

  static func estimatedOutputTokens(characters: Int64) -> Int64 {
    (characters + charactersPerOutputToken - 1) / charactersPerOutputToken
  }
}
