import JSON
import Pricing

/// A response of the Realtime API: what its events say, up to `response.done`.
struct RealtimeAnswer: AnswerReader {
  static let reportableDetails: Set<PricedQuantity> = [.cachedInput, .audioInput, .audioOutput]

  private var members = AnswerMembers()
  private var audioCharacters: Int64 = 0
  private var hasFailed = false

  init(for facts: RequestFacts) {}

  /// There are no answers but events.
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

  mutating func noteUnreadable() {
    members.noteUnreadable()
  }

  var report: UsageReport {
    var report = members.report()
    report.outputAudioTokens = RealtimeAudio.estimatedOutputTokens(characters: audioCharacters)
    // The provider's own error, before the model has written anything.
    let isEmpty = report.outputTextBytes == 0 && report.outputAudioTokens == 0
    if hasFailed && isEmpty && report.usage == nil { report.usage = .zero }
    return report
  }

  private mutating func readDone(_ response: JSONValue?) {
    guard let response, response.kind == .object else { return members.noteUnreadable() }
    for member in response.members where member.hasKey("usage") { _ = members.read(member) }
    if response["status"]?.isString("failed") ?? false {
      members.noteError()
      hasFailed = true
    }
  }
}

/// How much sound there is in base64, whose format only the session knows.
enum RealtimeAudio {
  /// Sound that is given has ten tokens a second, and at the least 8,000 bytes (G.711): 1,066
  /// characters a token.
  private static let leastCharactersPerInputToken: Int64 = 1_000
  /// G.711 again: 8,000 bytes a second are 10,666 characters.
  private static let leastCharactersPerSecond: Int64 = 10_000
  /// Sound that is made has 20 tokens a second, and 48,000 bytes as it is made by default.
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
