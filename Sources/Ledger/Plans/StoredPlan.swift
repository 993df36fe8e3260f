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

/// Writes and reads a plan's fields with the names of `plans`, in the order of its columns.
extension StoredPlan {
  func write(to fields: inout some FieldWriter) {
    fields.write("name", name)
    fields.write("display_name", displayName)
    fields.write("monthly_tokens", monthlyTokens)
    fields.write("monthly_conversations", monthlyConversations)
    PlanBilling.write(billing, to: &fields)
    fields.write("markup", markup?.description)
    fields.write("created_at", createdAt.rfc3339)
    fields.write("updated_at", updatedAt.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let name = try fields.requiredText("name", of: "a plan")
    let record = "plan \(name)"
    self.init(
      name: name, displayName: try fields.requiredText("display_name", of: record),
      monthlyTokens: fields.integer("monthly_tokens"),
      monthlyConversations: fields.integer("monthly_conversations"),
      billing: try PlanBilling(from: fields, of: record),
      markup: try fields.markup(of: record),
      createdAt: try fields.requiredInstant("created_at", of: record),
      updatedAt: try fields.requiredInstant("updated_at", of: record))
  }

  /// The plan in the audit log, as JSON.
  var auditObject: String {
    var writer = JSONWriter()
    writer.object { object in
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
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// Writes and reads a plan's prices with the column names that `plans`, `billing_agreements` and
/// `billing_periods` share, in the order of their columns.
extension PlanBilling {
  /// - Parameter billing: The prices; nil makes all columns NULL.
  static func write(_ billing: PlanBilling?, to fields: inout some FieldWriter) {
    fields.write("currency", billing?.currency.code)
    fields.write("fixed_fee_nano", billing?.fixedFee.nanoUnits)
    fields.write("measure", billing?.measure.rawValue)
    fields.write("included", billing?.included)
    fields.write("overage_every", billing?.overage?.every)
    fields.write("overage_charge_nano", billing?.overage?.charge.nanoUnits)
  }

  /// Returns nil if the columns are NULL.
  init?(from fields: some FieldReader, of record: String) throws(LedgerError) {
    guard let code = fields.text("currency") else { return nil }
    let currency = try fields.required("currency", of: record, Currency(code))
    func money(_ name: String) throws(LedgerError) -> Money {
      Money(
        nanoUnits: try fields.required(name, of: record, fields.integer(name)),
        currency: currency)
    }
    let overage = try fields.integer("overage_every").map { every throws(LedgerError) in
      Overage(every: max(1, every), charge: try money("overage_charge_nano"))
    }
    self.init(
      fixedFee: try money("fixed_fee_nano"),
      measure: try fields.required(
        "measure", of: record, fields.text("measure").flatMap { Measure(rawValue: $0) }),
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
