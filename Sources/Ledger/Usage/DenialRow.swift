public import Pricing
public import Time

/// Why a request was refused; `denials.reason`.
public enum DenialReason: String, Sendable, Hashable, CaseIterable {
  case tokenLimit = "token_limit"
  case costLimit = "cost_limit"
  case conversationLimit = "conversation_limit"
  case paused
  case budgetContended = "budget_contended"
}

/// One request that a budget refused, as `denials` records it.
///
/// The figures are tokens for a limit in tokens, and nano-units of the budget's currency for a
/// limit in money.
public struct DenialRow: Hashable, Sendable {
  public var requestID: RequestID
  public var clientID: String
  public var keyName: String
  public var userID: String?
  public var operation: Operation
  public var model: String
  /// As `CLIENT/NAME`; nil when no single budget refused.
  public var budgetID: String?
  public var reason: DenialReason
  public var limitValue: Int64
  public var used: Int64
  /// By others; the refused request's own bound is not in it.
  public var held: Int64
  public var requested: Int64
  /// When the budget starts again; nil when it never does.
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
