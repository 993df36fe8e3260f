import JSON
import Pricing

/// Reads the result of a moderation. It costs nothing and reports no usage, by design.
struct ModerationAnswer: AnswerReader {
  static let reportableDetails: Set<PricedQuantity> = []

  private var members = AnswerMembers()

  init(for facts: RequestFacts) {}

  mutating func read(answer root: JSONValue) {
    for member in root.members { _ = members.read(member) }
  }

  mutating func noteUnreadable() {
    members.noteUnreadable()
  }

  var report: UsageReport {
    var report = members.report()
    report.usage = .zero
    return report
  }
}
