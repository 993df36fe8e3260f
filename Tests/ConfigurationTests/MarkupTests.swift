import Configuration
import Money
import Testing

@Suite("Markups of plans and clients") struct MarkupTests {
  private static func registry(plan: String, client: String) throws -> ClientRegistry {
    let clients = """
      plans: { pro: {\(plan)} }
      default_plan: pro
      clients:
        acme: {\(client)}
      """
    return try load(leastMain, ["clients.yaml": clients]).settings.clients
  }

  @Test(
    "A client's own goes before its plan's",
    arguments: [
      ("", "", "0%"), ("markup: 20%", "", "20%"), ("", "markup: \"-5%\"", "-5%"),
      ("markup: 20%", "markup: 12.5%", "12.5%"), ("markup: 20%", "markup: 0%", "0%"),
    ])
  func precedence(plan: String, client: String, expected: String) throws {
    let registry = try Self.registry(plan: plan, client: client)
    let acme = try #require(registry.client("acme"))
    #expect(registry.markup(of: acme).description == expected)
  }

  @Test("A client that no file declares has its own, or that of a plan that no file declares")
  func added() throws {
    let plan = Plan(
      name: "gold", displayName: "Gold", monthlyTokens: nil, monthlyConversations: nil,
      billing: nil, markup: Markup("30%"), line: nil)
    let registry = try Self.registry(plan: "markup: 20%", client: "").adding(
      clients: [
        Client(id: "own", name: "Own", plan: "gold", markup: Markup("1%")),
        Client(id: "gold", name: "Gold", plan: "gold"), Client(id: "other", name: "Other"),
      ], keys: [:], plans: [plan])
    let markups = ["own", "gold", "other"].map { id in
      registry.client(id).map { registry.markup(of: $0).description }
    }
    #expect(markups == ["1%", "30%", "20%"])
  }

  @Test("A client that is made anew, with a key, keeps its markup")
  func keepsMarkup() throws {
    let digest = try #require(KeyDigest(hexadecimal: String(repeating: "b", count: 64)))
    let registry = try Self.registry(plan: "", client: "markup: 20%").adding(
      clients: [], keys: ["acme": [ClientKey(name: "app", digest: digest)]])
    let acme = try #require(registry.client("acme"))
    #expect(acme.keys.count == 1 && registry.markup(of: acme).description == "20%")
  }
}
