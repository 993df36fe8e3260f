public import Money
public import Time

/// How many conversations a client's plan lets begin in a period.
public struct ConversationLimit: Hashable, Sendable {
  public let client: String
  /// 0 lets none begin.
  public let limit: Int64
  public let period: BudgetPeriod
  public let timeZone: TimeZoneRules

  public init(client: String, limit: Int64, period: BudgetPeriod, timeZone: TimeZoneRules) {
    self.client = client
    self.limit = limit
    self.period = period
    self.timeZone = timeZone
  }

  /// As refusals name it.
  var definition: BudgetDefinition {
    BudgetDefinition(
      id: .plan(of: client), per: .client, limit: .conversations(limit), period: period,
      timeZone: timeZone, enforcement: .hard, alerts: [])
  }
}

/// The conversations that a client has begun in the period, and those that requests in flight may
/// begin.
///
/// A conversation counts once, however many calls it has. It is begun when its first call ends that
/// reached a provider; until then that call holds it.
struct ConversationCount: Sendable {
  private(set) var limit: ConversationLimit
  private(set) var window: BudgetWindow
  private(set) var begun: Set<String> = []
  /// How many calls in flight belong to each conversation that isn't begun.
  private(set) var held: [String: Int] = [:]
  /// How many all replicas had begun, and might begin beside, when the shared ledger said so last.
  private var begunByAll: Int64 = 0
  private var permittedToAll: Int64 = 0
  /// Whether a refusal of this window was reported.
  private(set) var hasRefused = false

  init(_ limit: ConversationLimit, at now: Timestamp) {
    self.limit = limit
    window = BudgetWindow(of: limit.period, containing: now, in: limit.timeZone)
  }

  /// Takes another limit over; one over another period counts anew.
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

  /// Takes over how many have begun and may begin at all replicas.
  mutating func learn(begun: Int64, permitted: Int64) {
    (begunByAll, permittedToAll) = (begun, permitted)
  }

  /// How many have begun, as far as this server knows.
  var used: Int64 { max(Int64(begun.count), begunByAll) }

  /// How many others may begin, as far as this server knows.
  var reserved: Int64 { max(Int64(held.count), permittedToAll) }

  /// Whether no further conversation may begin, whatever becomes of the calls in flight.
  var isUsedUp: Bool { used >= limit.limit }

  func hasBegun(_ conversation: String) -> Bool { begun.contains(conversation) }

  func key(of conversation: String) -> ConversationKey {
    ConversationKey(client: limit.client, windowStart: window.start, conversation: conversation)
  }

  /// Whether a call of this conversation may go where one server has the ledger.
  func allows(_ conversation: String) -> Bool {
    hasBegun(conversation) || held[conversation] != nil
      || Int64(begun.count + held.count) < limit.limit
  }

  /// - Parameter isPermitted: whether it is the shared ledger's permit that lets it go.
  mutating func hold(_ conversation: String, isPermitted: Bool) -> HeldConversation {
    if !hasBegun(conversation) { held[conversation, default: 0] += 1 }
    return HeldConversation(
      client: limit.client, id: conversation, windowStart: window.start,
      permit: isPermitted ? key(of: conversation) : nil)
  }

  /// - Parameter isBegun: whether the call reached a provider.
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

  /// The window, where its first refusal is still to be reported; it counts as reported now.
  mutating func takeFirstRefusal() -> BudgetWindow? {
    if hasRefused { return nil }
    hasRefused = true
    return window
  }

  /// Goes on with what was reported of a window before a start.
  mutating func restoreRefusal(of windowStart: Timestamp) {
    if windowStart == window.start { hasRefused = true }
  }

  /// Lets the next refusal be reported again.
  mutating func rearm() {
    hasRefused = false
  }
}

/// A call's conversation, until the call ends.
struct HeldConversation: Sendable {
  let client: String
  let id: String
  let windowStart: Timestamp
  /// What it uses of the shared ledger; nil where it needs nothing.
  let permit: ConversationKey?
}

extension BudgetState {
  /// Counts conversations that were recorded in a client's open period before the limit came, or
  /// before the start.
  public mutating func begin(
    _ conversations: some Sequence<String>, of client: String, at now: Timestamp
  ) {
    conversationCounts[client]?.catchUp(with: now)
    conversationCounts[client]?.begin(conversations)
  }

  /// Whether the client's plan lets no further conversation begin in this period.
  public func hasNoConversationsLeft(for client: String, at now: Timestamp) -> Bool {
    guard var count = conversationCounts[client] else { return false }
    count.catchUp(with: now)
    return count.isUsedUp
  }

  /// The refusal of a call that would begin a conversation too many; nil where it may go.
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
      // What other replicas may begin comes back where they don't.
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

  /// How a plan stands that limits conversations and no tokens; nil for any other client.
  ///
  /// - Parameters:
  ///   - used: what the client used in the period, which nobody counts here.
  ///   - currency: of what it cost.
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

  /// - Parameter isBegun: whether the call reached a provider.
  mutating func end(_ conversation: HeldConversation?, isBegun: Bool, at now: Timestamp) {
    guard let conversation else { return }
    conversationCounts[conversation.client]?.catchUp(with: now)
    conversationCounts[conversation.client]?.end(conversation, isBegun: isBegun)
    guard let permit = conversation.permit else { return }
    if isBegun { permits.begin(permit) }
    permits.end(permit)
  }

  /// Puts other limits in force. One over the same period keeps what it has counted; any other
  /// counts from nothing, until `begin` says what was begun in its period already.
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
