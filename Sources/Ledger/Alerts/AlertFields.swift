public import Budgets
internal import Money
internal import Time

extension Alert {
  /// Writes the fields with the names of `alerts`, in the order of its columns.
  func write(to fields: inout some FieldWriter) {
    fields.write("type", type)
    fields.write("client_id", budgetID.client)
    fields.write("budget_id", budgetID.description)
    fields.write("subject", subject)
    fields.write("window_start", window.start.rfc3339)
    fields.write("window_end", window.end?.rfc3339)
    fields.write("threshold", percent.map { Int64($0) })
    fields.write("unit", unit.recordedName)
    fields.write("limit_value", limitValue)
    fields.write("used", used)
    fields.write("created_at", createdAt.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let record = "an alert"
    func text(_ name: String) throws(LedgerError) -> String {
      try fields.requiredText(name, of: record)
    }
    let percent = fields.integer("threshold").map { Int($0) }
    let subject = try text("subject")
    let charge = String(subject.drop { $0 != ":" }.dropFirst())
    let kind: Kind =
      switch try text("type") {
      case Alert.paymentFailed: .paymentFailed(charge: charge)
      case Alert.paymentMismatch: .paymentMismatch(charge: charge)
      case Alert.priceMissing: .priceMissing
      default: percent.map { .threshold(percent: $0) } ?? .exceeded
      }
    self.init(
      kind: kind,
      budgetID: try fields.required(
        "budget_id", of: record, BudgetID(recorded: try text("budget_id"))),
      subject: subject,
      window: BudgetWindow(
        start: try fields.required(
          "window_start", of: record, Timestamp(rfc3339: try text("window_start"))),
        end: fields.text("window_end").flatMap { Timestamp(rfc3339: $0) }),
      unit: try fields.required("unit", of: record, CountedUnit(recorded: try text("unit"))),
      limitValue: fields.integer("limit_value") ?? 0, used: fields.integer("used") ?? 0,
      createdAt: try fields.required(
        "created_at", of: record, Timestamp(rfc3339: try text("created_at"))))
  }
}

extension CountedUnit {
  /// The unit's name in the ledger: `tokens`, `conversations`, or a currency's code.
  public var recordedName: String {
    switch self {
    case .tokens: "tokens"
    case .conversations: "conversations"
    case .nanoUnits(let currency): currency.code
    }
  }

  fileprivate init?(recorded name: String) {
    switch name {
    case "tokens": self = .tokens
    case "conversations": self = .conversations
    default:
      guard let currency = Currency(name) else { return nil }
      self = .nanoUnits(currency)
    }
  }
}
