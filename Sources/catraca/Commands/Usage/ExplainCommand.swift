internal import Ledger
internal import Time

/// `catraca explain REQUEST_ID`: why a request cost what it cost, or why it was refused.
enum Explain {
  private static let request = Parameter(
    "request", ArgumentFormat<String>.text("REQUEST_ID"), "as x-catraca-request-id says it",
    isRequired: true)

  static let command = Command(
    "explain", "tells why a request cost what it cost, or why it was refused",
    arguments: [request],
    options: [CommonOptions.config, CommonOptions.ledger, CommonOptions.format],
    examples: [
      Command.Example(
        line: "explain 019aab6e-3c1b-7000-8000-5f2d8a90b1c3",
        meaning: "quantities × prices = cost, what was held, and the budgets that paid")
    ]
  ) { invocation throws(CommandError) in
    let name = try invocation.values.required(request)
    let reader = try invocation.reader()
    let document = try invocation.ledger { () throws(LedgerError) -> Document? in
      guard let id = RequestID(name.lowercased()) else { return nil }
      if let entry = try reader.usageLogEntry(id) {
        let record = try entry.content.priceVersion.flatMap { version throws(LedgerError) in
          try reader.priceRecord(version: version)
        }
        return CostExplanation(
          entry: entry, priceRecord: record,
          charges: try reader.budgetCharges(of: entry.content)
        ).document
      }
      if let denial = try reader.denial(id) {
        let budgets = try reader.budgetStatus(clientID: nil)
        let budget = budgets.first { $0.budgetID == denial.budgetID }
        return DenialExplanation(denial: denial, currency: budget?.currency).document
      }
      if let row = try reader.openIntents().first(where: { $0.requestID == id }) {
        return unsettled(row, "The request is in flight; were it interrupted now, it would be:")
      }
      return try reader.deferredRequests().first { $0.requestID == id }.map(deferred)
    }
    guard let document else {
      throw .failed(
        "there is no request \(name) in \(try invocation.ledgerLocation()); a request that reached "
          + "no provider, and that no budget refused, is only in the log")
    }
    return CommandOutcome(.document(document))
  }

  /// A background response or a batch that the provider hasn't ended yet, as far as is known.
  private static func deferred(_ request: DeferredRequest) -> Document {
    let lines = request.progress.settledLines
    let settled = lines == 0 ? "" : ", and \(lines) lines of its results have rows of their own"
    return unsettled(
      request.expected.row,
      "The provider is at work on \(request.objectID)\(settled). "
        + "Still held: \(Cell.integer(request.progress.heldTokens).shown) tokens, "
        + "\(Cell.nanoUnits(request.progress.heldNanoUSD).shown) USD. "
        + "If nothing more is learned of it, it is at least:")
  }

  private static func unsettled(_ row: UsageRow, _ sentence: String) -> Document {
    let record = UsageRowJSON.record(row)
    return Document(sections: [.lines([sentence]), .record(record)], table: record.table) {
      $0.record(record)
    }
  }
}

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
