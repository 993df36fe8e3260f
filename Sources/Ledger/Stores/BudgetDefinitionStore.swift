internal import Budgets
internal import JSON
internal import Money
internal import Time

/// `client_budgets`: the budgets that the configuration declares.
final class BudgetDefinitionStore {
  private let replace: Statement
  private let remove: Statement

  init(_ connection: Connection) throws(LedgerError) {
    replace = try connection.prepare(BudgetDefinitionStore.replaceBudget)
    remove = try connection.prepare(BudgetDefinitionStore.removeOthers(connection.dialect))
  }

  /// Leaves the declared budgets and no others; one that is unchanged keeps its `updated_at`. They
  /// are written in the order in which every server does.
  func sync(_ definitions: [BudgetDefinition], at now: Timestamp) throws(LedgerError) {
    var ids = JSONWriter()
    ids.array { ids in
      for definition in definitions { ids.string(definition.id.description) }
    }
    remove.bind(utf8: ids.bytes, at: 1)
    try remove.run()
    let sorted = definitions.sorted { $0.id.description < $1.id.description }
    for definition in sorted {
      var parameters = ParameterWriter(replace)
      definition.write(to: &parameters, at: now)
      try replace.run()
    }
  }

  private static func removeOthers(_ dialect: Dialect) -> String {
    "DELETE FROM client_budgets WHERE source = 'file' AND id NOT IN \(dialect.texts(of: "?"))"
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

extension BudgetDefinition {
  /// The fields in the order of the parameters of `replaceBudget`.
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
