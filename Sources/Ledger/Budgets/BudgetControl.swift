public import Budgets
internal import JSON
public import Time

/// An administrator's settings for a budget, or for one of its subjects, as `budget_controls`
/// records them.
public struct BudgetControl: Hashable, Sendable {
  public var target: Target
  /// Whether the target is paused; nil if a subject follows the whole budget.
  public var isPaused: Bool?
  public var raise: Raise?

  public init(target: Target, isPaused: Bool? = nil, raise: Raise? = nil) {
    self.target = target
    self.isPaused = isPaused
    self.raise = raise
  }
}

/// One reset of a budget, or of one of its subjects, as `budget_resets` records it.
public struct BudgetReset: Hashable, Sendable {
  /// Increases with each reset.
  public var id: Int64
  public var target: Target
  public var use: ResetUse
  public var at: Timestamp

  public init(id: Int64, target: Target, use: ResetUse, at: Timestamp) {
    self.id = id
    self.target = target
    self.use = use
    self.at = at
  }
}

extension BudgetControl: TableRecord {
  static let table = RecordTable<BudgetControl>(
    "budget_controls", key: ["budget_id", "subject"], ifUnreadable: .closesClient,
    blank: BudgetControl(target: .none), title: { _ in "a control of a budget" },
    columns: [
      RecordColumn(target: \.target),
      RecordColumn("paused", \.isPaused),
      RecordColumn { control, fields in
        fields.write("raise_tokens", control.raise?.amount.tokens)
        fields.write("raise_cost_nano", control.raise?.amount.nanoUnits)
        fields.write("raise_until", control.raise?.until.rfc3339)
      } read: { control, fields in
        let amount = Spend(
          tokens: fields.integer("raise_tokens") ?? 0,
          nanoUnits: fields.integer("raise_cost_nano") ?? 0)
        control.raise = fields.instant("raise_until").map { Raise(amount: amount, until: $0) }
      },
    ])

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

extension BudgetReset: TableRecord {
  /// Without an unreadable reset, cleared use counts again, which admits nothing more than before.
  static let table = RecordTable<BudgetReset>(
    "budget_resets", key: ["id"], ifUnreadable: .isLeftOut,
    blank: BudgetReset(id: 0, target: .none, use: .keep, at: Timestamp(milliseconds: 0)),
    title: { _ in "a reset of a budget" },
    columns: [
      .assigned("id", \.id),
      RecordColumn(target: \.target),
      RecordColumn("usage", \.use),
      RecordColumn("created_at", \.at),
    ])
}

extension ResetUse: ColumnValue {}

extension RecordColumn {
  /// A target, in the columns `budget_id` and `subject`.
  fileprivate init(target path: Property<Target>) {
    self.init { record, fields in
      fields.write("budget_id", record[keyPath: path].budget.description)
      fields.write("subject", record[keyPath: path].subjectText)
    } read: { record, fields throws(UnreadableColumn) in
      let text: String = try fields.value("subject")
      let subject = Subject(text: text)
      guard let budget = BudgetID(recorded: try fields.value("budget_id")) else {
        throw UnreadableColumn(name: "budget_id")
      }
      guard text.isEmpty || subject != nil else { throw UnreadableColumn(name: "subject") }
      record[keyPath: path] = Target(budget: budget, subject: subject)
    }
  }
}

extension Target {
  fileprivate static let none = Target(budget: BudgetID(client: "", name: ""))

  /// The text of the column `subject`.
  var subjectText: String { subject?.description ?? "" }
}

extension LedgerReader {
  /// Returns administrators' settings on budgets; whole budgets come before their subjects.
  /// - Throws: `LedgerError` if the database can't be read.
  public func budgetControls() throws(LedgerError) -> [BudgetControl] {
    try connection.all()
  }

  /// Returns the resets after the one with this ID, in order.
  /// - Throws: `LedgerError` if the database can't be read.
  public func budgetResets(after id: Int64) throws(LedgerError) -> [BudgetReset] {
    try connection.all(where: "id > ?", id)
  }

  /// Returns all resets of the budgets, in order.
  /// - Throws: `LedgerError` if the database can't be read.
  public func budgetResets(of budgets: Set<BudgetID>) throws(LedgerError) -> [BudgetReset] {
    budgets.isEmpty ? [] : try budgetResets(after: 0).filter { budgets.contains($0.target.budget) }
  }
}
