public import Budgets
internal import JSON
internal import Money
public import Time

/// A budget that no file declares, as `client_budgets` records it.
public struct StoredBudget: Hashable, Sendable {
  public var id: BudgetID
  public var per: BudgetDefinition.Per
  public var limit: BudgetLimit
  /// The period as `BudgetPeriod.description` writes it.
  public var period: String
  public var enforcement: BudgetDefinition.Enforcement
  /// Percentages, ascending.
  public var alerts: [Int]
  public var createdAt: Timestamp
  public var updatedAt: Timestamp

  public init(
    id: BudgetID, per: BudgetDefinition.Per, limit: BudgetLimit, period: String,
    enforcement: BudgetDefinition.Enforcement, alerts: [Int], createdAt: Timestamp,
    updatedAt: Timestamp? = nil
  ) {
    self.id = id
    self.per = per
    self.limit = limit
    self.period = period
    self.enforcement = enforcement
    self.alerts = alerts
    self.createdAt = createdAt
    self.updatedAt = updatedAt ?? createdAt
  }
}

/// The times at which a budget, declared or not, was created and last changed.
public struct BudgetDates: Hashable, Sendable {
  public var createdAt: Timestamp
  public var updatedAt: Timestamp
}

extension StoredBudget: TableRecord {
  static let table = RecordTable<StoredBudget>(
    "client_budgets", key: ["id"], where: "source = 'api'", ifUnreadable: .closesClient,
    blank: StoredBudget(
      id: BudgetID(client: "", name: ""), per: .client, limit: .tokens(0), period: "",
      enforcement: .hard, alerts: [], createdAt: Timestamp(milliseconds: 0)),
    title: { "budget \($0.id)" },
    columns: [
      id,
      RecordColumn("per", \.per),
      limit,
      RecordColumn("period", \.period),
      RecordColumn("enforcement", \.enforcement),
      RecordColumn("alerts", \.alerts),
      RecordColumn("created_at", \.createdAt),
      RecordColumn("updated_at", \.updatedAt),
      .constant("source", "api"),
    ])

  private static let id = RecordColumn<StoredBudget> { budget, fields in
    fields.write("id", budget.id.description)
    fields.write("client_id", budget.id.client)
    fields.write("name", budget.id.name)
  } read: { budget, fields throws(UnreadableColumn) in
    budget.id = BudgetID(client: try fields.value("client_id"), name: try fields.value("name"))
  }

  private static let limit = RecordColumn<StoredBudget> { budget, fields in
    fields.write("mode", budget.limit.mode.rawValue)
    fields.write("limit_tokens", budget.limit.tokens)
    fields.write("limit_cost_nano", budget.limit.cost?.nanoUnits)
    fields.write("currency", budget.limit.cost?.currency.code)
  } read: { budget, fields throws(UnreadableColumn) in
    let tokens = fields.integer("limit_tokens")
    let currency = fields.text("currency").flatMap { Currency($0) }
    let cost = fields.integer("limit_cost_nano").flatMap { nanoUnits in
      currency.map { Money(nanoUnits: nanoUnits, currency: $0) }
    }
    switch (tokens, cost) {
    case (let tokens?, let cost?): budget.limit = .both(tokens: tokens, cost: cost)
    case (let tokens?, nil): budget.limit = .tokens(tokens)
    case (nil, let cost?): budget.limit = .cost(cost)
    case (nil, nil): throw UnreadableColumn(name: "limit")
    }
  }
}

extension BudgetDefinition.Per: ColumnValue {}
extension BudgetDefinition.Enforcement: ColumnValue {}

extension StoredBudget: AuditedRecord {
  var auditTarget: String { "budget:\(id)" }
  var auditedClient: String? { id.client }

  func writeAudited(to object: inout JSONWriter) {
    object.member("id", id.description)
    object.member("per", per.rawValue)
    object.member("mode", limit.mode.rawValue)
    object.member("tokens") { $0.optional(limit.tokens) }
    object.member("cost", limit.cost?.decimalText)
    object.member("currency", limit.cost?.currency.code)
    object.member("period", period)
    object.member("enforcement", enforcement.rawValue)
    object.member("alerts") { $0.raw(alerts.stored.utf8) }
  }
}

extension LedgerReader {
  /// Returns the budgets that no file declares.
  /// - Throws: `LedgerError` if the database can't be read.
  public func storedBudgets() throws(LedgerError) -> [StoredBudget] {
    try connection.all()
  }

  /// Returns the times at which each budget was created and last changed, by its ID.
  /// - Throws: `LedgerError` if the database can't be read, or a row can't be understood.
  public func budgetDates() throws(LedgerError) -> [String: BudgetDates] {
    let select = try connection.prepare("SELECT id, created_at, updated_at FROM client_budgets")
    var dates: [String: BudgetDates] = [:]
    try select.forEachRow { () throws(LedgerError) in
      let fields = ColumnReader(statement: select)
      dates[try fields.requiredText("id", of: "a budget")] = BudgetDates(
        createdAt: try fields.requiredInstant("created_at", of: "a budget"),
        updatedAt: try fields.requiredInstant("updated_at", of: "a budget"))
    }
    return dates
  }
}
