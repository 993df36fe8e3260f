import Configuration
import InMemory
import Testing

@Suite struct StoreTests {
  private let disk = MemoryFiles(
    files(
      leastMain + "limits: { idle: 10s }\n",
      ["clients.yaml": "clients: { acme: {} }"]))

  private func makeStore() throws -> ConfigurationStore {
    try ConfigurationStore(loader(disk))
  }

  @Test("An edit puts everything in force at once")
  func replaced() throws {
    let store = try makeStore()
    disk["c/catraca.yaml"] = leastMain + "limits: { idle: 20s }"
    disk["c/clients.yaml"] = "clients: { acme: {}, beta: {} }"
    guard case .replaced(_, let awaitingRestart, _) = store.reloadIfChanged() else {
      Issue.record("not replaced")
      return
    }
    #expect(awaitingRestart.isEmpty)
    #expect(store.current.limits.idle == .seconds(20))
    #expect(store.current.clients.client("beta") != nil)
  }

  @Test("One mistake in one file leaves all of the old settings in force")
  func refused() throws {
    let store = try makeStore()
    disk["c/catraca.yaml"] = leastMain + "limits: { idle: 20s }"
    disk["c/clients.yaml"] = "clients: { acme: { plan: gone } }"
    guard case .refused(let mistakes) = store.reloadIfChanged() else {
      Issue.record("not refused")
      return
    }
    #expect(mistakes.map(\.position.line) == [1])
    #expect(store.current.limits.idle == .seconds(10))
    #expect(!store.isUpToDate)
    disk["c/clients.yaml"] = "clients: { acme: {} }"
    guard case .replaced = store.reloadIfChanged() else {
      Issue.record("not replaced after the mistake was mended")
      return
    }
    #expect(store.isUpToDate)
  }

  @Test("A mere touch does nothing, also after a refusal; a forced reload tells again")
  func unchanged() throws {
    let store = try makeStore()
    expectUnchanged(store)
    disk["c/clients.yaml"] = "clients: ["
    guard case .refused = store.reloadIfChanged() else {
      Issue.record("not refused")
      return
    }
    expectUnchanged(store)
    guard case .refused = store.reload() else {
      Issue.record("not refused again")
      return
    }
  }

  @Test("Settings that need a restart are named until they are those of the start again")
  func awaitingRestart() throws {
    let store = try makeStore()
    disk["c/catraca.yaml"] =
      leastMain + "proxy: { listen: [\"127.0.0.1:9\"] }\nledger: { url: \"sqlite:x\" }"
    #expect(names(store.reload()) == ["ledger.url", "proxy.listen"])
    #expect(names(store.reload()) == ["ledger.url", "proxy.listen"])
    disk["c/catraca.yaml"] = leastMain
    #expect(names(store.reload()) == [])
  }

  @Test("A file that is named but missing is watched, and its coming noticed")
  func missingFile() throws {
    let store = try makeStore()
    disk["c/catraca.yaml"] = leastMain + "pricing: [pricing/new.yaml]"
    guard case .refused = store.reloadIfChanged() else {
      Issue.record("not refused")
      return
    }
    #expect(
      store.watchedFiles.paths == ["c/catraca.yaml", "c/clients.yaml", "c/pricing/new.yaml"])
    #expect(store.watchedFiles.folders == ["c", "c/pricing"])
    disk["c/pricing/new.yaml"] = "provider: openai\nas_of: 2026-11-01"
    guard case .replaced = store.reloadIfChanged() else {
      Issue.record("not replaced")
      return
    }
  }

  @Test("Clients are decoded anew when their file or the rates change, and not when others do")
  func unchangedClients() throws {
    let rates = "currency: { per_usd: { BRL: \"5.40\" } }\n"
    let acme = "clients: { acme: { budgets: [{ mode: cost, cost: \"1\", currency: BRL }] } }"
    disk["c/catraca.yaml"] = leastMain + rates
    disk["c/clients.yaml"] = acme
    let store = try makeStore()
    let first = store.current.clients.client("acme")
    disk["c/catraca.yaml"] = leastMain + rates + "limits: { idle: 20s }"
    #expect(names(store.reload()) == [])
    #expect(store.current.limits.idle == .seconds(20))
    #expect(store.current.clients.client("acme") === first)
    disk["c/catraca.yaml"] = leastMain + rates.replacing("5.40", with: "5.50")
    #expect(names(store.reload()) == [])
    #expect(store.current.clients.client("acme") !== first)
    let second = store.current.clients.client("acme")
    disk["c/clients.yaml"] = "\(acme)\n"
    #expect(names(store.reload()) == [])
    #expect(store.current.clients.client("acme") !== second)
  }

  @Test("A mistake in the clients is told as often as they are read, until it is mended")
  func repeatedMistake() throws {
    let store = try makeStore()
    let first = store.current.clients.client("acme")
    disk["c/clients.yaml"] = "clients: { acme: { plan: gone } }"
    for _ in 1...2 {
      guard case .refused(let mistakes) = store.reload() else {
        Issue.record("not refused")
        return
      }
      #expect(mistakes.count == 1)
    }
    disk["c/clients.yaml"] = "clients: { acme: {} }"
    #expect(names(store.reload()) == [])
    #expect(store.current.clients.client("acme") !== first)
  }

  @Test("A changed key file is a change")
  func secretFile() throws {
    let main = "providers: { a: { base_url: https://h, api_key_file: key } }"
    let disk = MemoryFiles(files(main, ["key": "one\n"]))
    let store = try ConfigurationStore(loader(disk))
    disk["c/key"] = "two\n"
    guard case .replaced = store.reloadIfChanged() else {
      Issue.record("not replaced")
      return
    }
    #expect(store.current.providers[0].apiKey?.revealed() == "two")
  }

  @Test("A store doesn't begin with a mistake")
  func wrongStart() {
    disk["c/catraca.yaml"] = "providers: {}"
    #expect(throws: ConfigurationError.self) { try makeStore() }
  }

  private func expectUnchanged(_ store: ConfigurationStore) {
    guard case .unchanged = store.reloadIfChanged() else {
      Issue.record("changed")
      return
    }
  }

  private func names(_ outcome: ConfigurationStore.ReloadOutcome) -> [String]? {
    guard case .replaced(_, let awaitingRestart, _) = outcome else { return nil }
    return awaitingRestart
  }
}
