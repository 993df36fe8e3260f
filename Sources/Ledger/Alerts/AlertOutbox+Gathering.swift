public import Budgets
public import Time

extension AlertOutbox {
  /// Returns the budgets whose alerts have no deliveries yet, the budget with the oldest alert
  /// first. Alerts about a whole client form a separate group, and so do alerts about its charges.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func unplannedGroups() throws(LedgerError) -> [UnplannedAlerts] {
    try connection.prepare(AlertOutbox.groups).rows { fields throws(LedgerError) in
      UnplannedAlerts(
        budget: try BudgetID(ofAlert: fields), areAlone: fields.integer("alone") == 1,
        count: fields.integer("alerts") ?? 0)
    }
  }

  /// Returns a group's alerts without deliveries, oldest first.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func unplanned(
    of group: UnplannedAlerts, limit: Int
  ) throws(LedgerError) -> [RecordedAlert] {
    let select = try connection.prepare(AlertOutbox.unplannedOfGroup)
    select.bind(group.budget.description, group.areAlone ? 1 : 0, limit)
    return try select.rows(RecordedAlert.init)
  }

  /// Plans one message for all alerts of a budget's subjects without deliveries.
  ///
  /// The most severe alert gets the text and the deliveries. Every other alert gets deliveries with
  /// the state `gathered`, and a body that names the first: `{"told_with":"UUID"}`.
  ///
  /// - Parameter text: Returns the text of the message; it may read the ledger.
  /// - Throws: `LedgerError.unavailable` or `LedgerError.unreadable`.
  public func planTogether(
    of budget: BudgetID, for channels: [String], at now: Timestamp,
    _ text: (GatheredAlerts) throws(LedgerError) -> AlertText
  ) throws(LedgerError) {
    try connection.transaction { () throws(LedgerError) in
      let gravest = try connection.prepare(AlertOutbox.gravestUnplanned)
      gravest.bind(budget.description)
      guard let lead = try gravest.rows(RecordedAlert.init).first else { return }
      let mark = "{\"told_with\":\"\(lead.id)\"}"
      // Another server that plans the same alerts waits here, and then finds none left.
      let claim = try connection.prepare(AlertOutbox.claimLead)
      claim.bind(mark, lead.number)
      guard try claim.changedRows() == 1 else { return }
      let claimOthers = try connection.prepare(AlertOutbox.claimOthers)
      try claimOthers.run(mark, budget.description, AlertOutbox.mostTogether)
      let gathered = GatheredAlerts(
        lead: lead, kinds: try kinds(of: budget, mark), named: try named(of: budget, mark))
      // The first alert now has its own text and no longer the mark.
      try plan(lead.number, try text(gathered), at: now, for: channels)
      let insert = try connection.prepare(AlertOutbox.insertGathered)
      for channel in channels {
        try insert.run(channel, budget.description, mark)
      }
    }
  }

  private func kinds(
    of budget: BudgetID, _ mark: String
  ) throws(LedgerError) -> [GatheredAlerts.Kind] {
    let select = try connection.prepare(AlertOutbox.markedKinds)
    select.bind(budget.description, mark)
    return try select.rows { fields in
      GatheredAlerts.Kind(
        percent: fields.integer("threshold").map { Int(clamping: $0) },
        count: fields.integer("alerts") ?? 0)
    }
  }

  private func named(of budget: BudgetID, _ mark: String) throws(LedgerError) -> [RecordedAlert] {
    let select = try connection.prepare(AlertOutbox.marked)
    select.bind(budget.description, mark, GatheredAlerts.mostNamed)
    return try select.rows(RecordedAlert.init)
  }

  /// The most alerts of one message; the next message includes the rest.
  private static let mostTogether: Int64 = 10_000

  private static let areAlone = """
    CASE WHEN type = '\(Alert.paymentFailed)' OR subject = 'client:' || client_id
    THEN 1 ELSE 0 END
    """
  /// Refusals first, then the highest percentage; within a kind, the oldest first.
  private static let gravestFirst =
    "ORDER BY CASE WHEN threshold IS NULL THEN 0 ELSE 1 END, threshold DESC"

  private static let groups = """
    SELECT budget_id, \(areAlone) AS alone, count(*) AS alerts FROM alerts WHERE body IS NULL
    GROUP BY budget_id, \(areAlone) ORDER BY min(id)
    """
  private static let unplannedOfGroup = """
    SELECT * FROM alerts WHERE body IS NULL AND budget_id = ? AND \(areAlone) = ?
    ORDER BY id LIMIT ?
    """
  private static let gravestUnplanned = """
    SELECT * FROM alerts WHERE body IS NULL AND budget_id = ? AND \(areAlone) = 0
    \(gravestFirst), id LIMIT 1
    """
  private static let claimLead = """
    UPDATE alerts SET sentence = '', body = ? WHERE id = ? AND body IS NULL
    """
  private static let claimOthers = """
    UPDATE alerts SET sentence = '', body = ?1 WHERE body IS NULL AND id IN (
      SELECT id FROM alerts WHERE body IS NULL AND budget_id = ?2 AND \(areAlone) = 0
      ORDER BY id LIMIT ?3)
    """
  private static let markedKinds = """
    SELECT threshold, count(*) AS alerts FROM alerts WHERE budget_id = ? AND body = ?
    GROUP BY threshold \(gravestFirst)
    """
  private static let marked = """
    SELECT * FROM alerts WHERE budget_id = ? AND body = ? \(gravestFirst), id LIMIT ?
    """
  private static let insertGathered = """
    INSERT INTO alert_deliveries (alert, channel, status, attempts, next_attempt_at)
    SELECT id, ?1, 'gathered', 0, NULL FROM alerts WHERE budget_id = ?2 AND body = ?3
    ON CONFLICT DO NOTHING
    """
}

extension RecordedAlert {
  init(_ fields: ColumnReader) throws(LedgerError) {
    self.init(
      number: fields.integer("id") ?? 0, id: try fields.requiredText("uuid", of: "an alert"),
      alert: try Alert(from: fields))
  }
}

extension BudgetID {
  fileprivate init(ofAlert fields: ColumnReader) throws(LedgerError) {
    let text = try fields.requiredText("budget_id", of: "an alert")
    self = try fields.required("budget_id", of: "an alert", BudgetID(recorded: text))
  }
}
