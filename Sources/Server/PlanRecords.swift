internal import Budgets
internal import Configuration
internal import Gateway
internal import Ledger
internal import Money
internal import Time

/// Reads the use of plans' open periods from the ledger's rows.
///
/// A plan counts all use of its client in the period, including use before the plan was assigned or
/// its period moved. At a start, the budgets take over this use before they count anything. After a
/// change, they add it to the use that they have counted since.
///
/// Example: a plan is assigned on the 10th with a period from the 1st. Its budget begins with the
/// client's use of nine days.
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

  /// The use of every plan's open period; if a reset cleared the plan's use, the use since that
  /// reset.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
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

  /// The use so far of plans that are new since `former`, or whose period has changed.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
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

  /// The use of these plans' open periods that their budgets haven't counted.
  ///
  /// - Parameter before: the result of `charged` from before the budgets began to count. By now,
  ///   the ledger has everything that was settled until then.
  /// - Throws: `LedgerError` if the ledger can't be read.
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

  /// All use less the use since `before`. The ledger's sums saturate, so nothing overflows.
  private static func uncounted(_ all: Int64, _ charged: Int64, before: Int64) -> Int64 {
    Int64(clamping: max(0, Int128(all) - Int128(charged) + Int128(before)))
  }

  /// The conversations begun in the open periods of clients whose conversation limit is new since
  /// `former`, or whose limit has another period now.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
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
