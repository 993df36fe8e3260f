import JSON
import Pricing

/// Reads speech: bytes of sound without usage, or a stream of events whose last one has usage.
struct SpeechAnswer: AnswerReader {
  static let reportableDetails: Set<PricedQuantity> = [.audioOutput]

  var members = AnswerMembers()
  private let characters: Int64

  /// Sound is passed on as it comes.
  static let isOpaque = true

  init(for facts: RequestFacts) {
    characters = facts.characters
  }

  mutating func read(answer root: JSONValue) {
    for member in root.members { _ = members.read(member) }
  }

  mutating func read(event root: JSONValue) -> AnswerEvent {
    for member in root.members { _ = members.read(member) }
    return root["type"]?.isString("speech.audio.done") == true ? .last : .ordinary
  }

  /// The usage. A model priced by characters is charged the request's characters. For any other
  /// model, all output is sound, although no detail says so.
  var report: UsageReport {
    var report = members.report()
    if let usage = report.usage {
      report.usage = Usage(
        inputTokens: usage.inputTokens, cachedInputTokens: usage.cachedInputTokens,
        outputTokens: usage.outputTokens, audioOutputTokens: usage.outputTokens)
    } else if characters > 0 {
      report.usage = Usage(characters: characters)
    }
    return report
  }
}
