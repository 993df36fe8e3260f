import Budgets
import Configuration
import Money
import Pricing
import Testing
import Time

@Suite struct ClientsTests {
  private static let file = """
    plans:
      trial: { display_name: Trial, monthly_tokens: 50000, monthly_conversations: 50 }
      pro:
        display_name: Pro
        billing: { currency: BRL, fixed_fee: "400.00", included_tokens: 8000000,
                   overage: { every_tokens: 8000000, charge: "100.00" } }
    default_plan: trial
    clients:
      acme:
        name: ACME Corp
        plan: pro
        timezone: America/Sao_Paulo
        metadata: { crm: 17, tier: gold }
        keys:
          - { name: web, sha256: "\(digestText(1))", models: ["gpt-4o*", "llama-3.*"],
              operations: [chat, embedding], expires: 2027-01-01,
              requests_per_minute: 600, tokens_per_minute: 200000 }
          - { name: batch, sha256: "\(digestText(2))", expires: 2027-01-01T00:00:00Z }
        budgets:
          - { mode: both, tokens: 1000000, cost: "500.00", currency: BRL, period: monthly,
              enforcement: hard, pause_at_limit: true, alerts: [80, 90, 100] }
          - { per: user, mode: tokens, tokens: 100000, period: 30d }
          - { name: spending, mode: brl, cost: 10.5, pause_at_limit: false, alerts: [] }
      tiny:
    budgets:
      - { name: all, cost: "1000", enforcement: soft, period: total }
    """

  private let registry: ClientRegistry
  private let acme: Client

  init() throws {
    registry = try loadClients(Self.file)
    acme = try #require(registry.client("acme"))
  }

  @Test("Clients have what the file says, and else their defaults")
  func clients() throws {
    #expect(registry.clients.map(\.id) == ["acme", "tiny"])
    #expect(acme.name == "ACME Corp" && acme.plan == "pro" && acme.line == 9)
    #expect(acme.timeZone.identifier == "America/Sao_Paulo")
    #expect(acme.metadata == ["crm": "17", "tier": "gold"])
    let tiny = try #require(registry.client("tiny"))
    #expect(tiny.name == "tiny" && tiny.plan == "trial" && tiny.status == .active)
    #expect(tiny.timeZone == .utc)
    #expect(registry.client("nobody") == nil)
  }

  @Test("A key is found by its digest, with its client and its limits")
  func keys() throws {
    let web = try #require(KeyDigest(hexadecimal: digestText(1)))
    let owner = try #require(registry.owner(of: web))
    #expect(owner.client === acme && owner.key.name == "web")
    #expect(owner.key.requestsPerMinute == 600 && owner.key.tokensPerMinute == 200000)
    #expect(owner.key.allows(model: "gpt-4o-mini") && !owner.key.allows(model: "o3"))
    #expect(owner.key.allows(.chat) && !owner.key.allows(.speech))
    let other = try #require(KeyDigest(hexadecimal: digestText(3)))
    #expect(registry.owner(of: other) == nil)
  }

  @Test("A key expires at midnight of its client's zone, or at the instant given")
  func expiry() {
    let texts = acme.keys.map { $0.expires?.rfc3339 }
    #expect(texts == ["2027-01-01T03:00:00.000Z", "2027-01-01T00:00:00.000Z"])
    let expires = Timestamp(milliseconds: 1000)
    let key = ClientKey(name: "k", digest: acme.keys[0].digest, expires: expires)
    #expect(!key.isExpired(at: Timestamp(milliseconds: 999)))
    #expect(key.isExpired(at: expires))
  }

  @Test("Plans keep their limits and prices")
  func plans() {
    #expect(registry.defaultPlan == "trial")
    #expect(registry.plans["trial"]?.monthlyConversations == 50)
    let reais = { (units: Int64) in
      Currency("BRL").map { Money(nanoUnits: units * 1_000_000_000, currency: $0) }
    }
    #expect(registry.plans["pro"]?.billing?.fixedFee == reais(400))
    #expect(registry.plans["pro"]?.billing?.overage?.charge == reais(100))
  }

  @Test("Budgets are named by the file or by their position, and a plan's limit is one of them")
  func budgetNames() {
    #expect(
      registry.budgets.map(\.id.description)
        == ["acme/1", "acme/2", "acme/spending", "*/all", "tiny/plan"])
    #expect(registry.line(of: BudgetID(client: "acme", name: "1")) == 20)
    #expect(registry.line(of: BudgetID(client: "tiny", name: "plan")) == nil)
  }

  @Test("Budgets have what the file says, and else their defaults")
  func budgets() throws {
    let brl = try #require(Currency("BRL"))
    let zone = acme.timeZone
    #expect(
      registry.budgets == [
        BudgetDefinition(
          id: BudgetID(client: "acme", name: "1"), per: .client,
          limit: .both(
            tokens: 1_000_000, cost: Money(nanoUnits: 500_000_000_000, currency: brl)),
          period: .monthly, timeZone: zone, enforcement: .hard, alerts: [80, 90, 100]),
        BudgetDefinition(
          id: BudgetID(client: "acme", name: "2"), per: .user, limit: .tokens(100_000),
          period: .days(30, anchor: try #require(CivilDate("2026-01-01"))), timeZone: zone,
          enforcement: .hard, alerts: [80, 90, 100]),
        BudgetDefinition(
          id: BudgetID(client: "acme", name: "spending"), per: .client,
          limit: .cost(Money(nanoUnits: 10_500_000_000, currency: brl)), period: .monthly,
          timeZone: zone, enforcement: .shadow, alerts: []),
        BudgetDefinition(
          id: BudgetID(client: "*", name: "all"), per: .client,
          limit: .cost(Money(nanoUnits: 1_000_000_000_000, currency: .usd)), period: .total,
          timeZone: .utc, enforcement: .soft, alerts: [80, 90, 100]),
        BudgetDefinition(
          id: BudgetID(client: "tiny", name: "plan"), per: .client, limit: .tokens(50000),
          period: .monthly, timeZone: .utc, enforcement: .hard, alerts: [80, 90, 100]),
      ])
  }

  @Test("A wrong budget says what is allowed", arguments: WrongBudget.all)
  func wrongBudget(budget: WrongBudget) {
    let file = "clients: { a: { budgets: [\n\(budget.text)\n] } }"
    #expect(clientMistakes(file) == ["2:\(budget.mistake)"])
  }

  @Test("A budget's currency needs a rate, unless it is the dollar")
  func currencies() throws {
    let file = "budgets: [{ mode: usd, cost: 1 }]"
    #expect(try loadClients(file, rates: "").budgets.count == 1)
    #expect(
      clientMistakes("budgets: [{ mode: brl, cost: 1 }]", rates: "")
        == ["1:19: BRL has no rate in currency.per_usd; allowed: USD"])
  }

  @Test("Two of a kind are told, with the line of the first")
  func duplicates() {
    let file = """
      clients:
        a:
          keys:
            - { name: k, sha256: "\(digestText(1))" }
            - { name: k, sha256: "\(digestText(2))" }
          budgets:
            - { name: "2", tokens: 1 }
            - { tokens: 1 }
        b:
          keys:
            - { name: k, sha256: "\(digestText(1))" }
        a: {}
      """
    #expect(
      clientMistakes(file) == [
        "5:9: a second key named \"k\"; allowed: each name once in a client",
        "8:9: a second budget named \"2\", as in line 7; allowed: each once",
        "11:9: sha256 is that of the key in line 4; allowed: a key of its own",
        "12:3: the key \"a\" is repeated; it stands already in line 2",
      ])
  }

  @Test("Names, plans, keys and statuses are checked")
  func wrongClients() {
    let file = """
      plans: { trial: { monthly_tokens: -1 } }
      clients:
        "a b": {}
        c: { plan: trail, status: gone, metadata: [1], keys: [{ name: k, models: [""] }] }
      """
    #expect(
      clientMistakes(file) == [
        "1:35: monthly_tokens: \"-1\" is not valid; allowed: a whole number from 0 to "
          + "9007199254740992",
        "3:3: \"a b\" is not a name; allowed: 1 to 63 letters, digits, '.', '_' and '-', "
          + "beginning with a letter or digit",
        "4:14: plan: there is no plan \"trail\"; did you mean \"trial\"?",
        "4:29: status: \"gone\" is not valid; allowed: one of active, suspended",
        "4:45: metadata: a list is not valid; allowed: a mapping",
        "4:57: sha256 is missing; allowed: the SHA-256 of the whole key, 64 hexadecimal digits, "
          + "such as `catraca key create` prints",
        "4:77: models: \"\" is not valid; allowed: the name of a model, with * for any text, "
          + "such as gpt-4o*",
      ])
  }

  @Test("A digest reads and writes 64 hexadecimal digits, and nothing else")
  func digests() {
    let text = (0..<32).map { ["0", "123456789abcdef"].joined().dropFirst($0 % 15).prefix(2) }
      .joined()
    #expect(KeyDigest(hexadecimal: text)?.description == text)
    #expect(KeyDigest(hexadecimal: text.uppercased()) == KeyDigest(hexadecimal: text))
    #expect(KeyDigest(hexadecimal: text)?.fingerprint == String(text.prefix(12)))
    #expect(KeyDigest(hexadecimal: String(text.dropLast())) == nil)
    #expect(KeyDigest(hexadecimal: String(text.dropLast()) + "g") == nil)
    let bytes = [UInt8](repeating: 0, count: 31) + [5]
    #expect(KeyDigest(bytes: bytes) == KeyDigest(hexadecimal: digestText(5)))
    #expect(KeyDigest(bytes: bytes.dropLast()) == nil)
  }
}
