public import JSON
public import Money
public import Pricing
public import Time

/// A plan that no file declares, as `plans` records it.
public struct StoredPlan: Hashable, Sendable {
  public var name: String
  public var displayName: String
  /// The token limit of a month; nil for no limit, and 0 allows nothing.
  public var monthlyTokens: Int64?
  public var monthlyConversations: Int64?
  public var billing: PlanBilling?
  /// The markup of clients without their own; nil for none.
  public var markup: Markup?
  public var createdAt: Timestamp
  public var updatedAt: Timestamp

  public init(
    name: String, displayName: String, monthlyTokens: Int64?, monthlyConversations: Int64?,
    billing: PlanBilling?, markup: Markup? = nil, createdAt: Timestamp, updatedAt: Timestamp? = nil
  ) {
    self.name = name
    self.displayName = displayName
    self.monthlyTokens = monthlyTokens
    self.monthlyConversations = monthlyConversations
    self.billing = billing
    self.markup = markup
    self.createdAt = createdAt
    self.updatedAt = updatedAt ?? createdAt
  }

  /// Creates a plan that allows nothing, in place of one that can't be read.
  init(closed name: String) {
    self.init(
      name: name, displayName: name, monthlyTokens: 0, monthlyConversations: 0, billing: nil,
      createdAt: Timestamp(milliseconds: 0))
  }
}

extension StoredPlan: TableRecord {
  static let table = RecordTable<StoredPlan>(
    "plans", key: ["name"], ifUnreadable: .closesPlan, blank: StoredPlan(closed: ""),
    title: { "plan \($0.name)" },
    columns: [
      RecordColumn("name", \.name),
      RecordColumn("display_name", \.displayName),
      RecordColumn("monthly_tokens", \.monthlyTokens),
      RecordColumn("monthly_conversations", \.monthlyConversations),
      RecordColumn(billing: \.billing),
      RecordColumn("markup", \.markup),
      RecordColumn("created_at", \.createdAt),
      RecordColumn("updated_at", \.updatedAt),
    ])

  /// Returns all plans that no file declares, by name.
  ///
  /// Clients on an unreadable plan must not fall back to another plan, so it is returned as closed.
  static func all(_ connection: DatabaseConnection) throws(LedgerError) -> [StoredPlan] {
    try connection.prepare(table.selection()).rows { fields throws(LedgerError) in
      do throws(LedgerError) {
        return try table.read(fields)
      } catch {
        guard case .unreadable(let record) = error, let unreadable = connection.unreadable
        else { throw error }
        let name = try fields.requiredText("name", of: "a plan")
        unreadable.note(
          UnreadableRow(clientID: nil, record: "plan \(name): \(record)", effect: table.effect))
        return StoredPlan(closed: name)
      }
    }
  }
}

extension StoredPlan: AdministeredRecord {
  var auditTarget: String { "plan:\(name)" }
  var auditedClient: String? { nil }

  func writeAudited(to object: inout JSONWriter) {
    object.member("name", name)
    object.member("display_name", displayName)
    object.member("monthly_tokens") { $0.optional(monthlyTokens) }
    object.member("monthly_conversations") { $0.optional(monthlyConversations) }
    object.member("billing") { member in
      guard let billing else { return member.null() }
      member.object { billing.writeMembers(to: &$0) }
    }
    object.member("markup", markup?.description)
  }
}

/// The columns of a plan's prices, which `plans`, `billing_agreements` and `billing_periods` share.
extension RecordColumn {
  /// Prices that a record may lack; all columns are NULL then.
  init(billing path: Property<PlanBilling?>) {
    self.init { record, fields in
      PlanBilling.write(record[keyPath: path], to: &fields)
    } read: { record, fields throws(UnreadableColumn) in
      record[keyPath: path] = try PlanBilling(from: fields)
    }
  }

  init(billing path: Property<PlanBilling>) {
    self.init { record, fields in
      PlanBilling.write(record[keyPath: path], to: &fields)
    } read: { record, fields throws(UnreadableColumn) in
      guard let billing = try PlanBilling(from: fields) else {
        throw UnreadableColumn(name: "currency")
      }
      record[keyPath: path] = billing
    }
  }
}

extension PlanBilling {
  fileprivate static func write(_ billing: PlanBilling?, to fields: inout any FieldWriter) {
    fields.write("currency", billing?.currency.code)
    fields.write("fixed_fee_nano", billing?.fixedFee.nanoUnits)
    fields.write("measure", billing?.measure.rawValue)
    fields.write("included", billing?.included)
    fields.write("overage_every", billing?.overage?.every)
    fields.write("overage_charge_nano", billing?.overage?.charge.nanoUnits)
  }

  /// Returns nil if the columns are NULL.
  fileprivate init?(from fields: ColumnReader) throws(UnreadableColumn) {
    guard let currency: Currency = try fields.optionalValue("currency") else { return nil }
    func money(_ name: String) throws(UnreadableColumn) -> Money {
      Money(nanoUnits: try fields.value(name), currency: currency)
    }
    let overage = try fields.integer("overage_every").map { every throws(UnreadableColumn) in
      Overage(every: max(1, every), charge: try money("overage_charge_nano"))
    }
    self.init(
      fixedFee: try money("fixed_fee_nano"), measure: try fields.value("measure"),
      included: max(0, fields.integer("included") ?? 0), overage: overage)
  }
}

extension PlanBilling {
  /// Writes the prices as members, for the admin API and the audit log.
  public func writeMembers(to object: inout JSONWriter) {
    object.member("currency", currency.code)
    object.member("fixed_fee", fixedFee.decimalText)
    func write(_ amount: Int64, _ name: String, to object: inout JSONWriter) {
      switch measure {
      case .tokens: object.member("\(name)_tokens", amount)
      case .cost:
        object.member(
          "\(name)_cost", Money(nanoUnits: amount, currency: currency).decimalText)
      }
    }
    write(included, "included", to: &object)
    object.key("overage")
    guard let overage else { return object.null() }
    object.object { object in
      write(overage.every, "every", to: &object)
      object.member("charge", overage.charge.decimalText)
    }
  }
}
