import JSON
import Pricing

/// Reads a list of embeddings, whose usage has only input.
struct EmbeddingAnswer: AnswerReader {
  static let reportableDetails: Set<PricedQuantity> = []

  var members = AnswerMembers(hasOutput: false)

  init(for facts: RequestFacts) {}

  mutating func read(answer root: JSONValue) {
    for member in root.members { _ = members.read(member) }
  }

  var report: UsageReport { members.report() }
}

/// Reads answers to questions about an input. The input is charged.
struct DecisionAnswer: AnswerReader {
  var members = AnswerMembers(hasOutput: false)

  init(for facts: RequestFacts) {}

  mutating func read(answer root: JSONValue) {
    for member in root.members { _ = members.read(member) }
  }

  /// The report without the answer's tier: decisions have their own prices, whatever tier an answer
  /// names.
  var report: UsageReport {
    var report = members.report()
    report.serviceTier = nil
    return report
  }
}

/// Reads the result of a moderation. It costs nothing and reports no usage, by design.
struct ModerationAnswer: AnswerReader {
  static let reportableDetails: Set<PricedQuantity> = []

  var members = AnswerMembers(hasOutput: false)

  init(for facts: RequestFacts) {}

  mutating func read(answer root: JSONValue) {
    for member in root.members { _ = members.read(member) }
  }

  var report: UsageReport {
    var report = members.report()
    report.usage = .zero
    return report
  }
}

/// Reads a legacy completion, or a stream of its chunks.
struct CompletionAnswer: AnswerReader {
  static let reportableDetails: Set<PricedQuantity> = [.cachedInput]

  var members = AnswerMembers()

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

  var isError: Bool { members.isError }

  var report: UsageReport { members.report() }
}
