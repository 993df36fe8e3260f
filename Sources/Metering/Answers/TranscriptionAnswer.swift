import JSON
import Pricing

/// Reads a transcription or translation, or a stream of its events.
///
/// Usage is in tokens or in a duration. `usage` takes precedence over the member `duration`,
/// because the provider bills by it. If a format has neither, the usage is estimated from the
/// uploaded file.
struct TranscriptionAnswer: AnswerReader {
  static let reportableDetails: Set<PricedQuantity> = [.audioInput]

  var members = AnswerMembers()
  private var usageMilliseconds: Int64?
  private var duration: Int64?
  /// Whether the client requested plain text, with or without times.
  private let isText: Bool
  private let hasSound: Bool

  init(for facts: RequestFacts) {
    hasSound = facts.estimatedAudioMilliseconds > 0
    isText = facts.transcript?.format?.isText ?? false
  }

  mutating func read(answer root: JSONValue) {
    for member in root.members {
      if member.hasKey("usage"), !(member.value["seconds"]?.isNull ?? true) {
        usageMilliseconds = member.value["seconds"]?.billedMilliseconds ?? usageMilliseconds
        if usageMilliseconds == nil { members.noteUnreadableUsage() }
      } else if member.hasKey("duration") {
        // A sound that lasts no time isn't believed. It is estimated from the uploaded file.
        let billed = member.value.billedMilliseconds
        duration = billed == 0 && hasSound ? duration : billed ?? duration
      } else if member.hasKey("text") {
        members.note(textBytesAtLeast: member.value.utf8Count ?? 0)
      } else {
        _ = members.read(member)
      }
    }
  }

  /// A JSON object that was cut off is never taken for a transcript.
  mutating func read(text: [UInt8]) -> Bool {
    guard isText, String(validating: text, as: UTF8.self) != nil,
      text.first(where: { !$0.isJSONSpace }) != UInt8(ascii: "{")
    else { return false }
    members.note(textBytesAtLeast: text.count)
    return true
  }

  mutating func read(event root: JSONValue) -> AnswerEvent {
    if let delta = root["delta"]?.utf8Count { members.add(textBytes: delta) }
    guard let usage = root["usage"], usage.kind == .object else {
      if let error = root["error"] { members.noteError(error) }
      return .ordinary
    }
    read(answer: root)
    return .last
  }

  var report: UsageReport {
    var report = members.report()
    if report.usage == nil, let milliseconds = usageMilliseconds ?? duration {
      report.usage = Usage(audioMilliseconds: milliseconds)
    }
    return report
  }
}
