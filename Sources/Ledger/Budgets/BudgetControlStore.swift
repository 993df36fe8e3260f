internal import Budgets
internal import Time

/// Reads and writes `budget_controls` and `budget_resets`: administrators' changes to budgets,
/// declared or not.
struct BudgetControlStore {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) {
    self.connection = connection
  }

  /// Returns all controls; whole budgets come before their subjects.
  func all() throws(LedgerError) -> [BudgetControl] {
    let select = try connection.prepare("SELECT * FROM budget_controls ORDER BY budget_id, subject")
    return try select.rows(
      passingOver: connection.unreadable, .closesClient, BudgetControl.init(from:))
  }

  func find(_ target: Target) throws(LedgerError) -> BudgetControl {
    try all().first { $0.target == target } ?? BudgetControl(target: target)
  }

  func replace(_ control: BudgetControl) throws(LedgerError) {
    let replace = try connection.prepare(BudgetControlStore.replaceControl)
    try replace.run(
      control.target.budget.description, control.target.subjectText,
      control.isPaused.map { $0 ? 1 : 0 }, control.raise?.amount.tokens,
      control.raise?.amount.nanoUnits, control.raise?.until.rfc3339)
  }

  /// Makes the pause of each subject follow the whole budget's.
  func forgetPauses(ofSubjectsOf budget: BudgetID) throws(LedgerError) {
    try run("UPDATE budget_controls SET paused = NULL WHERE budget_id = ?", budget)
  }

  /// Makes the raise of each subject follow the whole budget's.
  func forgetRaises(ofSubjectsOf budget: BudgetID) throws(LedgerError) {
    try run(
      """
      UPDATE budget_controls SET raise_tokens = NULL, raise_cost_nano = NULL, raise_until = NULL
      WHERE budget_id = ?
      """, budget)
  }

  /// Removes a budget's controls. Its resets stay, as its use does, so that cleared use stays
  /// cleared if the budget comes back. IDs of resets are therefore never reused, and servers find
  /// new resets by the IDs above the last known one.
  func removeAll(of budget: BudgetID) throws(LedgerError) {
    try run("DELETE FROM budget_controls WHERE budget_id = ?", budget)
  }

  private func run(_ sql: String, _ budget: BudgetID) throws(LedgerError) {
    let statement = try connection.prepare(sql)
    try statement.run(budget.description)
  }

  func append(_ use: ResetUse, of target: Target, at now: Timestamp) throws(LedgerError) {
    let insert = try connection.prepare(
      "INSERT INTO budget_resets (budget_id, subject, usage, created_at) VALUES (?, ?, ?, ?)")
    try insert.run(target.budget.description, target.subjectText, use.rawValue, now.rfc3339)
  }

  /// Returns the resets with a larger ID, in order.
  func resets(after id: Int64) throws(LedgerError) -> [BudgetReset] {
    let select = try connection.prepare("SELECT * FROM budget_resets WHERE id > ? ORDER BY id")
    select.bind(id)
    return try read(select)
  }

  /// Returns all resets of these budgets, in order.
  func resets(of budgets: Set<BudgetID>) throws(LedgerError) -> [BudgetReset] {
    try resets(after: 0).filter { budgets.contains($0.target.budget) }
  }

  private func read(_ select: Statement) throws(LedgerError) -> [BudgetReset] {
    let record = "a reset of a budget"
    // Without an unreadable reset, cleared use counts again, which admits nothing more than before.
    return try select.rows(passingOver: connection.unreadable, .isLeftOut) {
      fields throws(LedgerError) in
      BudgetReset(
        id: fields.integer("id") ?? 0, target: try Target(from: fields, of: record),
        use: try fields.required(
          "usage", of: record, fields.text("usage").flatMap { ResetUse(rawValue: $0) }),
        at: try fields.requiredInstant("created_at", of: record))
    }
  }

  private static let replaceControl = Upsert(
    into: "budget_controls", key: ["budget_id", "subject"],
    columns: [
      "budget_id", "subject", "paused", "raise_tokens", "raise_cost_nano", "raise_until",
    ]
  ).sql
}
