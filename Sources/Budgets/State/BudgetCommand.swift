public import Money
public import Time

/// The accounts of a budget that an administrator's command addresses.
public struct Target: Hashable, Sendable {
  public let budget: BudgetID
  /// One subject; nil for all of them.
  public let subject: Subject?

  public init(budget: BudgetID, subject: Subject? = nil) {
    self.budget = budget
    self.subject = subject
  }
}

/// An amount that is added to a budget's limits for a limited time.
public struct Raise: Hashable, Sendable {
  /// The added amount. Without effect in a unit that the budget doesn't limit.
  public let amount: Spend
  public let until: Timestamp

  /// Creates a raise. Negative amounts count as zero, because a raise never lowers a limit.
  public init(amount: Spend, until: Timestamp) {
    self.amount = amount.atLeastZero
    self.until = until
  }
}

/// The effect of a reset on the use so far.
public enum ResetUse: String, Hashable, Sendable, CaseIterable {
  /// The use continues to count.
  case keep
  /// The use no longer counts.
  case clear
}

/// Every change to the state of budgets, as a value.
///
/// Each command is also a method of `BudgetState`, with a more precise result. Simulators and tests
/// use the values to choose, record and replay commands.
public enum BudgetCommand: Sendable {
  case hold(Caller, Demand)
  case settle(HoldID, Consumption)
  case draw(HoldID, Consumption, for: Caller? = nil)
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

/// The result of a command.
public enum Response: Sendable {
  case admission(Admission)
  case settlement(Settlement)
  case charges([Charge])
  case done
}

extension BudgetState {
  /// Carries a command out.
  ///
  /// - Parameter now: The time of the command. It may be earlier than the previous command's after
  ///   the clock was set back; an earlier time never reopens an ended window.
  /// - Returns: The result, and the events that the command caused, in order.
  /// - Throws: `BudgetError`, if the command names an unknown or ended hold, an unknown budget, a
  ///   subject of the wrong kind, or a currency without a rate.
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
    case .draw(let hold, let consumption, let caller):
      return .settlement(
        try draw(consumption, from: hold, for: caller, at: now, events: &events))
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
