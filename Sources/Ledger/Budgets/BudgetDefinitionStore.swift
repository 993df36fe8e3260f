internal import Budgets
internal import JSON
internal import Money
internal import Time

/// Writes the configuration's budgets to `client_budgets`.
final class BudgetDefinitionStore {
  private let connection: DatabaseConnection
  private let replace: Statement
  private let remove: Statement

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    self.connection = connection
    replace = try connection.prepare(BudgetDefinitionStore.replaceBudget)
    remove = try connection.prepare("DELETE FROM client_budgets WHERE id = ? AND source = 'file'")
  }

  /// Writes the changes. A budget that turns out to be unchanged keeps its `updated_at`.
  func write(_ changes: BudgetChanges, at now: Timestamp) throws(LedgerError) {
    try connection.take(.edits)
    for id in changes.removed {
      try remove.run(id)
    }
    for definition in changes.written {
      var parameters = ParameterWriter(replace)
      definition.write(to: &parameters, at: now)
      try replace.run()
    }
  }

  private static let replaceBudget = """
    INSERT INTO client_budgets (id, client_id, name, per, mode, limit_tokens, limit_cost_nano,
      currency, period, enforcement, source, created_at, updated_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'file', ?11, ?11)
    ON CONFLICT (id) DO UPDATE SET per = excluded.per, mode = excluded.mode,
      limit_tokens = excluded.limit_tokens, limit_cost_nano = excluded.limit_cost_nano,
      currency = excluded.currency, period = excluded.period, enforcement = excluded.enforcement,
      source = excluded.source, updated_at = excluded.updated_at
    WHERE (client_budgets.per, client_budgets.mode, client_budgets.limit_tokens,
        client_budgets.limit_cost_nano, client_budgets.currency, client_budgets.period,
        client_budgets.enforcement, client_budgets.source)
      IS DISTINCT FROM (excluded.per, excluded.mode, excluded.limit_tokens,
        excluded.limit_cost_nano, excluded.currency, excluded.period, excluded.enforcement,
        excluded.source)
    """
}

extension LedgerReader {
  /// Returns the changes that make `definitions` the only declared budgets.
  ///
  /// Existing rows are read instead of rewritten: of a hundred thousand budgets, few change.
  func budgetChanges(to definitions: [BudgetDefinition]) throws(LedgerError) -> BudgetChanges {
    let select = try connection.prepare(LedgerReader.selectDeclaredBudgets)
    var places: [String: Int] = [:]
    places.reserveCapacity(definitions.count)
    for (place, definition) in definitions.enumerated() {
      places[definition.id.description] = place
    }
    var isWritten = [Bool](repeating: false, count: definitions.count)
    var removed: [String] = []
    try select.forEachRow { () throws(LedgerError) in
      guard let id = select.text(0) else { return }
      guard let place = places[id] else { return removed.append(id) }
      isWritten[place] = definitions[place].isWritten(in: select)
    }
    return BudgetChanges(
      written: zip(definitions, isWritten).lazy.filter { !$0.1 }.map(\.0), removed: removed)
  }

  private static let selectDeclaredBudgets = """
    SELECT id, per, mode, limit_tokens, limit_cost_nano, currency, period, enforcement
    FROM client_budgets WHERE source = 'file'
    """
}

extension BudgetDefinition {
  /// Whether the row that was read equals the row to write.
  fileprivate func isWritten(in row: Statement) -> Bool {
    row.text(1) == per.rawValue && row.text(2) == limit.mode.rawValue
      && row.integer(3) == limit.tokens && row.integer(4) == limit.cost?.nanoUnits
      && row.text(5) == limit.cost?.currency.code && row.text(6) == period.description
      && row.text(7) == enforcement.rawValue
  }

  /// Writes the fields in the order of the parameters of `replaceBudget`.
  fileprivate func write(to fields: inout some FieldWriter, at now: Timestamp) {
    fields.write("id", id.description)
    fields.write("client_id", id.client)
    fields.write("name", id.name)
    fields.write("per", per.rawValue)
    fields.write("mode", limit.mode.rawValue)
    fields.write("limit_tokens", limit.tokens)
    fields.write("limit_cost_nano", limit.cost?.nanoUnits)
    fields.write("currency", limit.cost?.currency.code)
    fields.write("period", period.description)
    fields.write("enforcement", enforcement.rawValue)
    fields.write("created_at", now.rfc3339)
  }
}

/// The changes that make `client_budgets` equal to the configuration's budgets.
package struct BudgetChanges: Sendable {
  /// The budgets that are missing or different in the table.
  var written: ArraySlice<BudgetDefinition>
  /// The IDs of budgets that are no longer declared.
  var removed: ArraySlice<String>

  init(written: [BudgetDefinition], removed: [String]) {
    self.written = written[...]
    self.removed = removed[...]
  }

  var isEmpty: Bool { written.isEmpty && removed.isEmpty }

  /// Removes and returns the changes for one transaction: at most `limit` budgets.
  mutating func takeFirst(_ limit: Int) -> BudgetChanges {
    var first = self
    first.removed = removed.prefix(limit)
    first.written = written.prefix(limit - first.removed.count)
    removed = removed.dropFirst(first.removed.count)
    written = written.dropFirst(first.written.count)
    return first
  }
}
