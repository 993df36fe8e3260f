import Budgets
import Ledger
import Money
import Time

// The changes that administrators make meanwhile: to budgets, and in files.

extension World {
  /// Does something to a budget. The ledger has it first; the server takes it over at once or, as
  /// when a command of another process did it, some time later.
  func administrate() throws {
    let target = anyTarget()
    let choice = Int.random(in: 0..<20, using: &random)
    let raise = Raise(
      amount: Spend(
        tokens: .random(in: 0...2_000, using: &random),
        nanoUnits: .random(in: 0...6_000, using: &random)),
      until: now.advanced(by: .seconds(Int64.random(in: 0...100_000, using: &random))))
    do {
      let editor = try LedgerEditor(
        at: options.location, author: LedgerEditor.Author(actor: "simulation", now: now),
        fileSystem: disk.name)
      switch choice {
      case 0, 1:
        try editor.setPaused(true, target)
        count("paused")
      case 2..<10:
        try editor.setPaused(false, target)
        count("resumed")
      case 10, 11:
        try editor.reset(target, use: .keep)
        count("reset keep")
      case 12, 13:
        try editor.reset(target, use: .clear)
        count("reset clear")
      default:
        // Whether or not the disk takes it.
        ceilings.raise(target, by: raise)
        try editor.raise(target, by: raise)
        count("raised")
      }
    } catch {
      count("change refused")
    }
    if Bool.random(using: &random) { try followLedger() }
  }

  private func anyTarget() -> Target {
    let definition = World.definitions().randomElement(using: &random)!
    guard definition.per == .user, Bool.random(using: &random) else {
      return Target(budget: definition.id)
    }
    let user = ["", "u1", "u2"].randomElement(using: &random)!
    return Target(budget: definition.id, subject: Subject(kind: .user, value: user))
  }

  /// Puts in force what the ledger has of administrators' doings.
  func followLedger() throws {
    if disk.isDead { return }
    let reader = try LedgerReader(at: options.location, fileSystem: disk.name)
    let adjustments = BudgetControls(
      controls: try reader.budgetControls(), resets: try reader.budgetResets(after: latestReset))
    var events: [Event] = []
    state.apply(adjustments, replacing: controls, at: now, events: &events)
    controls = adjustments.controls
    latestReset = adjustments.resets.last?.id ?? latestReset
    hear(events)
  }

  /// Somebody edits the file of budgets: limits change, a budget goes or comes back.
  func reload() throws {
    definitions = World.definitions().compactMap { definition in
      switch Int.random(in: 0..<16, using: &random) {
      case 0: nil
      case 1..<4: definition.scaled(by: Int64.random(in: 1...4, using: &random), over: 2)
      default: definition
      }
    }
    ceilings.define(definitions, at: now)
    var events: [Event] = []
    try state.configure(definitions, policy: World.policy, at: now, events: &events)
    hear(events)
    count("budgets reloaded")
  }
}

extension BudgetDefinition {
  fileprivate func scaled(by factor: Int64, over divisor: Int64) -> BudgetDefinition {
    func scaled(_ amount: Int64) -> Int64 { amount * factor / divisor }
    let limit: BudgetLimit =
      switch limit {
      case .tokens(let tokens): .tokens(scaled(tokens))
      case .cost(let cost):
        .cost(Money(nanoUnits: scaled(cost.nanoUnits), currency: cost.currency))
      case .both(let tokens, let cost):
        .both(
          tokens: scaled(tokens),
          cost: Money(nanoUnits: scaled(cost.nanoUnits), currency: cost.currency))
      case .conversations: limit
      }
    return BudgetDefinition(
      id: id, per: per, limit: limit, period: period, timeZone: timeZone,
      enforcement: enforcement, alerts: alerts)
  }
}
