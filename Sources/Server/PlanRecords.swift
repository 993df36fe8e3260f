internal import Budgets
internal import Configuration
internal import Gateway
internal import Ledger
internal import Money
internal import Time

/// What the ledger knows of the open periods of plans.
///
/// A plan counts all that its client uses in the period, also what was used before the plan came or
/// its period moved. Budgets learn that from the rows: at a start before anything is counted, and
/// after a change besides what they have counted since.
struct PlanRecords {
  private let reader: LedgerReader
  private let clients: ClientRegistry
  private let billing: Currency
  private let now: Timestamp

  init(
    _ reader: LedgerReader, of clients: ClientRegistry, _ settings: Settings, at now: Timestamp
  ) {
    self.reader = reader
    self.clients = clients
    billing = settings.rates.billing
    self.now = now
  }

  /// All use of every plan's open period; where a reset has cleared some, what came after it.
  func uses(after resets: [BudgetReset]) throws(LedgerError) -> [RecordedUse] {
    var uses: [RecordedUse] = []
    for plan in clients.budgets where plan.id.isPlan {
      let window = openWindow(of: plan)
      let cleared = resets.last { reset in
        reset.target.budget == plan.id && reset.use == .clear && reset.at > window.start
      }
      let rest = BudgetWindow(start: cleared?.at ?? window.start, end: window.end)
      let use = try reader.planUse(of: plan.id.client, in: rest, currency: billing)
      uses.append(recorded(use.all, paidByCredits: use.paidByCredits, of: plan, in: rest))
    }
    return uses
  }

  /// What was charged so far to plans that `former` doesn't have, or in another period.
  func charged(besides former: ClientRegistry) throws(LedgerError) -> [BudgetID: PlanUse] {
    let periods = Dictionary(
      former.budgets.filter(\.id.isPlan).map { ($0.id, $0.period) }
    ) { first, _ in first }
    var uses: [BudgetID: PlanUse] = [:]
    for plan in clients.budgets where plan.id.isPlan && periods[plan.id] != plan.period {
      uses[plan.id] = try reader.planUse(
        of: plan.id.client, in: openWindow(of: plan), currency: billing)
    }
    return uses
  }

  /// What these plans haven't counted of their open periods.
  ///
  /// - Parameter before: what `charged` said before they began to count. All that was settled until
  ///   then is in the ledger by now.
  func uncounted(_ before: [BudgetID: PlanUse]) throws(LedgerError) -> [RecordedUse] {
    var uses: [RecordedUse] = []
    for plan in clients.budgets {
      guard let before = before[plan.id] else { continue }
      let window = openWindow(of: plan)
      let use = try reader.planUse(of: plan.id.client, in: window, currency: billing)
      let spend = Spend(
        tokens: PlanRecords.uncounted(
          use.all.tokens, use.charged.tokens, before: before.charged.tokens),
        nanoUnits: PlanRecords.uncounted(
          use.all.nanoUnits, use.charged.nanoUnits, before: before.charged.nanoUnits))
      uses.append(recorded(spend, paidByCredits: before.paidByCredits, of: plan, in: window))
    }
    return uses
  }

  /// What all used without what was charged since `before`; no sums of a ledger overflow.
  private static func uncounted(_ all: Int64, _ charged: Int64, before: Int64) -> Int64 {
    Int64(clamping: max(0, Int128(all) - Int128(charged) + Int128(before)))
  }

  /// The conversations begun in the open periods of those clients whose limit `former` doesn't
  /// have, or has over another period.
  func conversations(
    besides former: [ConversationLimit]
  ) throws(LedgerError) -> [String: [String]] {
    let periods = Dictionary(former.map { ($0.client, $0.period) }) { first, _ in first }
    var begun: [String: [String]] = [:]
    for limit in clients.conversationLimits where periods[limit.client] != limit.period {
      let window = BudgetWindow(of: limit.period, containing: now, in: limit.timeZone)
      begun[limit.client] = try reader.conversations(ofClient: limit.client, since: window.start)
    }
    return begun
  }

  private func openWindow(of plan: BudgetDefinition) -> BudgetWindow {
    BudgetWindow(of: plan.period, containing: now, in: plan.timeZone)
  }

  private func recorded(
    _ spend: Spend, paidByCredits: Int64, of plan: BudgetDefinition, in window: BudgetWindow
  ) -> RecordedUse {
    RecordedUse(
      budget: plan.id, subject: Subject(kind: .client, value: plan.id.client),
      period: plan.period.description, window: window, tokens: max(0, spend.tokens),
      cost: Money(nanoUnits: max(0, spend.nanoUnits), currency: billing),
      paidByCredits: max(0, paidByCredits))
  }
}
