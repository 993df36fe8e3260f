public import Money
public import Time

/// Names what is set aside for one request until the request is settled.
public struct HoldID: Hashable, Sendable {
  let handle: Slab<HeldRequest>.Handle
}

/// Names a request that waits for holds to end.
public struct Ticket: Hashable, Sendable {
  let handle: Slab<Waiter>.Handle
}

/// What becomes of a request that asks to be let through.
public enum Admission: Sendable {
  /// Its bound is set aside on every budget that applies. The hold has to be ended exactly once.
  case held(Grant)
  /// It can be paid for once others have ended. An event will say what becomes of the ticket.
  case waiting(Ticket)
  /// Nothing is set aside.
  case denied(Denial)
}

/// The permission to forward one request.
public struct Grant: Sendable {
  public let hold: HoldID
  /// The output limit to set on each answer of a request that sets none and whose budgets can't pay
  /// for the model's largest output; nil where the request goes as it is.
  public let clampedOutput: Int64?
  /// What is set aside: the request's bound with the output that it is allowed.
  public let bound: Consumption
  /// What is left of the tightest budget; nil where none applies.
  public let tightest: Remainder?
  /// `BudgetState.leaseEpoch` when it was given.
  public let leaseEpoch: UInt64
}

/// Why a request isn't let through: everything that an answer, a log line and a row say about it.
public struct Denial: Hashable, Sendable {
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    case tokenLimit = "token_limit"
    case costLimit = "cost_limit"
    /// The plan lets no more conversations begin in this period.
    case conversationLimit = "conversation_limit"
    /// By hand, until it is resumed.
    case paused
    /// Others hold what this request could be paid with: it may be tried again soon.
    case contended
  }

  /// The budget that refuses, as it was defined at that moment.
  public let definition: BudgetDefinition
  public let subject: Subject
  public let reason: Reason
  /// What the figures below count.
  public let unit: CountedUnit
  /// The limit in force, a raise included.
  public let limit: Int64
  /// Settled so far.
  public let used: Int64
  /// Held for other requests, and leased to other replicas.
  public let held: Int64
  /// What this request may need: its bound, or its estimate where the budget is `soft`.
  public let requested: Int64
  /// The limit without what is used and held; never below zero.
  public let remaining: Int64
  /// The output tokens of each answer that every budget could pay for now.
  public let affordableOutputTokens: Int64
  /// When the budget starts again. Nil for one that never does, and while it is paused by hand.
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

/// What is left of one budget for the caller.
public struct Remainder: Hashable, Sendable {
  public let budget: BudgetID
  public let subject: Subject
  /// The limit without what is used and held, never below zero; nil where tokens aren't limited.
  public let tokens: Int64?
  /// The same for money.
  public let cost: Money?
  /// When the budget starts again; nil for one that never does.
  public let resetAt: Timestamp?
}
