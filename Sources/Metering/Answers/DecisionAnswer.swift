import JSON

/// Answers to questions about an input, of which the input is charged.
struct DecisionAnswer: AnswerReader {
  private var members = AnswerMembers()

  init(for facts: RequestFacts) {}

  mutating func read(answer root: JSONValue) {
    for member in root.members { _ = members.read(member) }
  }

  mutating func noteUnreadable() {
    members.noteUnreadable()
  }

  /// No tier that an answer might name changes that decisions have prices of their own.
  var report: UsageReport {
    var report = members.report()
    report.serviceTier = nil
    return report
  }
}
