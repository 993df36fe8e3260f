public import Money
public import Time

/// The number of conversations that a client's plan allows to begin in a period.
public struct ConversationLimit: Hashable, Sendable {
  public let client: String
  /// 0 or more; with 0, no conversation may begin.
  public let limit: Int64
  public let period: BudgetPeriod
  public let timeZone: TimeZoneRules

  public init(client: String, limit: Int64, period: BudgetPeriod, timeZone: TimeZoneRules) {
    self.client = client
    self.limit = limit
    self.period = period
    self.timeZone = timeZone
  }

  /// The limit as a budget definition, for refusals.
  var definition: BudgetDefinition {
    BudgetDefinition(
      id: .plan(of: client), per: .client, limit: .conversations(limit), period: period,
      timeZone: timeZone, enforcement: .hard, alerts: [])
  }
}

/// The conversations that a client has begun in the period, and those that requests in flight may
/// begin.
///
/// A conversation counts once, regardless of its number of calls. It begins when its first call
/// that reached a provider ends. Until then, that call holds it.
struct ConversationCount: Sendable {
  private(set) var limit: ConversationLimit
  private(set) var window: BudgetWindow
  private(set) var begun: Set<String> = []
  /// The number of calls in flight for each conversation that hasn't begun.
  private(set) var held: [String: Int] = [:]
  /// The numbers of begun and permitted conversations of all replicas, as the shared ledger last
  /// reported them.
  private var begunByAll: Int64 = 0
  private var permittedToAll: Int64 = 0
  /// Whether a refusal of this window was reported.
  private(set) var hasRefused = false

  init(_ limit: ConversationLimit, at now: Timestamp) {
    self.limit = limit
    window = BudgetWindow(of: limit.period, containing: now, in: limit.timeZone)
  }

  /// Applies another limit. A limit with another period starts counting from zero.
  mutating func redefine(as new: ConversationLimit, at now: Timestamp) {
    let isSamePeriod = new.period == limit.period && new.timeZone == limit.timeZone
    limit = new
    if !isSamePeriod { openWindow(at: now) }
  }

  mutating func catchUp(with now: Timestamp) {
    guard window.hasEnded(at: now) else { return }
    openWindow(at: now)
    held = [:]
  }

  private mutating func openWindow(at now: Timestamp) {
    window = BudgetWindow(of: limit.period, containing: now, in: limit.timeZone)
    begun = []
    (begunByAll, permittedToAll) = (0, 0)
    hasRefused = false
  }

  /// Applies the numbers of begun and permitted conversations of all replicas.
  mutating func learn(begun: Int64, permitted: Int64) {
    (begunByAll, permittedToAll) = (begun, permitted)
  }

  /// The number of begun conversations, as far as this server knows.
  var used: Int64 { max(Int64(begun.count), begunByAll) }

  /// The number of other conversations that may begin, as far as this server knows.
  var reserved: Int64 { max(Int64(held.count), permittedToAll) }

  /// Whether no further conversation may begin, however the calls in flight end.
  var isUsedUp: Bool { used >= limit.limit }

  func hasBegun(_ conversation: String) -> Bool { begun.contains(conversation) }

  func key(of conversation: String) -> ConversationKey {
    ConversationKey(client: limit.client, windowStart: window.start, conversation: conversation)
  }

  /// Whether a call of this conversation may be admitted, if one server owns the ledger.
  func allows(_ conversation: String) -> Bool {
    hasBegun(conversation) || held[conversation] != nil
      || Int64(begun.count + held.count) < limit.limit
  }

  /// - Parameter isPermitted: Whether a permit of the shared ledger admits the call.
  mutating func hold(_ conversation: String, isPermitted: Bool) -> HeldConversation {
    if !hasBegun(conversation) { held[conversation, default: 0] += 1 }
    return HeldConversation(
      client: limit.client, id: conversation, windowStart: window.start,
      permit: isPermitted ? key(of: conversation) : nil)
  }

  /// - Parameter isBegun: Whether the call reached a provider.
  mutating func end(_ call: HeldConversation, isBegun: Bool) {
    guard call.windowStart == window.start else { return }
    let calls = held[call.id, default: 1] - 1
    held[call.id] = calls > 0 ? calls : nil
    if isBegun { begin([call.id]) }
  }

  mutating func begin(_ conversations: some Sequence<String>) {
    for conversation in conversations {
      begun.insert(conversation)
      held[conversation] = nil
    }
  }

  /// Returns the window if its first refusal is still to be reported, and marks it as reported.
  mutating func takeFirstRefusal() -> BudgetWindow? {
    if hasRefused { return nil }
    hasRefused = true
    return window
  }

  /// Restores the mark of a refusal that was reported before a restart.
  mutating func restoreRefusal(of windowStart: Timestamp) {
    if windowStart == window.start { hasRefused = true }
  }

  /// Allows the next refusal to be reported again.
  mutating func rearm() {
    hasRefused = false
  }
}

/// The conversation of a call in flight.
struct HeldConversation: Sendable {
  let client: String
  let id: String
  let windowStart: Timestamp
  /// The shared ledger's permit that the call uses; nil if it needs none.
  let permit: ConversationKey?
}

extension BudgetState {
  /// Counts conversations that were recorded in the client's open period before the limit came or
  /// the program started.
  public mutating func begin(
    _ conversations: some Sequence<String>, of client: String, at now: Timestamp
  ) {
    conversationCounts[client]?.catchUp(with: now)
    conversationCounts[client]?.begin(conversations)
  }

  /// Whether the client's plan allows no further conversation to begin in this period.
  public func hasNoConversationsLeft(for client: String, at now: Timestamp) -> Bool {
    guard var count = conversationCounts[client] else { return false }
    count.catchUp(with: now)
    return count.isUsedUp
  }

  /// Returns the refusal of a call that would begin a conversation beyond the limit; nil if the
  /// call may be admitted.
  func conversationDenial(for caller: Caller, at now: Timestamp) -> Denial? {
    guard !caller.conversation.isEmpty, !conversationCounts.isEmpty,
      var count = conversationCounts[caller.client]
    else { return nil }
    count.catchUp(with: now)
    if allows(caller.conversation, count) { return nil }
    let (used, held) = (count.used, count.reserved)
    return Denial(
      definition: count.limit.definition,
      subject: Subject(kind: .client, value: caller.client),
      // If other replicas' permitted conversations don't begin, their places become free again.
      reason: policy.sharesLimits && !count.isUsedUp ? .contended : .conversationLimit,
      unit: .conversations, limit: count.limit.limit, used: used, held: held, requested: 1,
      remaining: max(0, count.limit.limit - used - held), affordableOutputTokens: 0,
      resetAt: count.window.end)
  }

  /// Reports the first refusal of a period.
  mutating func reportFirst(
    ofConversations denial: Denial, at now: Timestamp, events: inout [Event]
  ) {
    guard denial.reason == .conversationLimit else { return }
    conversationCounts[denial.budget.client]?.catchUp(with: now)
    guard let window = conversationCounts[denial.budget.client]?.takeFirstRefusal() else { return }
    events.append(.exceeded(denial, window))
  }

  /// Returns the status of a plan that limits conversations but no tokens; nil for any other
  /// client.
  ///
  /// - Parameters:
  ///   - used: The client's use in the period, which `BudgetState` doesn't count.
  ///   - currency: The currency of `used`.
  public func conversationStatus(
    of client: String, used: Spend, in currency: Currency, at now: Timestamp
  ) -> AccountStatus? {
    guard var count = conversationCounts[client], budgetByID[.plan(of: client)] == nil
    else { return nil }
    count.catchUp(with: now)
    let none = Money(nanoUnits: 0, currency: currency)
    return AccountStatus(
      definition: count.limit.definition, subject: Subject(kind: .client, value: client),
      window: count.window, limitTokens: nil, limitCost: nil, settledTokens: used.tokens,
      settledCost: Money(nanoUnits: used.nanoUnits, currency: currency), heldTokens: 0,
      heldCost: none, remainingTokens: nil, remainingCost: nil, tokenShare: nil, costShare: nil,
      conversationShare: Share(used: count.used, limit: count.limit.limit),
      isWidenedByMoney: false, pause: count.isUsedUp ? .conversations : nil, raise: nil,
      waiting: 0)
  }

  mutating func holdConversation(of caller: Caller, at now: Timestamp) -> HeldConversation? {
    guard !caller.conversation.isEmpty, !conversationCounts.isEmpty else { return nil }
    conversationCounts[caller.client]?.catchUp(with: now)
    let isPermitted =
      policy.sharesLimits
      && conversationCounts[caller.client]?.hasBegun(caller.conversation) == false
    let call = conversationCounts[caller.client]?.hold(
      caller.conversation, isPermitted: isPermitted)
    if let permit = call?.permit { permits.use(permit) }
    return call
  }

  /// - Parameter isBegun: Whether the call reached a provider.
  mutating func end(_ conversation: HeldConversation?, isBegun: Bool, at now: Timestamp) {
    guard let conversation else { return }
    conversationCounts[conversation.client]?.catchUp(with: now)
    conversationCounts[conversation.client]?.end(conversation, isBegun: isBegun)
    guard let permit = conversation.permit else { return }
    if isBegun { permits.begin(permit) }
    permits.end(permit)
  }

  /// Applies the clients' conversation limits.
  ///
  /// A limit with the same period keeps its count. Any other limit counts from zero until `begin`
  /// reports the conversations that have already begun in its period.
  public mutating func limitConversations(_ limits: [ConversationLimit], at now: Timestamp) {
    var counts: [String: ConversationCount] = [:]
    for limit in limits {
      var count = conversationCounts[limit.client] ?? ConversationCount(limit, at: now)
      count.redefine(as: limit, at: now)
      counts[limit.client] = count
    }
    conversationCounts = counts
  }
}
