public import Money
internal import Pricing
public import Time

/// A client's debt for one block of one period, as `token_billing_charges` records it.
public struct BillingCharge: Hashable, Sendable {
  public enum Status: String, Sendable, Hashable, CaseIterable {
    /// Catraca doesn't collect the charge.
    case recorded
    /// The charge will be collected.
    case pending
    case succeeded
    /// The payment was refused.
    case failed
    /// The payer must act first.
    case needsAction = "needs_action"

    /// Whether a payment was tried and is still missing.
    public var isUnpaid: Bool { self == .failed || self == .needsAction }
  }

  /// Increases with each charge.
  public var id: Int64
  public var clientID: String
  /// The month in which the period begins: `2026-11`.
  public var period: String
  /// The block; 0 is the fixed fee.
  public var block: Int64
  /// The tier's range, for example `8M-16M`.
  public var tier: String
  /// The period's tokens at the time of the charge.
  public var tokensTotal: Int64
  /// The amount in the currency's smallest unit.
  public var amount: Int64
  public var currency: Currency
  public var status: Status
  /// The number of attempts to collect it.
  public var attempts: Int
  public var lastError: String?
  /// The payment provider's ID of the payment.
  public var paymentID: String?
  /// The request that passed the lower end of the tier; nil for the fixed fee.
  public var requestID: RequestID?
  /// The time since which collecting fails; nil if nothing has failed.
  public var failingSince: Timestamp?
  /// The time of the next attempt; nil if none is planned.
  public var nextAttemptAt: Timestamp?
  public var createdAt: Timestamp
  public var updatedAt: Timestamp

  /// The charge's name in the API: `chg_01`.
  public var name: String { BillingCharge.name(id) }

  static func name(_ id: Int64) -> String { "chg_\(id < 10 ? "0" : "")\(id)" }

  /// Returns the ID of the charge with this name; nil for any other text.
  public static func id(named name: String) -> Int64? {
    guard let id = Int64(name.dropFirst(4)), id > 0, BillingCharge.name(id) == name else {
      return nil
    }
    return id
  }

  public var money: Money? { Money(minorUnits: amount, currency: currency) }
}

extension BillingCharge {
  init(from fields: some FieldReader) throws(LedgerError) {
    let id = fields.integer("id") ?? 0
    let record = "charge \(BillingCharge.name(id))"
    func text(_ name: String) throws(LedgerError) -> String {
      try fields.requiredText(name, of: record)
    }
    self.init(
      id: id, clientID: try text("client_id"), period: try text("period"),
      block: fields.integer("block") ?? 0, tier: try text("billing_tier"),
      tokensTotal: fields.integer("tokens_total") ?? 0,
      amount: fields.integer("amount_charged") ?? 0,
      currency: try fields.required("currency", of: record, Currency(try text("currency"))),
      status: try fields.required("status", of: record, Status(rawValue: try text("status"))),
      attempts: Int(clamping: fields.integer("attempts") ?? 0),
      lastError: fields.text("last_error"), paymentID: fields.text("payment_id"),
      requestID: fields.text("request_id").flatMap { RequestID($0) },
      failingSince: fields.text("failing_since").flatMap { Timestamp(rfc3339: $0) },
      nextAttemptAt: fields.text("next_attempt_at").flatMap { Timestamp(rfc3339: $0) },
      createdAt: try fields.requiredInstant("created_at", of: record),
      updatedAt: try fields.requiredInstant("updated_at", of: record))
  }
}

/// Writes `token_billing_charges` for the use of periods, each block once.
final class BillingChargeStore {
  private let insert: Statement
  private let findHighest: Statement

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    insert = try connection.prepare(BillingChargeStore.insertRow)
    findHighest = try connection.prepare(BillingChargeStore.findHighest)
  }

  /// The values of a new charge.
  struct Draft {
    var block: Int64
    var money: Money
    var status: BillingCharge.Status
    /// Whether the charge is to be collected as soon as possible.
    var isDue: Bool
    var use: BillingPeriodStore.Use
    var requestID: RequestID?
    var createdAt: Timestamp
  }

  /// Returns false, without writing anything, if the block was already charged.
  func insert(_ draft: Draft, of period: BillingPeriod) throws(LedgerError) -> Bool {
    let tier = period.billing.tier(ofBlock: draft.block)
    let now = draft.createdAt.rfc3339
    // Plans whose amount isn't a whole number of smallest units are refused.
    guard let amount = draft.money.minorUnits else {
      throw .unreadable(record: "an amount of plan \(period.plan)")
    }
    var fields = ParameterWriter(insert)
    fields.write("client_id", period.clientID)
    fields.write("period", period.name)
    fields.write("block", draft.block)
    fields.write("billing_tier", tier.description)
    fields.write("tokens_total", draft.use.tokens)
    fields.write("amount_charged", amount)
    fields.write("currency", draft.money.currency.code)
    fields.write("status", draft.status.rawValue)
    fields.write("request_id", draft.requestID?.description)
    fields.write("counted_from", period.firstDay.description)
    fields.write("used_above", tier.start)
    fields.write("next_attempt_at", draft.isDue ? now : nil)
    fields.write("created_at", now)
    fields.write("updated_at", now)
    return try insert.firstInteger() != nil
  }

  /// Returns the last charged block of a period; nil if not even the fixed fee was charged.
  func highestBlock(of period: BillingPeriod) throws(LedgerError) -> Int64? {
    findHighest.bind(period.clientID, period.name)
    return try findHighest.firstInteger()
  }

  static func find(
    _ id: Int64, _ connection: DatabaseConnection
  ) throws(LedgerError) -> BillingCharge? {
    let select = try connection.prepare("SELECT * FROM token_billing_charges WHERE id = ?")
    select.bind(id)
    return try select.firstRow { fields throws(LedgerError) in try BillingCharge(from: fields) }
  }

  private static let insertRow = """
    INSERT INTO token_billing_charges (client_id, period, block, billing_tier, tokens_total,
      amount_charged, currency, status, attempts, request_id, counted_from, used_above,
      next_attempt_at, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (client_id, period, block) DO NOTHING RETURNING id
    """
  private static let findHighest =
    "SELECT max(block) FROM token_billing_charges WHERE client_id = ? AND period = ?"
}
