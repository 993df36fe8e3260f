public import Pricing
public import Time

/// The reason of a refusal; `denials.reason`.
public enum DenialReason: String, Sendable, Hashable, CaseIterable {
  case tokenLimit = "token_limit"
  case costLimit = "cost_limit"
  case conversationLimit = "conversation_limit"
  case paused
  case budgetContended = "budget_contended"
}

/// One request that a budget refused, as `denials` records it.
///
/// For a limit in tokens, the figures are tokens. For a limit in money, they are nano-units of the
/// budget's currency.
public struct DenialRow: Hashable, Sendable {
  public var requestID: RequestID
  public var clientID: String
  public var keyName: String
  public var userID: String?
  public var operation: Operation
  public var model: String
  /// The budget as `CLIENT/NAME`; nil if no single budget refused.
  public var budgetID: String?
  public var reason: DenialReason
  public var limitValue: Int64
  public var used: Int64
  /// The amount held by other requests, without the refused request's own bound.
  public var held: Int64
  public var requested: Int64
  /// The end of the budget's window; nil if the period is `total`.
  public var resetAt: Timestamp?
  public var createdAt: Timestamp

  public init(
    requestID: RequestID, clientID: String, keyName: String, userID: String?,
    operation: Operation, model: String, budgetID: String?, reason: DenialReason,
    limitValue: Int64, used: Int64, held: Int64, requested: Int64, resetAt: Timestamp?,
    createdAt: Timestamp
  ) {
    self.requestID = requestID
    self.clientID = clientID
    self.keyName = keyName
    self.userID = userID
    self.operation = operation
    self.model = model
    self.budgetID = budgetID
    self.reason = reason
    self.limitValue = limitValue
    self.used = used
    self.held = held
    self.requested = requested
    self.resetAt = resetAt
    self.createdAt = createdAt
  }
}

/// Writes and reads a denial's fields with the names of `denials`, in the order of its columns.
extension DenialRow {
  func write(to fields: inout some FieldWriter) {
    fields.write("request_id", requestID.description)
    fields.write("client_id", clientID)
    fields.write("key_name", keyName)
    fields.write("user_id", userID)
    fields.write("operation", operation.rawValue)
    fields.write("model", model)
    fields.write("budget_id", budgetID)
    fields.write("reason", reason.rawValue)
    fields.write("limit_value", limitValue)
    fields.write("used", used)
    fields.write("held", held)
    fields.write("requested", requested)
    fields.write("reset_at", resetAt?.rfc3339)
    fields.write("created_at", createdAt.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let record = "a denial"
    func text(_ name: String) throws(LedgerError) -> String {
      try fields.requiredText(name, of: record)
    }
    self.init(
      requestID: try fields.required("request_id", of: record, RequestID(try text("request_id"))),
      clientID: try text("client_id"), keyName: try text("key_name"),
      userID: fields.text("user_id"),
      operation: try fields.required(
        "operation", of: record, Operation(rawValue: try text("operation"))),
      model: try text("model"), budgetID: fields.text("budget_id"),
      reason: try fields.required(
        "reason", of: record, DenialReason(rawValue: try text("reason"))),
      limitValue: fields.integer("limit_value") ?? 0, used: fields.integer("used") ?? 0,
      held: fields.integer("held") ?? 0, requested: fields.integer("requested") ?? 0,
      resetAt: fields.text("reset_at").flatMap { Timestamp(rfc3339: $0) },
      createdAt: try fields.required(
        "created_at", of: record, Timestamp(rfc3339: try text("created_at"))))
  }
}

/// Writes `denials`: one row for each request that a budget refused.
final class DenialStore {
  private let insert: Statement

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    insert = try connection.prepare(DenialStore.insertRow)
  }

  func insert(_ denial: DenialRow) throws(LedgerError) {
    var parameters = ParameterWriter(insert)
    denial.write(to: &parameters)
    try insert.run()
  }

  /// The columns of `DenialRow.write(to:)`, in its order.
  private static let insertRow = """
    INSERT INTO denials (request_id, client_id, key_name, user_id, operation, model, budget_id,
      reason, limit_value, used, held, requested, reset_at, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
}
