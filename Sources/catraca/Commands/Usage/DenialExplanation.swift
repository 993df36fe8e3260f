internal import Ledger
internal import Time

/// Why a budget refused a request.
struct DenialExplanation {
  let denial: DenialRow
  /// Of a limit in money.
  let currency: String?

  var document: Document {
    let record = Record(Denials.columns, Denials.row(denial))
    return Document(sections: [.lines(sentences), .record(record)], table: record.table) {
      $0.record(record)
    }
  }

  private var sentences: [String] {
    let budget = denial.budgetID.map { "budget \($0)" } ?? "a budget"
    let reset =
      denial.resetAt.map { "It starts again at \($0.rfc3339)." } ?? "It never starts again."
    switch denial.reason {
    case .tokenLimit, .costLimit:
      return [
        "Refused by \(budget): \(figure(denial.used)) used + \(figure(denial.held)) held by others "
          + "+ \(figure(denial.requested)) that the request may need, of "
          + "\(figure(denial.limitValue)) \(unit).",
        reset,
      ]
    case .conversationLimit:
      return ["Refused by the plan: it has no conversation left to begin.", reset]
    case .paused:
      return ["Refused by \(budget): it is paused."]
    case .budgetContended:
      return [
        "Refused by \(budget): it could pay, but not while others held their bounds. A retry may "
          + "pass."
      ]
    }
  }

  private var unit: String {
    denial.reason == .costLimit ? currency ?? "of its currency" : "tokens"
  }

  private func figure(_ value: Int64) -> String {
    let cell: Cell = denial.reason == .costLimit ? .nanoUnits(value) : .integer(value)
    return cell.shown
  }
}
