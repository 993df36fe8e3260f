internal import Money

/// The requests that wait for one account, in the order of their arrival.
///
/// Short, and mostly changed at its two ends: an array serves better than anything with pointers.
struct WaitingQueue: Sendable {
  struct Entry: Sendable {
    let arrival: UInt64
    let ticket: Ticket
  }

  private(set) var entries: [Entry] = []

  var first: Entry? { entries.first }

  mutating func insert(_ ticket: Ticket, arrival: UInt64) {
    let place = entries.lastIndex { $0.arrival < arrival }.map { $0 + 1 } ?? 0
    entries.insert(Entry(arrival: arrival, ticket: ticket), at: place)
  }

  mutating func remove(_ ticket: Ticket) {
    entries.removeAll { $0.ticket == ticket }
  }
}

/// A request that waits.
struct Waiter: Sendable {
  let caller: Caller
  let demand: Demand
  /// Counts up with each request that has to wait.
  let arrival: UInt64
  /// The index of the account for which it waits.
  var account: Int
}

/// A request whose bound is set aside.
struct HeldRequest: Sendable {
  /// What is still set aside, before any currency.
  var bound: Consumption
  var portions: [Portion]
  /// Where the plan alone can't pay for it.
  var credit: HeldCredit?
  /// The conversation that it belongs to, where the client's plan limits them.
  let conversation: HeldConversation?
}

/// What is set aside for one request on one account.
struct Portion: Sendable {
  /// The account's index.
  let account: Int
  /// The account's epoch when it was set aside.
  let epoch: UInt32
  /// The account's window when it was set aside.
  let window: BudgetWindow
  let currency: Currency
  /// What one dollar costs for this request in the budget's currency.
  let rate: FixedDecimal
  var held = Spend.zero
}
