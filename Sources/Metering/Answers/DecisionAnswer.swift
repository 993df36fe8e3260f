import JSON

/// Reads answers to questions about an input. The input is charged.
struct DecisionAnswer: AnswerReader {
  private var members = AnswerMembers()

  init(for facts: RequestFacts) {}

  mutating func read(answer root: JSONValue) {
    for member in root.members { _ = members.read(member) }
  }

  mutating func noteUnreadable() {
    members.noteUnreadable()
  }

  /// The report without the answer's tier: decisions have their own prices, whatever tier an answer
  /// names.
  var report: UsageReport {
    var report = members.report()
    report.serviceTier = nil
    return report
  }
}
