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

extension BudgetDefinition.Per {
  /// Parses the value of a column.
  /// - Throws: `LedgerError.unreadable`.
  fileprivate static func read(
    _ text: String, of record: String
  ) throws(LedgerError) -> BudgetDefinition.Per {
    guard let per = BudgetDefinition.Per(rawValue: text) else {
      throw .unreadable(record: "per of \(record)")
    }
    return per
  }
}

/// Writes and reads a budget's fields with the names of `client_budgets`, in the order of its
/// columns.
extension StoredBudget {
  func write(to fields: inout some FieldWriter) {
    fields.write("id", id.description)
    fields.write("client_id", id.client)
    fields.write("name", id.name)
    fields.write("per", per.rawValue)
    fields.write("mode", limit.mode.rawValue)
    fields.write("limit_tokens", limit.tokens)
    fields.write("limit_cost_nano", limit.cost?.nanoUnits)
    fields.write("currency", limit.cost?.currency.code)
    fields.write("period", period)
    fields.write("enforcement", enforcement.rawValue)
    fields.write("alerts", alertsText)
    fields.write("created_at", createdAt.rfc3339)
    fields.write("updated_at", updatedAt.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let client = try fields.requiredText("client_id", of: "a budget")
    let id = BudgetID(client: client, name: try fields.requiredText("name", of: "a budget"))
    let record = "budget \(id)"
    self.init(
      id: id,
      per: try .read(try fields.requiredText("per", of: record), of: record),
      limit: try StoredBudget.limit(fields, of: record),
      period: try fields.requiredText("period", of: record),
      enforcement: try fields.required(
        "enforcement", of: record,
        fields.text("enforcement").flatMap { BudgetDefinition.Enforcement(rawValue: $0) }),
      alerts: try StoredBudget.alerts(fields.text("alerts"), of: record),
      createdAt: try fields.requiredInstant("created_at", of: record),
      updatedAt: try fields.requiredInstant("updated_at", of: record))
  }

  private static func limit(
    _ fields: some FieldReader, of record: String
  ) throws(LedgerError) -> BudgetLimit {
    let tokens = fields.integer("limit_tokens")
    let currency = fields.text("currency").flatMap { Currency($0) }
    let cost = fields.integer("limit_cost_nano").flatMap { nanoUnits in
      currency.map { Money(nanoUnits: nanoUnits, currency: $0) }
    }
    switch (tokens, cost) {
    case (let tokens?, let cost?): return .both(tokens: tokens, cost: cost)
    case (let tokens?, nil): return .tokens(tokens)
    case (nil, let cost?): return .cost(cost)
    case (nil, nil): throw .unreadable(record: "limit of \(record)")
    }
  }

  private static func alerts(
    _ text: String?, of record: String
  ) throws(LedgerError) -> [Int] {
    guard let text, let array = try? JSONParser().parse(Array(text.utf8)), array.kind == .array
    else { throw .unreadable(record: "alerts of \(record)") }
    return array.elements.compactMap { $0.integer.map(Int.init) }
  }

  private var alertsText: String { "[\(alerts.map(String.init).joined(separator: ","))]" }

  /// The budget in the audit log, as JSON.
  var auditObject: String {
    var writer = JSONWriter()
    writer.object { object in
      object.member("id", id.description)
      object.member("per", per.rawValue)
      object.member("mode", limit.mode.rawValue)
      object.key("tokens")
      if let tokens = limit.tokens { object.integer(tokens) } else { object.null() }
      object.member("cost", limit.cost?.decimalText)
      object.member("currency", limit.cost?.currency.code)
      object.member("period", period)
      object.member("enforcement", enforcement.rawValue)
      object.member("alerts") { $0.raw(alertsText.utf8) }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension BudgetControl {
  init(from fields: some FieldReader) throws(LedgerError) {
    let record = "a control of a budget"
    self.init(
      target: try Target(from: fields, of: record),
      isPaused: fields.integer("paused").map { $0 != 0 },
      raise: fields.instant("raise_until").map { until in
        Raise(
          amount: Spend(
            tokens: fields.integer("raise_tokens") ?? 0,
            nanoUnits: fields.integer("raise_cost_nano") ?? 0), until: until)
      })
  }

  /// Returns the control in the audit log, as JSON.
  ///
  /// - Parameter note: The reason for the setting; nil omits it.
  func auditObject(note: String? = nil) -> String {
    var writer = JSONWriter()
    writer.object { object in
      if let note { object.member("note", note) }
      object.member("subject", target.subject?.description)
      object.key("paused")
      if let isPaused { object.boolean(isPaused) } else { object.null() }
      object.key("raise")
      guard let raise else { return object.null() }
      object.object { object in
        object.member("tokens", raise.amount.tokens)
        object.member("cost_nano", raise.amount.nanoUnits)
        object.member("until", raise.until.rfc3339)
      }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension Target {
  /// Reads `budget_id` and `subject`.
  init(from fields: some FieldReader, of record: String) throws(LedgerError) {
    let id = try fields.requiredText("budget_id", of: record)
    guard let slash = id.firstIndex(of: "/") else {
      throw .unreadable(record: "budget_id of \(record)")
    }
    let text = try fields.requiredText("subject", of: record)
    let subject = Subject(text: text)
    guard text.isEmpty || subject != nil else {
      throw .unreadable(record: "subject of \(record)")
    }
    self.init(
      budget: BudgetID(client: String(id[..<slash]), name: String(id[id.index(after: slash)...])),
      subject: subject)
  }

  /// The text of the column `subject`.
  var subjectText: String { subject?.description ?? "" }
}
