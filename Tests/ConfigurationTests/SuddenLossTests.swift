import Configuration
import EventLoop
import InMemory
import Testing

@Suite struct SuddenLossTests {
  private let disk = MemoryFiles(
    files(leastMain, ["clients.yaml": SuddenLossTests.clients(4)]))
  private let clock = Lock(ContinuousClock.now)

  /// A number of clients, each with two keys.
  private static func clients(_ count: Int) -> String {
    guard count > 0 else { return "" }
    let lines = (1...count).map { number in
      let keys = [2 * number, 2 * number + 1].map { "{ name: k\($0), sha256: \(digest($0)) }" }
      return "  c\(number): { keys: [\(keys.joined(separator: ", "))] }\n"
    }
    return "clients:\n\(lines.joined())"
  }

  private static func digest(_ seed: Int) -> String { "\"\(digestText(seed))\"" }

  private func makeStore() throws -> ConfigurationStore {
    try ConfigurationStore(loader(disk)) { [clock] in clock.withLock { $0 } }
  }

  private func pass(_ duration: Duration) {
    clock.withLock { $0 = $0.advanced(by: duration) }
  }

  /// The loss that a refusal states; nil if the files were taken over.
  private func refusal(_ outcome: ConfigurationStore.ReloadOutcome) -> String? {
    guard case .lossRefused(let loss) = outcome else { return nil }
    return loss.description
  }

  private func isReplaced(_ outcome: ConfigurationStore.ReloadOutcome) -> Bool {
    if case .replaced = outcome { true } else { false }
  }

  /// The changes of declared numbers; nil if no files were put in force.
  private func changes(_ outcome: ConfigurationStore.ReloadOutcome) -> [String]? {
    guard case .replaced(_, _, let changes) = outcome else { return nil }
    return changes
  }

  private func isUnchanged(_ outcome: ConfigurationStore.ReloadOutcome) -> Bool {
    if case .unchanged = outcome { true } else { false }
  }

  @Test(
    "A file that loses more than half of its clients or keys leaves the old settings in force",
    arguments: [
      ("", "0 of 4 clients and 0 of 8 keys are left"),
      ("# nothing yet\n", "0 of 4 clients and 0 of 8 keys are left"),
      ("clients: {}", "0 of 4 clients and 0 of 8 keys are left"),
      (clients(1), "1 of 4 clients and 2 of 8 keys are left"),
      // A file of 4 clients that was cut inside the second one.
      (
        "clients:\n  c1: { keys: [{ name: k2, sha256: \(digest(2)) }] }\n  c2:\n",
        "1 of 8 keys are left"
      ),
      (
        "clients: { c1: {}, c2: {}, c3: { keys: [{ name: k, sha256: \(digest(9)) }] } }",
        "1 of 8 keys are left"
      ),
    ])
  func refused(clients: String, left: String) throws {
    let store = try makeStore()
    disk["c/clients.yaml"] = clients
    #expect(refusal(store.reloadIfChanged()) == left)
    #expect(!store.isUpToDate)
    #expect(store.current.clients.clients.count == 4)
  }

  @Test("A file that is gone, and a main file that no longer names it, are such losses too")
  func missing() throws {
    let store = try makeStore()
    disk["c/clients.yaml"] = nil
    #expect(refusal(store.reloadIfChanged()) == "0 of 4 clients and 0 of 8 keys are left")
    disk["c/clients.yaml"] = Self.clients(4)
    #expect(isReplaced(store.reloadIfChanged()))
    #expect(store.isUpToDate)
    disk["c/others.yaml"] = "clients: {}"
    disk["c/catraca.yaml"] = leastMain + "clients: others.yaml"
    #expect(refusal(store.reloadIfChanged()) == "0 of 4 clients and 0 of 8 keys are left")
  }

  @Test("Half of the clients may go at once, and all keys may be others")
  func allowed() throws {
    let store = try makeStore()
    disk["c/clients.yaml"] = Self.clients(2)
    #expect(isReplaced(store.reloadIfChanged()))
    disk["c/clients.yaml"] = Self.clients(2).replacing("\"0", with: "\"f")
    #expect(isReplaced(store.reloadIfChanged()))
  }

  @Test("Prices and plans are guarded like clients")
  func pricesAndPlans() throws {
    let head = "provider: openai\ncurrency: USD\nas_of: 2026-11-01\nmodels:\n"
    func models(_ count: Int) -> String {
      head
        + (1...count).map {
          "  m\($0): { operation: chat, prices: [{ from: 2026-01-01, "
            + "per_million_tokens: { input: \"1\", output: \"1\" } }] }\n"
        }.joined()
    }
    disk["c/catraca.yaml"] = leastMain + "pricing: [p.yaml]"
    disk["c/p.yaml"] = models(5)
    disk["c/clients.yaml"] = "plans: { a: {}, b: {}, c: {} }\nclients: {}"
    let store = try makeStore()
    disk["c/p.yaml"] = models(2)
    #expect(refusal(store.reloadIfChanged()) == "2 of 5 models with prices are left")
    disk["c/clients.yaml"] = "plans: { a: {} }\nclients: {}"
    #expect(
      refusal(store.reloadIfChanged())
        == "1 of 3 plans and 2 of 5 models with prices are left")
  }

  @Test("Budgets of clients and of everything are guarded like clients; what changes is said")
  func budgets() throws {
    func budgets(client: Int, everything: Int) -> String {
      func list(_ count: Int) -> String {
        let each = (0..<count).map {
          "{ name: b\($0), mode: tokens, tokens: 9, period: total }"
        }
        return "[\(each.joined(separator: ", "))]"
      }
      return """
        budgets: \(list(everything))
        plans: { p: { monthly_tokens: 5 } }
        clients: { c: { plan: p, budgets: \(list(client)) } }
        """
    }
    disk["c/clients.yaml"] = budgets(client: 4, everything: 2)
    let store = try makeStore()
    disk["c/clients.yaml"] = budgets(client: 0, everything: 2)
    #expect(refusal(store.reloadIfChanged()) == "2 of 6 budgets are left")
    #expect(store.current.clients.budgets.count == 7)
    disk["c/clients.yaml"] = budgets(client: 3, everything: 1)
    #expect(changes(store.reloadIfChanged()) == ["budgets: 6 before, 4 now"])
    disk["c/clients.yaml"] = budgets(client: 1, everything: 1)
    #expect(changes(store.reloadIfChanged()) == ["budgets: 4 before, 2 now"])
    disk["c/clients.yaml"] = budgets(client: 0, everything: 0)
    #expect(changes(store.reloadIfChanged()) == ["budgets: 2 before, 0 now"])
    disk["c/clients.yaml"] = budgets(client: 1, everything: 1)
    #expect(changes(store.reloadIfChanged()) == ["budgets: 0 before, 2 now"])
    disk["c/clients.yaml"] = budgets(client: 1, everything: 1) + " "
    #expect(changes(store.reloadIfChanged()) == [])
    disk["c/clients.yaml"] = budgets(client: 1, everything: 1) + "\n" + "# a remark"
    #expect(changes(store.reloadIfChanged()) == [])
  }

  @Test("The same content, read again two seconds later, is put in force")
  func readTwice() throws {
    let store = try makeStore()
    disk["c/clients.yaml"] = Self.clients(1)
    #expect(refusal(store.reloadIfChanged()) != nil)
    pass(.milliseconds(1_900))
    #expect(refusal(store.reload()) != nil)
    pass(.milliseconds(100))
    #expect(isReplaced(store.reload()))
    #expect(store.current.clients.clients.count == 1)
    #expect(store.isUpToDate)
  }

  @Test("Other events in the folder confirm nothing; a further write of the same content does")
  func writtenAgain() throws {
    let store = try makeStore()
    disk["c/clients.yaml"] = Self.clients(1)
    #expect(refusal(store.reloadIfChanged()) != nil)
    pass(.seconds(60))
    disk["c/ledger.db"] = "a neighbour"
    #expect(isUnchanged(store.reloadIfChanged()))
    #expect(store.current.clients.clients.count == 4)
    disk["c/clients.yaml"] = Self.clients(1)
    #expect(isReplaced(store.reloadIfChanged()))
    #expect(store.current.clients.clients.count == 1)
  }

  @Test("A file that is written in steps confirms nothing until it has its end")
  func written() throws {
    let store = try makeStore()
    for count in [0, 1] {
      disk["c/clients.yaml"] = Self.clients(count)
      #expect(refusal(store.reloadIfChanged()) != nil)
      pass(.seconds(5))
    }
    disk["c/clients.yaml"] = Self.clients(5)
    #expect(isReplaced(store.reloadIfChanged()))
    #expect(store.current.clients.clients.count == 5)
    // The earlier look at the same half doesn't count for a later accident.
    disk["c/clients.yaml"] = Self.clients(1)
    #expect(refusal(store.reload()) != nil)
  }

  @Test("Files that an administrator accepts are put in force, and only those")
  func accepted() throws {
    let store = try makeStore()
    disk["c/clients.yaml"] = Self.clients(1)
    let accepted = try loader(disk).load().digest
    disk["c/clients.yaml"] = ""
    #expect(refusal(store.reload { $0 == accepted }) != nil)
    #expect(isUnchanged(store.reloadIfAccepted { $0 == accepted }))
    disk["c/clients.yaml"] = Self.clients(1)
    #expect(isReplaced(store.reloadIfChanged { $0 == accepted }))
    disk["c/clients.yaml"] = ""
    #expect(refusal(store.reload()) != nil)
    #expect(isReplaced(store.reloadIfAccepted { _ in true }))
    #expect(store.current.clients.clients.isEmpty)
  }
}
