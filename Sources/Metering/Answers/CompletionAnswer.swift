import JSON
import Pricing

/// Reads a legacy completion, or a stream of its chunks.
struct CompletionAnswer: AnswerReader {
  static let reportableDetails: Set<PricedQuantity> = [.cachedInput]

  private var members = AnswerMembers()

  init(for facts: RequestFacts) {}

  mutating func read(answer root: JSONValue) {
    _ = read(event: root)
  }

  mutating func read(event root: JSONValue) -> AnswerEvent {
    var hasChoices = true
    var usage = JSONValue.Kind?.none
    for member in root.members {
      if member.hasKey("choices") {
        hasChoices = !(member.value.kind == .array && member.value.isEmptyContainer)
        for choice in member.value.elements {
          members.add(textBytes: choice["text"]?.utf8Count ?? 0)
        }
      } else if members.read(member), member.hasKey("usage") {
        usage = member.value.kind
      }
    }
    return AnswerEvent(usage: usage, hasChoices: hasChoices)
  }

  mutating func noteUnreadable() {
    members.noteUnreadable()
  }

  var isError: Bool { members.isError }

  var report: UsageReport { members.report() }
}
