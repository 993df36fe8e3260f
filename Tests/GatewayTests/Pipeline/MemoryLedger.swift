import Budgets
import EventLoop
import Objects
import Testing
import Time

@testable import Ledger

/// A ledger in memory: keeps in order what it was told, and lends leases of what is left.
final class MemoryLedger: Ledger, LeaseLender {
  /// A step of a request's intent, or a record beside it.
  enum Event: Equatable {
    case opened
    case settled
    case discarded
    case deferred
    /// Rows of deferred work; `ends` with the last of them.
    case settledRows(Int, ends: Bool)
  }

  /// One call of the ledger.
  struct Entry {
    let event: Event
    let requestID: RequestID
    /// Tokens that all budgets held when the ledger was told.
    let heldTokens: Int64
  }

  fileprivate struct Account {
    var settled = Spend.zero
    var leased = Spend.zero
  }

  fileprivate struct State {
    var entries: [Entry] = []
    var open: Set<RequestID> = []
    var underway: [RequestID: DeferredRequest] = [:]
    var rows: [UsageRow] = []
    var settled: [SettledRequest] = []
    var denials: [DenialRow] = []
    var alerts: [Alert] = []
    var sightings: [MissingPriceSighting] = []
    var objects: [ProviderObject] = []
    var accounts: [LeaseSource: Account] = [:]
    var failures: [Failure: LedgerError] = [:]
    var heldTokens: @Sendable () -> Int64 = { 0 }
    /// Run within the next `open`, before it is noted.
    var whileOpening: (@Sendable () async -> Void)?
  }

  /// A call that can be made to fail.
  enum Failure: Hashable { case open, settle, discard, draw, record }

  private let state = Lock(State())

  // MARK: What tests ask and set

  var entries: [Entry] { state.withLock { $0.entries } }
  var events: [Event] { entries.map(\.event) }
  /// Requests that were opened and neither settled, discarded nor deferred.
  var openCount: Int { state.withLock { $0.open.count } }
  var underway: [DeferredRequest] { state.withLock { Array($0.underway.values) } }
  var rows: [UsageRow] { state.withLock { $0.rows } }
  var settled: [SettledRequest] { state.withLock { $0.settled } }
  var denials: [DenialRow] { state.withLock { $0.denials } }
  var alerts: [Alert] { state.withLock { $0.alerts } }
  var sightings: [MissingPriceSighting] { state.withLock { $0.sightings } }
  var objects: [ProviderObject] { state.withLock { $0.objects } }

  /// The leased tokens of all accounts together.
  var leasedTokens: Int64 {
    state.withLock { $0.accounts.values.reduce(0) { $0 + $1.leased.tokens } }
  }

  /// The settled tokens of all accounts together.
  var settledTokens: Int64 {
    state.withLock { $0.accounts.values.reduce(0) { $0 + $1.settled.tokens } }
  }

  /// Has a kind of call fail from now on; nil mends it.
  func fail(_ call: Failure, with error: LedgerError?) {
    state.withLock { $0.failures[call] = error }
  }

  /// Asked with every call: what the budgets hold at that moment.
  func observe(_ heldTokens: @escaping @Sendable () -> Int64) {
    state.withLock { $0.heldTokens = heldTokens }
  }

  /// Has `body` run within the next `open`, before the intent is noted.
  func whileOpening(_ body: @escaping @Sendable () async -> Void) {
    state.withLock { $0.whileOpening = body }
  }

  // MARK: The way of a request

  func open(_ intent: Intent) async throws(LedgerError) {
    let body = state.withLock { $0.whileOpening.take() }
    await body?()
    let id = intent.interrupted.row.requestID
    try note(.opened, of: id, failing: .open) { state in
      #expect(state.open.insert(id).inserted, "an intent was opened twice")
    }
  }

  func settle(_ settlement: SettledRequest) async throws(LedgerError) {
    let id = settlement.row.requestID
    try note(.settled, of: id, failing: .settle) { state in
      if settlement.row.usageSource != .external { state.end(id) }
      state.add(settlement)
    }
  }

  func discard(_ requestID: RequestID) async throws(LedgerError) {
    try note(.discarded, of: requestID, failing: .discard) { $0.end(requestID) }
  }

  func deferSettlement(of request: DeferredRequest) async throws(LedgerError) {
    try note(.deferred, of: request.requestID, failing: .settle) { state in
      state.end(request.requestID)
      state.underway[request.requestID] = request
      state.objects += request.expected.objects
    }
  }

  func settle(_ settlement: DeferredSettlement) async throws(LedgerError) {
    let event = Event.settledRows(settlement.rows.count, ends: settlement.progress == nil)
    try note(event, of: settlement.requestID, failing: .settle) { state in
      #expect(state.underway[settlement.requestID] != nil, "work was settled that isn't deferred")
      if settlement.progress == nil { state.underway[settlement.requestID] = nil }
      for entry in settlement.rows { state.add(entry) }
    }
  }

  func record(_ objects: [ProviderObject]) async throws(LedgerError) {
    try state.withLock { state throws(LedgerError) in
      if let error = state.failures[.record] { throw error }
      state.objects += objects
    }
  }

  func end(_ objectID: String, of provider: String, at now: Timestamp) async throws(LedgerError) {
    state.withLock { $0.objects.removeAll { $0.objectID == objectID && $0.provider == provider } }
  }

  func record(_ denial: DenialRow) { state.withLock { $0.denials.append(denial) } }
  func record(_ alert: Alert) { state.withLock { $0.alerts.append(alert) } }
  func record(_ sighting: MissingPriceSighting) { state.withLock { $0.sightings.append(sighting) } }
  func record(_ pause: LimitPause) {}
  func syncBudgets(_ definitions: [BudgetDefinition], at now: Timestamp) async throws(LedgerError) {
  }
  func syncBilling(_ agreements: [BillingAgreement], at now: Timestamp) async throws(LedgerError) {
  }
  var health: LedgerHealth { LedgerHealth() }
  func close() async {}

  private func note(
    _ event: Event, of id: RequestID, failing call: Failure, _ change: (inout State) -> Void
  ) throws(LedgerError) {
    let observed = state.withLock { $0.heldTokens }
    // Outside the lock, since it asks the budgets, which have one of their own.
    let held = observed()
    try state.withLock { state throws(LedgerError) in
      if let error = state.failures[call] { throw error }
      state.entries.append(Entry(event: event, requestID: id, heldTokens: held))
      change(&state)
    }
  }

  // MARK: Leases

  func draw(_ requests: [LeaseRequest]) async throws(LedgerError) -> [LeaseAnswer] {
    try state.withLock { state throws(LedgerError) in
      if let error = state.failures[.draw] { throw error }
      return requests.map { request in
        var account = state.accounts[request.source] ?? Account()
        let taken = account.settled.adding(account.leased)
        let left = Spend(
          tokens: max(0, (request.limits.tokens ?? .max) - taken.tokens),
          nanoUnits: max(0, (request.limits.nanoUnits ?? .max) - taken.nanoUnits))
        let added = request.wanted.least(left)
        let isEnough = request.least.excess(over: added) == .zero
        if isEnough { account.leased = account.leased.adding(added) }
        state.accounts[request.source] = account
        return LeaseAnswer(
          to: request, added: isEnough ? added : .zero,
          standing: SharedStanding(
            of: request.source, settled: account.settled, leased: account.leased,
            leasedToOthers: .zero))
      }
    }
  }

  var isAtHand: Bool { true }

  func giveBack(_ returns: [LeaseReturn]) async throws(LedgerError) {
    state.withLock { state in
      for returned in returns {
        switch returned.amount {
        case .everything: state.accounts[returned.source]?.leased = .zero
        case .part(let part):
          let leased = state.accounts[returned.source]?.leased ?? .zero
          state.accounts[returned.source]?.leased = leased.excess(over: part)
        }
      }
    }
  }

  func permit(_ request: ConversationRequest) async throws(LedgerError) -> ConversationAnswer? {
    ConversationAnswer(to: request, .permitted, begun: 0, permitted: 0)
  }

  func giveBack(_ returns: [ConversationReturn]) async throws(LedgerError) {}

  func standings(
    from place: StandingsPage.Place, limit: Int, at now: Timestamp
  ) async throws(LedgerError) -> StandingsPage {
    StandingsPage(standings: [], next: nil)
  }
}

extension MemoryLedger.State {
  fileprivate mutating func end(_ id: RequestID) {
    #expect(open.remove(id) != nil, "an intent ended that isn't open")
  }

  fileprivate mutating func add(_ settlement: SettledRequest) {
    rows.append(settlement.row)
    settled.append(settlement)
    objects += settlement.objects
    alerts += settlement.charges.flatMap(\.alerts)
    for charge in settlement.charges {
      guard let key = charge.account.accountKey else { continue }
      let source = LeaseSource.account(key)
      var account = accounts[source] ?? MemoryLedger.Account()
      account.settled = account.settled.adding(
        Spend(tokens: charge.tokens, nanoUnits: charge.costNano))
      account.leased = account.leased.excess(over: charge.takenOffLease)
      accounts[source] = account
    }
  }
}
