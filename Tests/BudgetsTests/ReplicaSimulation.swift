import Budgets
import Money
import Randomness
import Time

/// Several replicas before one ledger, whose clocks differ, whose messages are late or get lost,
/// and which are cut off, taken for dead, and die.
struct ReplicaSimulation {
  /// How often each outcome was seen: one that never is isn't tested.
  private(set) var coverage = [
    "held": 0, "admitted": 0, "lost": 0, "late": 0, "given": 0, "void": 0, "buried": 0,
    "died": 0, "interrupted": 0, "midnight": 0, "drawn": 0,
  ]

  private struct Request {
    let grant: Grant
    let intent: Int
  }

  private struct Replica {
    let id: Int
    var state: BudgetState
    let skew: Duration
    var live: [Request] = []
    var waiting: [Ticket] = []
    /// Settled in the ledger, and not ended in memory yet.
    var committed: [(request: Request, used: Consumption)] = []
    /// Answers on their way.
    var answers: [LeaseAnswer] = []
    /// The standings that the replica has read from the ledger some time ago.
    var standings: [SharedStanding] = []
    var isCutOff = false
  }

  private var random: SplitMix64
  private var ledger = SharedLedger()
  private var replicas: [Replica] = []
  private var lastReplica = 0
  /// A minute before midnight, so that clocks that differ stand in different windows for a while.
  private var now = Timestamp(rfc3339: "2026-11-22T23:30:00Z")!
  private var mistakes: [String] = []

  private static let definitions = [
    budget("client", .tokens(20_000), period: .daily, alerts: [50, 100]),
    budget(
      "user", per: .user,
      .both(tokens: 60_000, cost: Money(nanoUnits: 50_000_000, currency: .usd)), period: .monthly),
    budget("all", client: "*", .cost(Money(nanoUnits: 22_000_000, currency: .usd)), period: .daily),
    budget("soft", .tokens(70_000), period: .monthly, enforcement: .soft),
    budget("plan", .tokens(5_000), period: .daily),
  ]
  private static let idleSpan = Duration.seconds(60)

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    for _ in 0..<3 { replicas.append(newReplica()) }
    giveCredit()
    giveCredit()
  }

  private mutating func newReplica() -> Replica {
    lastReplica += 1
    let policy = BudgetPolicy(rates: .usdOnly, admissionQueue: 6, sharesLimits: true)
    var state = try! BudgetState(Self.definitions, policy: policy)
    var events: [Event] = []
    state.takeCredits(ledger.credits, at: now, events: &events)
    state.learn(ledger.standings(for: lastReplica), at: now, events: &events)
    return Replica(
      id: lastReplica, state: state,
      skew: .seconds(Int64.random(in: -30...30, using: &random)))
  }

  /// Gives the client tokens or money, of which every replica hears.
  private mutating func giveCredit() {
    let amount = Int64.random(in: 500...4_000, using: &random)
    let isMoney = Bool.random(using: &random)
    let credit = Credit(
      id: Int64(ledger.credits.count + 1), client: "acme",
      granted: isMoney
        ? .money(Money(nanoUnits: amount * 1_000, currency: .usd)) : .tokens(amount),
      expiresAt: nil)
    ledger.give(credit)
    for replica in replicas.indices {
      var events: [Event] = []
      replicas[replica].state.takeCredits([credit], at: time(of: replica), events: &events)
      hear(events, at: replica)
    }
  }

  private func time(of replica: Int) -> Timestamp { now.advanced(by: replicas[replica].skew) }

  /// The mistakes so far; forgets them.
  mutating func takeMistakes() -> [String] {
    defer { mistakes = [] }
    return mistakes + ledger.mistakes() + replicas.flatMap { $0.state.checkInvariants() }
  }

  mutating func step() throws {
    now = now.advanced(by: .milliseconds(Int64.random(in: 0...6_000, using: &random)))
    let replica = Int.random(in: replicas.indices, using: &random)
    switch Int.random(in: 0..<1_000, using: &random) {
    case 0..<340: ask(replica)
    case 340..<600: commitOne(of: replica)
    case 600..<740: try endCommitted(of: replica)
    case 740..<780: takeLateAnswers(replica)
    case 780..<840: askForThoseWhoWait(replica)
    case 840..<870: giveBackFree(for: replica)
    case 870..<910: giveBackIdle(replica)
    case 910..<950: refresh(replica)
    case 950..<973: try expireOne(of: replica)
    case 973..<975: giveCredit()
    case 975..<985: cutOffOrHeal(replica)
    case 985..<995: now = now.advanced(by: .seconds(Int64.random(in: 0...40_000, using: &random)))
    default: die(replica)
    }
    coverage["midnight"] = max(coverage["midnight", default: 0], days)
  }

  private var days: Int {
    Set(ledger.rows.keys.compactMap { $0.account?.window.start }).count
  }

  // MARK: - Requests

  private mutating func anyDemand() -> Demand {
    let explicit = Bool.random(using: &random)
    let input = Int64.random(in: 0...50, using: &random)
    return demand(
      input: input,
      output: .random(in: 1...(explicit ? 500 : 4_000), using: &random), explicit: explicit,
      recent: .random(in: 0...200, using: &random), fixedCost: microDollars(input))
  }

  private mutating func ask(_ replica: Int) {
    let who = caller(user: ["u1", "u2"].randomElement(using: &random) ?? "")
    let request = anyDemand()
    var events: [Event] = []
    let requests = replicas[replica].state.leaseRequests(
      for: request, of: who, at: time(of: replica), events: &events)
    lease(requests, to: replica)
    // A hold counts once the ledger knows of it: who is cut off can't begin anything.
    guard !replicas[replica].isCutOff else { return hear(events, at: replica) }
    let admission = replicas[replica].state.hold(
      request, for: who, at: time(of: replica), events: &events)
    switch admission {
    case .held(let grant): begin(grant, at: replica, as: "held")
    case .waiting(let ticket): replicas[replica].waiting.append(ticket)
    case .denied: break
    }
    hear(events, at: replica)
  }

  private mutating func begin(_ grant: Grant, at replica: Int, as outcome: String) {
    coverage[outcome, default: 0] += 1
    let bound = replicas[replica].state.expectation(
      settling: grant.hold, with: grant.bound, at: time(of: replica))
    let hard = bound.charges.filter { $0.takenOffLease != .zero || $0.budget.name != "soft" }
    let intent = ledger.begin(
      SharedLedger.Intent(charges: hard, draws: bound.draws), of: replicas[replica].id)
    replicas[replica].live.append(Request(grant: grant, intent: intent))
  }

  private mutating func hear(_ events: [Event], at replica: Int) {
    for (ticket, grant) in events.admitted {
      replicas[replica].waiting.removeAll { $0 == ticket }
      begin(grant, at: replica, as: "admitted")
    }
    for (ticket, _) in events.denied {
      replicas[replica].waiting.removeAll { $0 == ticket }
    }
  }

  private mutating func commitOne(of replica: Int) {
    guard !replicas[replica].isCutOff,
      let index = replicas[replica].live.indices.randomElement(using: &random)
    else { return }
    let request = replicas[replica].live.remove(at: index)
    let part = Int64.random(in: 0...8, using: &random)
    let used = use(
      request.grant.bound.tokens * part / 8, microDollars: request.grant.bound.tokens * part / 16)
    commit(request, used, of: replica)
  }

  private mutating func commit(_ request: Request, _ used: Consumption, of replica: Int) {
    let settlement = replicas[replica].state.expectation(
      settling: request.grant.hold, with: used, at: time(of: replica))
    coverage["drawn", default: 0] += settlement.draws.count
    ledger.settle(
      request.intent, with: SharedLedger.Intent(settlement), of: replicas[replica].id)
    replicas[replica].committed.append((request, used))
  }

  private mutating func endCommitted(of replica: Int) throws {
    guard !replicas[replica].committed.isEmpty else { return }
    let (request, used) = replicas[replica].committed.removeFirst()
    var events: [Event] = []
    _ = try replicas[replica].state.settle(
      request.grant.hold, with: used, at: time(of: replica), events: &events)
    hear(events, at: replica)
  }

  private mutating func expireOne(of replica: Int) throws {
    guard let ticket = replicas[replica].waiting.randomElement(using: &random) else { return }
    var events: [Event] = []
    replicas[replica].state.expire(ticket, at: time(of: replica), events: &events)
    hear(events, at: replica)
  }

  // MARK: - Leases

  private mutating func lease(_ requests: [LeaseRequest], to replica: Int) {
    guard !requests.isEmpty, !replicas[replica].isCutOff else { return }
    let extra = Int64.random(in: 0...3, using: &random)
    let answers = requests.map { ledger.lease($0, to: replicas[replica].id, extra: extra) }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: coverage["lost", default: 0] += 1
    case 1, 2: replicas[replica].answers += answers
    default: take(answers, at: replica)
    }
  }

  private mutating func take(_ answers: [LeaseAnswer], at replica: Int) {
    var events: [Event] = []
    replicas[replica].state.take(answers, at: time(of: replica), events: &events)
    hear(events, at: replica)
  }

  private mutating func takeLateAnswers(_ replica: Int) {
    guard !replicas[replica].answers.isEmpty else { return }
    coverage["late", default: 0] += 1
    let answers = replicas[replica].answers.shuffled(using: &random)
    replicas[replica].answers = []
    take(answers, at: replica)
  }

  private mutating func askForThoseWhoWait(_ replica: Int) {
    var events: [Event] = []
    let requests = replicas[replica].state.outstandingLeaseRequests(
      at: time(of: replica), events: &events)
    hear(events, at: replica)
    lease(requests, to: replica)
  }

  /// One replica wants what the others have free.
  private mutating func giveBackFree(for replica: Int) {
    guard !replicas[replica].isCutOff,
      let wanted = ledger.sources.randomElement(using: &random)
    else { return }
    for other in replicas.indices where other != replica && !replicas[other].isCutOff {
      deliver(replicas[other].state.giveBackFree(of: [wanted]), of: other)
    }
  }

  private mutating func giveBackIdle(_ replica: Int) {
    let returns = replicas[replica].state.giveBack(
      idleFor: Self.idleSpan, at: time(of: replica))
    guard !replicas[replica].isCutOff else {
      return replicas[replica].state.notGivenBack(returns)
    }
    deliver(returns, of: replica)
  }

  private mutating func deliver(_ returns: [LeaseReturn], of replica: Int) {
    for back in returns {
      coverage["given", default: 0] += 1
      if Int.random(in: 0..<10, using: &random) == 0 {
        replicas[replica].state.notGivenBack([back])
      } else {
        ledger.giveBack(back, of: replicas[replica].id)
      }
    }
  }

  /// Learns what was read before, and reads again.
  private mutating func refresh(_ replica: Int) {
    guard !replicas[replica].isCutOff else { return }
    var events: [Event] = []
    replicas[replica].state.learn(
      replicas[replica].standings, at: time(of: replica), events: &events)
    hear(events, at: replica)
    replicas[replica].standings = ledger.standings(for: replicas[replica].id)
  }

  // MARK: - Misfortunes

  /// Cuts a replica off from the ledger, or lets it come back. It stops using its leases before
  /// others may take them, and its requests in flight are ended by others or not.
  private mutating func cutOffOrHeal(_ replica: Int) {
    guard replicas[replica].isCutOff else {
      replicas[replica].isCutOff = true
      replicas[replica].answers = []
      return
    }
    coverage["void", default: 0] += 1
    replicas[replica].state.voidLeases(at: time(of: replica))
    if Bool.random(using: &random) { bury(replica) }
    replicas[replica].isCutOff = false
  }

  private mutating func bury(_ replica: Int) {
    coverage["buried", default: 0] += 1
    coverage["interrupted", default: 0] += replicas[replica].live.count
    ledger.bury(replicas[replica].id)
  }

  /// The process ends at once; another one takes its place.
  private mutating func die(_ replica: Int) {
    coverage["died", default: 0] += 1
    bury(replica)
    replicas[replica] = newReplica()
  }

  // MARK: - The end

  /// Ends everything that is open, gives all leases back, and lets one replica use up what is left.
  mutating func useUp() throws {
    for replica in replicas.indices {
      if replicas[replica].isCutOff { cutOffOrHeal(replica) }
      while !replicas[replica].live.isEmpty || !replicas[replica].committed.isEmpty {
        commitOne(of: replica)
        try endCommitted(of: replica)
      }
      while !replicas[replica].waiting.isEmpty { try expireOne(of: replica) }
    }
    for replica in replicas.indices {
      while !replicas[replica].live.isEmpty || !replicas[replica].committed.isEmpty {
        commitOne(of: replica)
        try endCommitted(of: replica)
      }
      for back in replicas[replica].state.giveBackEverything(at: time(of: replica)) {
        ledger.giveBack(back, of: replicas[replica].id)
      }
    }
    for row in ledger.rows.values where row.allLeased != .zero {
      mistakes.append("\(row.source) is still leased to \(row.leased)")
    }
    try useUpAlone()
  }

  /// The one bound that is asked for in the end.
  private static let lastBound: Int64 = 70

  private mutating func askAgain(_ events: inout [Event]) {
    let requests = replicas[0].state.outstandingLeaseRequests(at: time(of: 0), events: &events)
    replicas[0].state.take(
      requests.map { ledger.lease($0, to: replicas[0].id) }, at: time(of: 0), events: &events)
  }

  private mutating func useUpAlone() throws {
    let last = demand(output: Self.lastBound)
    var denial: Denial?
    for _ in 0..<1_000 where denial == nil {
      var events: [Event] = []
      let requests = replicas[0].state.leaseRequests(
        for: last, of: caller(user: "u1"), at: time(of: 0), events: &events)
      take(requests.map { ledger.lease($0, to: replicas[0].id) }, at: 0)
      let admission = replicas[0].state.hold(
        last, for: caller(user: "u1"), at: time(of: 0), events: &events)
      switch admission {
      case .held(let grant): begin(grant, at: 0, as: "held")
      case .waiting(let ticket):
        // Its knowledge of the plan and of each credit may be old: then the others have to add
        // more.
        for _ in 0...ledger.credits.count where events.admitted.isEmpty && events.denied.isEmpty {
          askAgain(&events)
        }
        guard !events.admitted.isEmpty || !events.denied.isEmpty else {
          return mistakes.append("a request waits although nothing is held: \(ticket)")
        }
        denial = events.denied.first?.denial
        hear(events, at: 0)
      case .denied(let reason): denial = reason
      }
      while let request = replicas[0].live.popLast() {
        commit(request, request.grant.bound, of: 0)
        try endCommitted(of: 0)
      }
    }
    guard let denial, denial.reason == .tokenLimit || denial.reason == .costLimit else {
      return mistakes.append("the limit can't be used up: \(String(describing: denial))")
    }
    let needs = denial.used + denial.requested
    if denial.definition.enforcement == .hard, needs <= denial.limit {
      mistakes.append("refused although a bound is left: \(denial)")
    }
  }
}
