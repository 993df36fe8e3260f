import JSON
import Pricing

/// A list of embeddings, whose usage has input only.
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
