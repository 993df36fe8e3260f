internal import Budgets
internal import JSON
internal import Money
internal import Time

extension JSONWriter {
  /// A settlement as an object. The record of its prices is long, and left out where the
  /// database has it already.
  mutating func settlement(_ settlement: SettledRequest, withPriceRecord: Bool) {
    object { text in
      text.member("row") { row in row.record { settlement.row.write(to: &$0) } }
      if withPriceRecord {
        text.fields { $0.write("price_record", settlement.priceRecord) }
      }
      text.member("charges") { charges in
        charges.array { elements in
          for charge in settlement.charges { elements.charge(charge) }
        }
      }
      if !settlement.draws.isEmpty {
        text.member("draws") { draws in
          draws.array { elements in
            for draw in settlement.draws { elements.record { draw.write(to: &$0) } }
          }
        }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func charge(_ charge: BudgetCharge) {
    object { text in
      text.fields { charge.write(to: &$0) }
      guard !charge.alerts.isEmpty else { return }
      text.member("alerts") { alerts in
        alerts.array { elements in
          for alert in charge.alerts { elements.record { alert.write(to: &$0) } }
        }
      }
    }
  }
}

/// Reads settlements back from their JSON, with SQLite's JSON functions.
final class SettlementReader {
  private let fields: Statement
  private let elements: Statement

  init(_ connection: Connection) throws(LedgerError) {
    fields = try connection.prepare("SELECT key, value FROM json_each(?1, ?2)")
    elements = try connection.prepare("SELECT value FROM json_each(?1, ?2)")
  }

  /// The settlement that is written at `path` of `json`, such as `$.settle`.
  func settlement(in json: String, at path: String) throws(LedgerError) -> SettledRequest {
    SettledRequest(
      row: try UsageRow(from: try object(in: json, at: "\(path).row")),
      charges: try array(in: json, at: "\(path).charges").map { element throws(LedgerError) in
        try charge(in: element)
      },
      draws: try array(in: json, at: "\(path).draws").map { element throws(LedgerError) in
        try CreditDraw(from: try object(in: element, at: "$"))
      },
      priceRecord: try object(in: json, at: path).text("price_record"))
  }

  private func charge(in json: String) throws(LedgerError) -> BudgetCharge {
    let members = try object(in: json, at: "$")
    var charge = try BudgetCharge(from: members)
    guard members.text("alerts") != nil else { return charge }
    charge.alerts = try array(in: json, at: "$.alerts").map { alert throws(LedgerError) in
      try Alert(from: try object(in: alert, at: "$"))
    }
    return charge
  }

  func object(in json: String, at path: String) throws(LedgerError) -> ObjectReader {
    fields.bind(json, at: 1)
    fields.bind(path, at: 2)
    var object = ObjectReader()
    try fields.forEachRow { () throws(LedgerError) in
      guard let key = fields.text(0) else { return }
      object.integers[key] = fields.integer(1)
      object.texts[key] = fields.text(1)
    }
    return object
  }

  func array(in json: String, at path: String) throws(LedgerError) -> [String] {
    elements.bind(json, at: 1)
    elements.bind(path, at: 2)
    var values: [String] = []
    try elements.forEachRow { () throws(LedgerError) in
      if let value = elements.text(0) { values.append(value) }
    }
    return values
  }
}

/// One JSON object that was read; a zero that was left out is missing.
struct ObjectReader: FieldReader {
  fileprivate(set) var integers: [String: Int64] = [:]
  fileprivate(set) var texts: [String: String] = [:]

  func integer(_ name: String) -> Int64? { integers[name] }
  func text(_ name: String) -> String? { texts[name] }
}

extension BudgetAccountKey {
  /// The fields under the names of `budget_accounts`, in the order of its columns.
  func write(to fields: inout some FieldWriter) {
    fields.write("budget_id", budgetID.description)
    fields.write("subject", subject)
    fields.write("period", period)
    fields.write("window_start", windowStart.rfc3339)
    fields.write("window_end", windowEnd?.rfc3339)
    fields.write("currency", currency.code)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let record = "a budget account"
    func text(_ name: String) throws(LedgerError) -> String {
      try fields.requiredText(name, of: record)
    }
    let end = fields.text("window_end")
    let windowEnd = end.flatMap { Timestamp(rfc3339: $0) }
    guard (end == nil) == (windowEnd == nil) else {
      throw .unreadable(record: "window_end of \(record)")
    }
    self.init(
      budgetID: try fields.required(
        "budget_id", of: record, BudgetID(recorded: try text("budget_id"))),
      subject: try text("subject"), period: try text("period"),
      windowStart: try fields.required(
        "window_start", of: record, Timestamp(rfc3339: try text("window_start"))),
      windowEnd: windowEnd,
      currency: try fields.required("currency", of: record, Currency(try text("currency"))))
  }
}

extension BudgetCharge {
  fileprivate func write(to fields: inout some FieldWriter) {
    account.write(to: &fields)
    fields.write("tokens", tokens)
    fields.write("cost_nano", costNano)
  }

  fileprivate init(from fields: some FieldReader) throws(LedgerError) {
    self.init(
      account: try BudgetAccountKey(from: fields), tokens: fields.integer("tokens") ?? 0,
      costNano: fields.integer("cost_nano") ?? 0)
  }
}

extension BudgetID {
  /// Reads `CLIENT/NAME`.
  init?(recorded text: String) {
    guard let slash = text.firstIndex(of: "/") else { return nil }
    self.init(
      client: String(text[..<slash]), name: String(text[text.index(after: slash)...]))
  }
}
