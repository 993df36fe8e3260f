import Budgets
import Money
import Testing
import Time

@testable import Ledger

@Suite struct BudgetControlTests {
  private let folder = TemporaryFolder()
  private let id = BudgetID(client: "acme", name: "cap")

  private func editor() throws -> LedgerEditor {
    try LedgerEditor(
      at: folder.location,
      author: LedgerEditor.Author(actor: "token:alice", now: Sample.admitted))
  }

  private func budget(tokens: Int64 = 5) -> StoredBudget {
    StoredBudget(
      id: id, per: .user,
      limit: .both(tokens: tokens, cost: Money(nanoUnits: 7, currency: .usd)), period: "30d",
      enforcement: .soft, alerts: [50, 100], createdAt: Sample.admitted)
  }

  @Test("A budget is read back as it was, replaced in place, and removed")
  func budgets() throws {
    let editor = try editor()
    let reader = try LedgerReader(at: folder.location)
    #expect(try editor.replace(budget()))
    #expect(try reader.storedClients().budgets == [budget()])
    #expect(try !editor.replace(budget(tokens: 9)))
    #expect(try reader.storedBudgets() == [budget(tokens: 9)])
    try editor.removeBudget(id)
    #expect(try reader.storedBudgets() == [])
    #expect(throws: LedgerError.notFound(record: "budget acme/cap")) {
      try editor.removeBudget(id)
    }
  }

  @Test("What files declare and what was made here leave each other alone")
  func besideFiles() async throws {
    _ = try editor().replace(budget())
    let server = try folder.ledger()
    try await server.syncBudgets([], at: Sample.admitted)
    #expect(try LedgerReader(at: folder.location).storedBudgets() == [budget()])
    await server.close()
  }

  @Test("What is set on a whole budget ends what was set on its subjects")
  func controls() throws {
    let editor = try editor()
    let reader = try LedgerReader(at: folder.location)
    let user = Target(budget: id, subject: Subject(kind: .user, value: "u1"))
    let raise = Raise(amount: Spend(tokens: 3, nanoUnits: 0), until: Sample.admitted)
    try editor.setPaused(true, user)
    try editor.raise(user, by: raise)
    #expect(
      try reader.budgetControls() == [BudgetControl(target: user, isPaused: true, raise: raise)])
    try editor.setPaused(false, Target(budget: id))
    #expect(
      try reader.budgetControls() == [
        BudgetControl(target: Target(budget: id), isPaused: false),
        BudgetControl(target: user, raise: raise),
      ])
  }

  @Test("A reset clears what was used before it, of its own budget")
  func resets() throws {
    try editor().reset(Target(budget: id), use: .clear)
    let reader = try LedgerReader(at: folder.location)
    let reset = try #require(try reader.budgetResets(after: 0).first)
    #expect(try reader.budgetResets(after: reset.id).isEmpty)
    func use(of budget: BudgetID, from start: Timestamp) -> RecordedUse {
      RecordedUse(
        budget: budget, subject: Subject(kind: .user, value: "u1"), period: "30d",
        window: BudgetWindow(start: start, end: nil), tokens: 9,
        cost: Money(nanoUnits: 9, currency: .usd))
    }
    let before = Sample.admitted.advanced(by: .seconds(-1))
    #expect(reset.clears(use(of: id, from: before)))
    #expect(!reset.clears(use(of: id, from: reset.at)))
    let other = BudgetID(client: "acme", name: "other")
    #expect(!reset.clears(use(of: other, from: before)))
  }

  @Test("A reset after the removal of a budget that was reset has a larger id than all before")
  func resetsAfterARemoval() throws {
    let editor = try editor()
    let reader = try LedgerReader(at: folder.location)
    _ = try editor.replace(budget())
    try editor.reset(Target(budget: id), use: .clear)
    let last = try #require(try reader.budgetResets(after: 0).last)
    try editor.removeBudget(id)
    _ = try editor.replace(budget())
    try editor.reset(Target(budget: id), use: .clear)
    #expect(try reader.budgetResets(after: last.id).map(\.target.budget) == [id])
    // Use that was cleared before the removal stays cleared after it.
    #expect(try reader.budgetResets(of: [id]).count == 2)
    #expect(try reader.budgetResets(of: []).isEmpty)
  }
}
