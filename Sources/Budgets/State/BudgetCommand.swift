public import Money
public import Time

/// Which accounts of a budget an administrator means.
public struct Target: Hashable, Sendable {
  public let budget: BudgetID
  /// Nil means all of them.
  public let subject: Subject?

  public init(budget: BudgetID, subject: Subject? = nil) {
    self.budget = budget
    self.subject = subject
  }
}

/// What is added to a budget's limits for a while.
public struct Raise: Hashable, Sendable {
  /// In a unit that the budget doesn't limit, it has no effect.
  public let amount: Spend
  public let until: Timestamp

  /// A raise never lowers a limit: an amount below zero counts as zero.
  public init(amount: Spend, until: Timestamp) {
    self.amount = amount.atLeastZero
    self.until = until
  }
}

/// What a reset does with the use so far.
public enum ResetUse: String, Hashable, Sendable, CaseIterable {
  /// It goes on counting.
  case keep
  /// It no longer counts.
  case clear
}

/// Every way in which the state of budgets changes.
///
/// Each is also a method of `BudgetState`, with a more precise answer. Commands as values are for
/// those who choose, record or replay them: a simulator, a test.
public enum BudgetCommand: Sendable {
  case hold(Caller, Demand)
  case settle(HoldID, Consumption)
  case draw(HoldID, Consumption)
  case release(HoldID)
  case abandon(HoldID)
  case expire(Ticket)
  case withdraw(Ticket)
  case record(Caller, Consumption, ExchangeRates)
  case configure([BudgetDefinition], BudgetPolicy)
  case takeCredits([Credit])
  case limitConversations([ConversationLimit])
  case begin(conversations: [String], client: String)
  case recall([RecordedUse])
  case restore([RecordedUse])
  case restoreHold(RecordedHold)
  case pause(Target)
  case resume(Target)
  case reset(Target, ResetUse)
  case raise(Target, Raise)
}

/// What a command answers.
public enum Response: Sendable {
  case admission(Admission)
  case settlement(Settlement)
  case charges([Charge])
  case done
}

extension BudgetState {
  /// Carries a command out.
  ///
  /// - Parameter now: Never earlier than in the command before, give or take the clock: an earlier
  ///   instant is taken as it is, but never brings an ended window back.
  /// - Returns: The answer, and what else came of it, in order.
  public mutating func apply(
    _ command: BudgetCommand, at now: Timestamp
  ) throws(BudgetError) -> (response: Response, events: [Event]) {
    var events: [Event] = []
    let response = try respond(to: command, at: now, events: &events)
    return (response, events)
  }

  private mutating func respond(
    to command: BudgetCommand, at now: Timestamp, events: inout [Event]
  ) throws(BudgetError) -> Response {
    switch command {
    case .hold(let caller, let demand):
      return .admission(hold(demand, for: caller, at: now, events: &events))
    case .settle(let hold, let consumption):
      return .settlement(try settle(hold, with: consumption, at: now, events: &events))
    case .draw(let hold, let consumption):
      return .settlement(try draw(consumption, from: hold, at: now, events: &events))
    case .release(let hold): try release(hold, at: now, events: &events)
    case .abandon(let hold):
      return .settlement(try abandon(hold, at: now, events: &events))
    case .expire(let ticket): expire(ticket, at: now, events: &events)
    case .withdraw(let ticket): withdraw(ticket, at: now, events: &events)
    case .record(let caller, let consumption, let rates):
      return .settlement(record(consumption, rates: rates, for: caller, at: now, events: &events))
    case .configure(let definitions, let policy):
      try configure(definitions, policy: policy, at: now, events: &events)
    case .takeCredits(let credits): takeCredits(credits, at: now, events: &events)
    case .limitConversations(let limits): limitConversations(limits, at: now)
    case .begin(let conversations, let client): begin(conversations, of: client, at: now)
    case .recall(let uses): recall(uses, at: now)
    case .restore(let uses): restore(uses, at: now)
    case .restoreHold(let hold): return .admission(.held(restore(hold, at: now)))
    case .pause(let target): try pause(target, at: now, events: &events)
    case .resume(let target): try resume(target, at: now, events: &events)
    case .reset(let target, let use):
      return .charges(try reset(target, use: use, at: now, events: &events))
    case .raise(let target, let raise): try self.raise(target, by: raise, at: now, events: &events)
    }
    return .done
  }
}
