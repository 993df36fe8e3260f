internal import Money

/// The requests that wait for one account, in the order of arrival.
///
/// A queue is short and changes mostly at its two ends, so an array is the fastest choice.
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
  /// The number of requests that had to wait before this one.
  let arrival: UInt64
  /// The index of the account for which the request waits.
  var account: Int
}

/// A request whose bound is set aside.
struct HeldRequest: Sendable {
  /// The amount still set aside, before conversion into a currency.
  var bound: Consumption
  var portions: [Portion]
  /// The part held on credits; nil if the plan alone can pay for the request.
  var credit: HeldCredit?
  /// The request's conversation; nil unless the client's plan limits conversations.
  let conversation: HeldConversation?
}

/// The amount set aside for one request on one account.
struct Portion: Sendable {
  /// The account's index.
  let account: Int
  /// The account's epoch when the amount was set aside.
  let epoch: UInt32
  /// The account's window when the amount was set aside.
  let window: BudgetWindow
  let currency: Currency
  /// The price of one dollar in the budget's currency, for this request.
  let rate: FixedDecimal
  var held = Spend.zero
  /// The account's own part of a request that names several subjects; nil if it pays for the whole.
  var part: HeldPart?
}
