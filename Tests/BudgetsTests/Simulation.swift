import Budgets
import Money
import Randomness
import Time

/// A world of a few clients that send requests, whose clock moves on, and whose administrators
/// change their minds; and a ledger beside it that checks every answer.
struct Simulation {
  private(set) var state: BudgetState
  /// Every answer, in words; only where it is asked for.
  private(set) var history: [String]?
  /// How often each outcome was seen: one that never is isn't tested.
  private(set) var coverage = [
    "held": 0, "clamped": 0, "admitted": 0, "denied": 0, "late": 0,
    "drawn": 0, "begun": 0,
  ]

  private var now = morning
  private var random: SplitMix64
  private var live: [Grant] = []
  private var waiting: [Ticket] = []
  private var ledger: [LedgerKey: Spend] = [:]
  private var definitions: [BudgetDefinition]
  private var mistakes: [String] = []
  /// The rest of each credit, in its own unit.
  private var credits: [Int64: Int64] = [:]

  /// By what the ledger tells accounts' windows apart.
  private struct LedgerKey: Hashable {
    let budget: BudgetID
    let subject: Subject
    let period: String
    let start: Timestamp
  }

  init(seed: UInt64, withHistory: Bool = false) {
    history = withHistory ? [] : nil
    random = SplitMix64(seed: seed)
    definitions = Simulation.definitions(&random)
    state = try! BudgetState(definitions, policy: Simulation.policy)
    state.limitConversations(
      [ConversationLimit(client: "acme", limit: 2, period: .daily, timeZone: .utc)], at: now)
  }

  mutating func takeMistakes() -> [String] {
    defer { mistakes = [] }
    return mistakes
  }

  /// Chooses a command and carries it out.
  mutating func step() throws {
    now = now.advanced(by: .milliseconds(Int64.random(in: 0...20_000, using: &random)))
    switch Int.random(in: 0..<1_000, using: &random) {
    case 0..<430: try ask()
    case 430..<800: try endOne()
    case 800..<860: try endWait()
    case 860..<890: try recordFromOutside()
    case 890..<905: now = now.advanced(by: .seconds(Int64.random(in: 0...90_000, using: &random)))
    case 905..<960: try adjust()
    case 960..<975: try reconfigure()
    case 975..<990: try giveCredit()
    default: checkLedger()
    }
  }

  /// Ends everything that is open, after which nothing may be held.
  mutating func drain() throws {
    while !live.isEmpty { try endOne() }
    while let ticket = waiting.first { try apply(.expire(ticket)) }
    while !live.isEmpty { try endOne() }
    for status in try allStatuses() where status.heldTokens != 0 || status.heldCost.nanoUnits != 0 {
      mistakes.append("\(status.subject) of \(status.definition.id) still holds something")
    }
    checkLedger()
  }

  // MARK: - Commands

  private mutating func ask() throws {
    let explicit = Bool.random(using: &random)
    let request = demand(
      input: .random(in: 0...100, using: &random),
      output: .random(in: 0...(explicit ? 500 : 9_000), using: &random), explicit: explicit,
      choices: .random(in: 1...2, using: &random),
      recent: Bool.random(using: &random) ? .random(in: 0...200, using: &random) : nil,
      fixedCost: microDollars(.random(in: 0...100, using: &random)),
      estimate: use(.random(in: 0...400, using: &random)), rates: brlRates)
    try apply(.hold(anyCaller(), request))
  }

  private mutating func endOne() throws {
    guard let index = live.indices.randomElement(using: &random) else { return }
    if Int.random(in: 0..<10, using: &random) == 0 {
      let part = Int64.random(in: 0...live[index].bound.tokens, using: &random) / 4
      return try apply(.draw(live[index].hold, use(part, microDollars: part)))
    }
    let grant = live.remove(at: index)
    switch Int.random(in: 0..<20, using: &random) {
    case 0: try apply(.release(grant.hold))
    case 1: try apply(.abandon(grant.hold))
    case 2: try apply(.settle(grant.hold, use(grant.bound.tokens + 50, microDollars: 2_000)))
    default:
      let tokens = Int64.random(in: 0...grant.bound.tokens, using: &random) / 3
      try apply(.settle(grant.hold, use(tokens, microDollars: tokens)))
    }
  }

  private mutating func endWait() throws {
    guard let ticket = waiting.randomElement(using: &random) else { return }
    if Bool.random(using: &random) {
      try apply(.expire(ticket))
    } else {
      waiting.removeAll { $0 == ticket }
      try apply(.withdraw(ticket))
    }
  }

  private mutating func recordFromOutside() throws {
    let tokens = Int64.random(in: 0...500, using: &random)
    try apply(.record(anyCaller(), use(tokens, microDollars: tokens), brlRates))
  }

  private mutating func adjust() throws {
    guard let definition = definitions.randomElement(using: &random) else { return }
    var target = Target(budget: definition.id)
    if definition.per == .user, Bool.random(using: &random) {
      let user = ["", "u1", "u2"].randomElement(using: &random) ?? ""
      target = Target(budget: definition.id, subject: Subject(kind: .user, value: user))
    }
    switch Int.random(in: 0..<16, using: &random) {
    case 0: try apply(.pause(target))
    case 1...8: try apply(.resume(target))
    case 9: try apply(.reset(target, .keep))
    case 10, 11: try apply(.reset(target, .clear))
    default:
      let tokens = Int64.random(in: 0...2_000, using: &random)
      let raise = Raise(
        amount: Spend(tokens: tokens, nanoUnits: tokens * 5_400),
        until: now.advanced(by: .seconds(Int64.random(in: 0...5_000, using: &random))))
      try apply(.raise(target, raise))
    }
  }

  private mutating func reconfigure() throws {
    definitions = Simulation.definitions(&random)
    try apply(.configure(definitions, Simulation.policy))
  }

  private mutating func giveCredit() throws {
    let id = Int64(credits.count + 1)
    let isMoney = Bool.random(using: &random)
    let amount = Int64.random(in: 1...2_000, using: &random) * (isMoney ? 5_400 : 1)
    credits[id] = amount
    let end = now.advanced(by: .seconds(Int64.random(in: 1...200_000, using: &random)))
    try apply(
      .takeCredits([
        Credit(
          id: id, client: "acme",
          granted: isMoney ? .money(Money(nanoUnits: amount, currency: brl)) : .tokens(amount),
          expiresAt: Bool.random(using: &random) ? end : nil)
      ]))
  }

  // MARK: - Answers

  private mutating func apply(_ command: BudgetCommand) throws {
    let (response, events) = try state.apply(command, at: now)
    if history != nil { history?.append("\(response) \(events)") }
    switch response {
    case .admission(.held(let grant)):
      live.append(grant)
      coverage[grant.clampedOutput == nil ? "held" : "clamped", default: 0] += 1
    case .admission(.waiting(let ticket)): waiting.append(ticket)
    case .admission(.denied(let denial)): check(denial)
    case .settlement(let settlement):
      settlement.charges.forEach { write($0) }
      settlement.draws.forEach { take($0) }
    case .charges(let charges): charges.forEach { write($0) }
    case .done: break
    }
    for (ticket, grant) in events.admitted {
      leave(ticket)
      live.append(grant)
      coverage["admitted", default: 0] += 1
    }
    for (ticket, denial) in events.denied {
      leave(ticket)
      check(denial)
    }
  }

  private mutating func leave(_ ticket: Ticket) {
    guard let index = waiting.firstIndex(of: ticket) else {
      mistakes.append("a ticket was answered that nobody waits with")
      return
    }
    waiting.remove(at: index)
  }

  private mutating func check(_ denial: Denial) {
    coverage["denied", default: 0] += 1
    let needs = Int128(denial.used) + Int128(denial.held) + Int128(denial.requested)
    let isOver = needs > Int128(denial.limit) || denial.limit == 0
    let isSoft = definitions.contains { $0.id == denial.budget && $0.enforcement == .soft }
    switch denial.reason {
    case .tokenLimit, .costLimit:
      if !isOver, !isSoft { mistakes.append("refused although it fits: \(denial)") }
    case .conversationLimit: coverage["begun", default: 0] += 1
    case .contended:
      // Of a plan, credits may be held since the period before.
      if denial.held == 0, !denial.budget.isPlan {
        mistakes.append("contended although nothing is held: \(denial)")
      }
    case .paused: break
    }
    if let resetAt = denial.resetAt, resetAt <= now {
      mistakes.append("a reset that has passed: \(denial)")
    }
  }

  // MARK: - Ledger

  private mutating func take(_ draw: CreditDraw) {
    coverage["drawn", default: 0] += 1
    let left = (credits[draw.credit] ?? 0) - (draw.cost?.nanoUnits ?? draw.tokens)
    credits[draw.credit] = left
    if left < 0 { mistakes.append("credit \(draw.credit) was overdrawn by \(-left)") }
  }

  private mutating func write(_ charge: Charge) {
    let key = LedgerKey(
      budget: charge.budget, subject: charge.subject, period: charge.period.description,
      start: charge.window.start)
    let total = ledger[key] ?? .zero
    ledger[key] = Spend(
      tokens: total.tokens + charge.tokens, nanoUnits: total.nanoUnits + charge.cost.nanoUnits)
    if charge.window.hasEnded(at: now) { coverage["late", default: 0] += 1 }
  }

  /// Checks that the budgets count their charges, which the ledger could bring back.
  private mutating func checkLedger() {
    guard let statuses = try? allStatuses() else { return }
    for status in statuses {
      let key = LedgerKey(
        budget: status.definition.id, subject: status.subject,
        period: status.definition.period.description, start: status.window.start)
      let counted = Spend(
        tokens: status.settledTokens, nanoUnits: status.settledCost.nanoUnits)
      let written = ledger[key] ?? .zero
      if counted != written {
        mistakes.append("\(key) counts \(counted), the ledger \(written)")
      }
    }
  }

  private func allStatuses() throws -> [AccountStatus] {
    try definitions.flatMap { try state.subjects(of: $0.id, at: now) }
  }

  // MARK: - World

  private mutating func anyCaller() -> Caller {
    caller(
      Bool.random(using: &random) ? "acme" : "globex",
      user: ["", "u1", "u2"].randomElement(using: &random) ?? "",
      conversation: ["", "c1", "c2", "c3"].randomElement(using: &random) ?? "")
  }

  private static let policy = BudgetPolicy(rates: brlRates, admissionQueue: 4)

  private static func definitions(_ random: inout SplitMix64) -> [BudgetDefinition] {
    let newYear = CivilDate(year: 2026, month: 1, day: 1)!
    let periods: [BudgetPeriod] = [
      .daily, .daily, .daily, .weekly, .days(2, anchor: newYear), .total,
    ]
    let enforcements: [BudgetDefinition.Enforcement] = [.hard, .hard, .hard, .soft, .shadow]
    func limit() -> BudgetLimit {
      let tokens = Int64.random(in: 0...20_000, using: &random)
      let cost = Money(nanoUnits: .random(in: 0...120_000_000, using: &random), currency: brl)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: return .tokens(tokens)
      case 1: return .cost(cost)
      default: return .both(tokens: tokens, cost: cost)
      }
    }
    func any(
      _ name: String, client: String = "acme", per: BudgetDefinition.Per = .client
    ) -> BudgetDefinition {
      budget(
        name, client: client, per: per, limit(),
        period: periods.randomElement(using: &random) ?? .daily,
        zone: .utc, enforcement: enforcements.randomElement(using: &random) ?? .hard,
        alerts: [50, 80, 100])
    }
    let all = [
      any("client"), any("user", per: .user), any("client", client: "globex"),
      any("all", client: "*"), any("each", client: "*", per: .user),
    ]
    // A plan stays, since it would count anew what was used before.
    let plan = budget(
      "plan", .tokens(.random(in: 0...3_000, using: &random)), period: .daily, alerts: [80])
    return all.filter { _ in Int.random(in: 0..<6, using: &random) > 0 } + [plan]
  }
}
