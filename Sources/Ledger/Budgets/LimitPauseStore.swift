public import Budgets
public import Time

/// Writes `limit_pauses`: one row for each account that a limit has paused, so that the pause
/// outlives a restart.
final class LimitPauseStore {
  private let replace: Statement
  private let remove: Statement

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    replace = try connection.prepare(LimitPauseStore.replaceRow)
    remove = try connection.prepare(LimitPauseStore.removeRows)
  }

  /// Replaces the account's recorded pause. Removes pauses whose windows have ended.
  func write(_ pause: LimitPause) throws(LedgerError) {
    try remove.run(pause.budget.description, pause.subject.description, pause.at.rfc3339)
    guard let unit = pause.unit else { return }
    var fields = ParameterWriter(replace)
    fields.write("budget_id", pause.budget.description)
    fields.write("subject", pause.subject.description)
    fields.write("window_start", pause.window.start.rfc3339)
    fields.write("window_end", pause.window.end?.rfc3339)
    fields.write("unit", unit.rawValue)
    fields.write("limit_value", pause.limit)
    fields.write("created_at", pause.at.rfc3339)
    try replace.run()
  }

  private static let replaceRow = Upsert(
    into: "limit_pauses", key: ["budget_id", "subject"],
    columns: [
      "budget_id", "subject", "window_start", "window_end", "unit", "limit_value", "created_at",
    ]
  ).sql
  private static let removeRows = """
    DELETE FROM limit_pauses WHERE (budget_id = ?1 AND subject = ?2) OR window_end <= ?3
    """
}

extension LedgerReader {
  /// Returns the pauses by limits whose windows haven't ended at `now`, since the budgets' last
  /// resets.
  /// - Throws: `LedgerError` if the database can't be read.
  public func limitPauses(liveAt now: Timestamp) throws(LedgerError) -> [LimitPause] {
    let select = try connection.prepare(LedgerReader.selectLimitPauses)
    select.bind(now.rfc3339)
    return try select.rows(passingOver: connection.unreadable, .isLeftOut) {
      fields throws(LedgerError) in
      let record = "a pause by a limit"
      let budget = try fields.requiredText("budget_id", of: record)
      let subject = try fields.requiredText("subject", of: record)
      let unit = try fields.requiredText("unit", of: record)
      return LimitPause(
        budget: try fields.required("budget_id", of: record, BudgetID(recorded: budget)),
        subject: try fields.required("subject", of: record, Subject(text: subject)),
        window: BudgetWindow(
          start: try fields.requiredInstant("window_start", of: record),
          end: fields.text("window_end").flatMap { Timestamp(rfc3339: $0) }),
        unit: try fields.required("unit", of: record, LimitUnit(rawValue: unit)),
        limit: fields.integer("limit_value") ?? 0,
        at: try fields.requiredInstant("created_at", of: record))
    }
  }

  private static let selectLimitPauses = """
    SELECT * FROM limit_pauses AS p WHERE (window_end IS NULL OR window_end > ?1)
      AND NOT EXISTS (SELECT 1 FROM budget_resets AS r WHERE r.budget_id = p.budget_id
        AND r.subject IN ('', p.subject) AND r.created_at > p.created_at)
    ORDER BY budget_id, subject
    """
}
