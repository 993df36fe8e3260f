import JSON
import Pricing

/// Reads a list of embeddings, whose usage has only input.
struct EmbeddingAnswer: AnswerReader {
  static let reportableDetails: Set<PricedQuantity> = []

  private var members = AnswerMembers()

  init(for facts: RequestFacts) {}

  mutating func read(answer root: JSONValue) {
    for member in root.members { _ = members.read(member) }
  }

  mutating func noteUnreadable() {
    members.noteUnreadable()
  }

  var report: UsageReport { members.report() }
}
