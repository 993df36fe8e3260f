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
