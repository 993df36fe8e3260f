import Budgets
import Money
import Time

/// A model of the ledger that several replicas share: what its statements do, each at once.
struct SharedLedger {
  /// A request in flight: its charge if nobody comes back to it.
  struct Intent {
    var charges: [Charge] = []
    var draws: [CreditDraw] = []
  }

  /// An account, or a credit.
  struct Row {
    let source: LeaseSource
    var settled = Spend.zero
    /// Those of a plan's tokens that credits have paid.
    var paidByCredits: Int64 = 0
    /// By replica.
    var leased: [Int: Spend] = [:]
    var limits: LimitsInForce?

    var allLeased: Spend { leased.values.reduce(.zero, +) }
  }

  private(set) var rows: [LeaseSource: Row] = [:]
  /// Those of all rows as they came: a dictionary's own order is another in each process.
  private(set) var sources: [LeaseSource] = []
  /// Whose the credits are.
  private var clients: [Int64: String] = [:]
  private var intents: [Int: [Int: Intent]] = [:]
  /// Requests that were ended for a replica that was taken for dead.
  private var interrupted: [Int: Intent] = [:]
  private var lastIntent = 0

  // MARK: - Leases

  /// Leases what is wanted and `extra` times an eighth of what is left, or what there is; nothing
  /// where that is less than the least.
  mutating func lease(
    _ request: LeaseRequest, to replica: Int, extra: Int64 = 0
  ) -> LeaseAnswer {
    var row = rows[request.source] ?? Row(source: request.source)
    row.limits = request.limits
    var taken = row.settled + row.allLeased
    taken.tokens -= row.paidByCredits
    func grant(_ limit: Int64?, _ taken: Int64, _ least: Int64, _ wanted: Int64) -> Int64? {
      guard let limit else { return 0 }
      let left = max(0, limit - taken)
      return left < least ? nil : min(left, wanted + extra * left / 8)
    }
    var added = Spend.zero
    if let tokens = grant(
      request.limits.tokens, taken.tokens, request.least.tokens, request.wanted.tokens),
      let nanoUnits = grant(
        request.limits.nanoUnits, taken.nanoUnits, request.least.nanoUnits,
        request.wanted.nanoUnits)
    {
      added = Spend(tokens: tokens, nanoUnits: nanoUnits)
    }
    row.leased[replica, default: .zero] = row.leased[replica, default: .zero] + added
    write(row)
    return LeaseAnswer(
      to: request, added: added, standing: standing(of: request.source, for: replica))
  }

  private mutating func write(_ row: Row) {
    if rows.updateValue(row, forKey: row.source) == nil { sources.append(row.source) }
  }

  mutating func giveBack(_ back: LeaseReturn, of replica: Int) {
    guard let leased = rows[back.source]?.leased[replica] else { return }
    switch back.amount {
    case .everything: rows[back.source]?.leased[replica] = nil
    case .part(let part): rows[back.source]?.leased[replica] = leased.without(part)
    }
  }

  func standing(of source: LeaseSource, for replica: Int) -> SharedStanding {
    let row = rows[source] ?? Row(source: source)
    let own = row.leased[replica, default: .zero]
    return SharedStanding(
      of: source, settled: row.settled, paidByCredits: row.paidByCredits, leased: own,
      leasedToOthers: row.allLeased.without(own))
  }

  func standings(for replica: Int) -> [SharedStanding] {
    sources.map { standing(of: $0, for: replica) }
  }

  // MARK: - Requests

  mutating func begin(_ intent: Intent, of replica: Int) -> Int {
    lastIntent += 1
    intents[replica, default: [:]][lastIntent] = intent
    return lastIntent
  }

  /// Gives a client a credit.
  mutating func give(_ credit: Credit) {
    clients[credit.id] = credit.client
    let source = self.source(of: credit.id)
    write(Row(source: source, limits: credit.limits))
  }

  /// The rest of the credits.
  var credits: [Credit] {
    sources.compactMap { rows[$0] }.compactMap { row in
      guard case .credit(let key) = row.source, let limits = row.limits else { return nil }
      func amount(_ used: Spend) -> Credit.Amount {
        limits.tokens.map { .tokens($0 - used.tokens) }
          ?? .money(Money(nanoUnits: (limits.nanoUnits ?? 0) - used.nanoUnits, currency: .usd))
      }
      return Credit(
        id: key.id, client: key.client, granted: amount(.zero), remaining: amount(row.settled),
        expiresAt: nil)
    }.sorted { $0.id < $1.id }
  }

  private func source(of credit: Int64) -> LeaseSource {
    .credit(CreditKey(id: credit, client: clients[credit] ?? ""))
  }

  /// Records a request's end; one that was interrupted before gets its true figures.
  mutating func settle(_ intent: Int, with settlement: Intent, of replica: Int) {
    if intents[replica]?.removeValue(forKey: intent) != nil {
      count(settlement, takenOffLeaseOf: replica)
    } else if let supposed = interrupted.removeValue(forKey: intent) {
      count(settlement, takenOffLeaseOf: nil)
      count(supposed, takenOffLeaseOf: nil, times: -1)
    }
  }

  private mutating func count(
    _ settlement: Intent, takenOffLeaseOf replica: Int?, times: Int64 = 1
  ) {
    let paid = settlement.draws.reduce(0) { $0 + $1.tokens }
    for charge in settlement.charges {
      count(charge.spend, on: .account(charge.account), charge.takenOffLease, replica, times)
      guard charge.budget.isPlan else { continue }
      rows[.account(charge.account)]?.paidByCredits += times * paid
    }
    for draw in settlement.draws {
      let spend = draw.spend
      count(spend, on: source(of: draw.credit), draw.isLeased ? spend : .zero, replica, times)
    }
  }

  private mutating func count(
    _ spend: Spend, on source: LeaseSource, _ takenOffLease: Spend, _ replica: Int?,
    _ times: Int64
  ) {
    var row = rows[source] ?? Row(source: source)
    row.settled.tokens += times * spend.tokens
    row.settled.nanoUnits += times * spend.nanoUnits
    if let replica, let leased = row.leased[replica] {
      row.leased[replica] = leased.without(takenOffLease)
    }
    write(row)
  }

  /// Ends what a replica has left open, which is taken for dead.
  mutating func bury(_ replica: Int) {
    for (id, intent) in intents.removeValue(forKey: replica) ?? [:] {
      count(intent, takenOffLeaseOf: nil)
      interrupted[id] = intent
    }
    for key in rows.keys { rows[key]?.leased[replica] = nil }
  }

  // MARK: - What is promised

  /// Names the accounts and credits whose limits are passed: by what is settled and leased, or by
  /// what is settled and what requests in flight may still use.
  func mistakes() -> [String] {
    var inFlight: [LeaseSource: Spend] = [:]
    for intent in intents.values.flatMap(\.values) {
      let paid = intent.draws.reduce(0) { $0 + $1.tokens }
      for charge in intent.charges {
        var spend = charge.spend
        if charge.budget.isPlan { spend.tokens -= paid }
        inFlight[.account(charge.account), default: .zero].add(spend)
      }
      for draw in intent.draws { inFlight[source(of: draw.credit), default: .zero].add(draw.spend) }
    }
    return rows.values.flatMap { row -> [String] in
      guard let limits = row.limits else { return [] }
      var settled = row.settled
      settled.tokens -= row.paidByCredits
      let uses = [
        "settled and leased": settled + row.allLeased,
        "settled and in flight": settled + inFlight[row.source, default: .zero],
      ]
      return uses.filter { $0.value.exceeds(limits) }.map { "\($0.key) exceed \(row.source)" }
    }
  }
}

extension Charge {
  var account: AccountKey {
    AccountKey(
      budget: budget, subject: subject, period: period.description, window: window,
      currency: cost.currency)
  }

  var spend: Spend { Spend(tokens: tokens, nanoUnits: cost.nanoUnits) }
}

extension CreditDraw {
  var spend: Spend {
    cost.map { Spend(tokens: 0, nanoUnits: $0.nanoUnits) } ?? Spend(tokens: tokens, nanoUnits: 0)
  }
}

extension Credit {
  var limits: LimitsInForce {
    LimitsInForce(tokens: granted.tokens, nanoUnits: granted.money?.nanoUnits)
  }
}

extension SharedLedger.Intent {
  init(_ settlement: Settlement) {
    self.init(charges: settlement.charges, draws: settlement.draws)
  }
}

extension Spend {
  mutating func add(_ other: Spend) { self = self + other }

  static func + (left: Spend, right: Spend) -> Spend {
    Spend(tokens: left.tokens + right.tokens, nanoUnits: left.nanoUnits + right.nanoUnits)
  }

  /// Never below nought.
  func without(_ part: Spend) -> Spend {
    Spend(
      tokens: max(0, tokens - part.tokens), nanoUnits: max(0, nanoUnits - part.nanoUnits))
  }

  func exceeds(_ limits: LimitsInForce) -> Bool {
    (limits.tokens.map { tokens > $0 } ?? false)
      || (limits.nanoUnits.map { nanoUnits > $0 } ?? false)
  }
}
