import Budgets
import Configuration
import Testing
import Time

@Suite struct RegistryAdditionsTests {
  private let registry: ClientRegistry

  private static func digest(_ digit: Character) -> KeyDigest {
    KeyDigest(hexadecimal: String(repeating: digit, count: 64))!
  }

  private static func key(_ name: String, _ digit: Character) -> ClientKey {
    ClientKey(name: name, digest: digest(digit))
  }

  init() throws {
    let clients = """
      plans: { trial: { monthly_tokens: 50000 }, pro: {} }
      default_plan: trial
      clients:
        acme: { plan: pro, keys: [{ name: web, sha256: "\(Self.digest("a"))" }] }
      """
    registry = try load(leastMain, ["clients.yaml": clients]).settings.clients
  }

  @Test("A client that no file declares is looked up by id and by key, and has its plan's budget")
  func addsClients() {
    let zone = TimeZoneRules(identifier: "America/Sao_Paulo")!
    let added = registry.adding(
      clients: [Client(id: "beta", name: "Beta", plan: "trial", timeZone: zone)],
      keys: ["beta": [Self.key("app", "b")]])
    #expect(added.clients.map(\.id) == ["acme", "beta"])
    #expect(added.owner(of: Self.digest("b"))?.client.id == "beta")
    #expect(added.owner(of: Self.digest("a"))?.client.id == "acme")
    let budget = added.budgets.first { $0.id == BudgetID(client: "beta", name: "plan") }
    #expect(budget?.limit == .tokens(50_000))
    #expect(budget?.timeZone.identifier == zone.identifier)
    #expect(added.line(of: BudgetID(client: "beta", name: "plan")) == nil)
  }

  @Test(
    "Without a plan, or with one that is no more, a client is on the default plan",
    arguments: [nil, "gone"])
  func fallsBackToDefaultPlan(plan: String?) {
    let added = registry.adding(
      clients: [Client(id: "beta", name: "Beta", plan: plan)], keys: [:])
    #expect(added.client("beta")?.plan == "trial")
    #expect(added.budgets.contains { $0.id == BudgetID(client: "beta", name: "plan") })
  }

  @Test("Only a client that something changes is made anew")
  func keepsUnchangedClients() throws {
    let acme = try #require(registry.client("acme"))
    #expect(registry.adding(clients: [], keys: [:]).client("acme") === acme)
    let beta = [Client(id: "beta", name: "Beta")]
    #expect(registry.adding(clients: beta, keys: [:]).client("acme") === acme)
    let overdue = registry.adding(clients: [], keys: [:], overdue: ["acme"])
    #expect(overdue.client("acme")?.isOverdue == true)
    #expect(overdue.owner(of: Self.digest("a"))?.client === overdue.client("acme"))
    #expect(overdue.adding(clients: [], keys: [:]).client("acme")?.isOverdue == false)
  }

  @Test("A declared client stays as declared, and can have more keys")
  func declaredClientsGoBefore() {
    let added = registry.adding(
      clients: [Client(id: "acme", name: "Other", plan: "trial", status: .suspended)],
      keys: ["acme": [Self.key("app", "b")], "unknown": [Self.key("app", "c")]])
    #expect(added.clients.count == 1)
    #expect(added.client("acme")?.status == .active)
    #expect(added.client("acme")?.line == registry.client("acme")?.line)
    #expect(added.client("acme")?.keys.map(\.name) == ["web", "app"])
    #expect(added.owner(of: Self.digest("c")) == nil)
    #expect(added.budgets == registry.budgets)
  }

  @Test("A key with a declared key's name or digest is left out")
  func declaredKeysGoBefore() {
    let added = registry.adding(
      clients: [Client(id: "beta", name: "Beta")],
      keys: ["acme": [Self.key("web", "b")], "beta": [Self.key("stolen", "a")]])
    #expect(added.owner(of: Self.digest("b")) == nil)
    #expect(added.owner(of: Self.digest("a"))?.client.id == "acme")
    #expect(added.client("beta")?.keys.isEmpty == true)
  }

  @Test("Two keys of one name, as a rotation leaves them, both count")
  func rotatedKeysOverlap() {
    let added = registry.adding(
      clients: [], keys: ["acme": [Self.key("app", "b"), Self.key("app", "c")]])
    #expect(added.owner(of: Self.digest("b"))?.key.name == "app")
    #expect(added.owner(of: Self.digest("c"))?.key.name == "app")
  }
}
