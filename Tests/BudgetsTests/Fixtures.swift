import Budgets
import Money
import Testing
import Time

/// 2026-11-22T10:00:00Z, a Sunday.
let morning = Timestamp(milliseconds: 1_795_341_600_000)

let brl = Currency("BRL") ?? .usd

/// 5.40 reais for a dollar.
func brazilianRates() -> ExchangeRates {
  try! ExchangeRates(billing: brl, perDollar: [brl: FixedDecimal(scaled: 5_400_000_000_000)])
}

func zone(_ identifier: String) -> TimeZoneRules {
  TimeZoneRules(identifier: identifier)!
}

func budget(
  _ name: String, client: String = "acme", per: BudgetDefinition.Per = .client,
  _ limit: BudgetLimit, period: BudgetPeriod = .monthly, zone: TimeZoneRules = .utc,
  enforcement: BudgetDefinition.Enforcement = .hard, alerts: [Int] = []
) -> BudgetDefinition {
  BudgetDefinition(
    id: BudgetID(client: client, name: name), per: per, limit: limit, period: period,
    timeZone: zone, enforcement: enforcement, alerts: alerts)
}

/// The same where the name doesn't matter.
func budget(
  per: BudgetDefinition.Per = .client, _ limit: BudgetLimit, period: BudgetPeriod = .monthly,
  enforcement: BudgetDefinition.Enforcement = .hard, alerts: [Int] = []
) -> BudgetDefinition {
  budget(
    "b", per: per, limit, period: period, enforcement: enforcement, alerts: alerts)
}

func caller(
  _ client: String = "acme", user: String = "", key: String = "web", conversation: String = "",
  model: String = "m"
) -> Caller {
  Caller(client: client, key: key, user: user, conversation: conversation, model: model)
}

/// Dollars in millionths, exactly.
func microDollars(_ amount: Int64) -> ExactAmount {
  ExactAmount(units: Int128(amount) * 30_000_000_000_000_000)
}

/// A demand whose output tokens cost a millionth of a dollar each, unless told otherwise.
func demand(
  input: Int64 = 0, output: Int64, explicit: Bool = true, choices: Int64 = 1,
  recent: Int64? = nil, fixedCost: ExactAmount = .zero,
  outputTokenCost: ExactAmount = microDollars(1), estimate: Consumption = .zero,
  rates: ExchangeRates = .usdOnly
) -> Demand {
  Demand(
    inputTokens: input, fixedCost: fixedCost, outputTokenCost: outputTokenCost, choices: choices,
    largestOutput: output, limitIsExplicit: explicit, recentOutput: recent, estimate: estimate,
    rates: rates)
}

func use(_ tokens: Int64, microDollars cost: Int64 = 0) -> Consumption {
  Consumption(tokens: tokens, cost: microDollars(cost))
}

/// Budgets, a clock that the test sets, and the events since the last look.
struct Turnstile {
  var state: BudgetState
  var now = morning
  private(set) var events: [Event] = []

  init(
    _ definitions: [BudgetDefinition], queue: Int = 1_000, rates: ExchangeRates = .usdOnly,
    sharesLimits: Bool = false, mostSubjects: Int = BudgetPolicy.defaultMostSubjects
  ) {
    state = try! BudgetState(
      definitions,
      policy: BudgetPolicy(
        rates: rates, admissionQueue: queue, sharesLimits: sharesLimits,
        mostSubjects: mostSubjects))
  }

  mutating func hold(_ demand: Demand, for who: Caller = caller()) -> Admission {
    state.hold(demand, for: who, at: now, events: &events)
  }

  /// A hold that has to be granted.
  mutating func held(
    _ demand: Demand, for who: Caller = caller(), at location: SourceLocation = #_sourceLocation
  ) throws -> Grant {
    let admission = hold(demand, for: who)
    return try #require(admission.grant, "\(admission)", sourceLocation: location)
  }

  mutating func waiting(
    _ demand: Demand, for who: Caller = caller(), at location: SourceLocation = #_sourceLocation
  ) throws -> Ticket {
    let admission = hold(demand, for: who)
    return try #require(admission.ticket, "\(admission)", sourceLocation: location)
  }

  mutating func denied(
    _ demand: Demand, for who: Caller = caller(), at location: SourceLocation = #_sourceLocation
  ) throws -> Denial {
    let admission = hold(demand, for: who)
    return try #require(admission.denial, "\(admission)", sourceLocation: location)
  }

  @discardableResult
  mutating func settle(_ grant: Grant, _ consumption: Consumption) throws -> Settlement {
    try state.settle(grant.hold, with: consumption, at: now, events: &events)
  }

  mutating func release(_ grant: Grant) throws {
    try state.release(grant.hold, at: now, events: &events)
  }

  @discardableResult
  mutating func apply(_ command: BudgetCommand) throws -> Response {
    let (response, more) = try state.apply(command, at: now)
    events += more
    return response
  }

  mutating func configure(
    _ definitions: [BudgetDefinition], rates: ExchangeRates = .usdOnly
  ) throws {
    try apply(.configure(definitions, BudgetPolicy(rates: rates)))
  }

  /// The events since the last time.
  mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  func status(_ name: String = "b", client: String = "acme") throws -> AccountStatus {
    try state.status(of: BudgetID(client: client, name: name), at: now)
  }
}

extension Admission {
  var grant: Grant? { if case .held(let grant) = self { grant } else { nil } }
  var ticket: Ticket? { if case .waiting(let ticket) = self { ticket } else { nil } }
  var denial: Denial? { if case .denied(let denial) = self { denial } else { nil } }
}

extension [Event] {
  var admitted: [(ticket: Ticket, grant: Grant)] {
    compactMap { if case .admitted(let ticket, let grant) = $0 { (ticket, grant) } else { nil } }
  }
  var denied: [(ticket: Ticket, denial: Denial)] {
    compactMap { if case .denied(let ticket, let denial) = $0 { (ticket, denial) } else { nil } }
  }
  var thresholds: [Threshold] {
    compactMap { if case .thresholdReached(let threshold) = $0 { threshold } else { nil } }
  }
  var exceeded: [Denial] {
    compactMap { if case .exceeded(let denial, _) = $0 { denial } else { nil } }
  }
  var shadowed: [Denial] {
    compactMap { if case .wouldRefuse(_, let denial) = $0 { denial } else { nil } }
  }
  var overruns: [Overrun] {
    compactMap { if case .overrun(let overrun) = $0 { overrun } else { nil } }
  }
}
