public import Money
public import Time

/// Identifies the amount that is set aside for one request until the request is settled.
public struct HoldID: Hashable, Sendable {
  let handle: Slab<HeldRequest>.Handle
}

/// Identifies a request that waits for holds to end.
public struct Ticket: Hashable, Sendable {
  let handle: Slab<Waiter>.Handle
}

/// The decision on a request that asks for admission.
public enum Admission: Sendable {
  /// The request's bound is set aside on every budget that applies. The caller must end the hold
  /// exactly once.
  case held(Grant)
  /// The budgets can pay for the request once other holds have ended. An event will report the
  /// decision for the ticket.
  case waiting(Ticket)
  /// The request is refused, and nothing is set aside.
  case denied(Denial)
}

/// The permission to forward one request.
public struct Grant: Sendable {
  public let hold: HoldID
  /// The output limit that the gateway sets on each answer, in tokens; nil if the request goes
  /// unchanged.
  ///
  /// Non-nil only if the request sets no limit and its budgets can't pay for the model's largest
  /// output. Example: with 10,000 tokens left, `gpt-4o-mini` may get 1,250.
  public let clampedOutput: Int64?
  /// The amount set aside: the request's bound with the output that it is allowed.
  public let bound: Consumption
  /// The remainder of the tightest budget; nil if no budget applies.
  public let tightest: Remainder?
  /// The value of `BudgetState.leaseEpoch` when the grant was made.
  public let leaseEpoch: UInt64
}

/// A refusal: everything that the answer, the log line and the ledger's row say about it.
public struct Denial: Hashable, Sendable {
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    case tokenLimit = "token_limit"
    case costLimit = "cost_limit"
    /// The client's plan allows no more conversations to begin in this period.
    case conversationLimit = "conversation_limit"
    /// An administrator paused the budget, and it stays paused until it is resumed.
    case paused
    /// Other requests hold the amount that this request needs. The app may retry soon.
    case contended
  }

  /// The budget that refuses, as it was defined at that moment.
  public let definition: BudgetDefinition
  public let subject: Subject
  public let reason: Reason
  /// The unit of the figures below.
  public let unit: CountedUnit
  /// The limit in force, including a raise.
  public let limit: Int64
  /// Settled so far.
  public let used: Int64
  /// Held for other requests, plus leased to other replicas.
  public let held: Int64
  /// The amount that this request may need: its bound, or its estimate if the budget is `soft`.
  public let requested: Int64
  /// The limit minus used and held; never below zero.
  public let remaining: Int64
  /// The output tokens of each answer that all budgets together could pay for now.
  public let affordableOutputTokens: Int64
  /// The end of the budget's window. Nil if the period is `total`, and while the budget is paused
  /// by an administrator.
  public let resetAt: Timestamp?
}

extension Denial {
  public var budget: BudgetID { definition.id }
  public var mode: BudgetLimit.Mode { definition.limit.mode }
}

/// The unit of a figure: tokens, conversations, or money.
public enum CountedUnit: Hashable, Sendable {
  case tokens
  case conversations
  /// Nano-units of the currency.
  case nanoUnits(Currency)
}

/// The remainder of one budget for the caller.
public struct Remainder: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  /// The limit minus used and held, in tokens; never below zero. Nil if tokens aren't limited.
  public let tokens: Int64?
  /// The limit minus used and held, in money; never below zero. Nil if money isn't limited.
  public let cost: Money?
  /// The end of the budget's window; nil if the period is `total`.
  public let resetAt: Timestamp?
}
