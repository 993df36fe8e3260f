import Configuration
import Ledger
@testable import Server
import Testing
import Time

@testable import catraca

@Suite struct ClientCommandTests {
  private let bench = TestBench()

  @Test("A client is made, listed, suspended, resumed and deleted for ever")
  func livesItsLife() async throws {
    let created = await bench.run(
      "client create beta --timezone Europe/Berlin --plan pro --format json")
    #expect(
      created.output == """
        {"id":"beta","name":"beta","plan":"pro","markup":null,"timezone":"Europe/Berlin",\
        "status":"active","source":"api","payment_customer_id":null,"metadata":{},\
        "provider_keys":{},"created_at":"2026-11-22T12:00:00.000Z",\
        "updated_at":"2026-11-22T12:00:00.000Z"}

        """)
    #expect(await bench.run("client suspend beta").output.contains("suspended"))
    #expect(await bench.run("client resume beta").output.contains("active"))
    let list = await bench.run("client list --format csv")
    let sources = list.output.split(separator: "\r\n").dropFirst().map {
      $0.split(separator: ",")[5]
    }
    #expect(sources == ["file", "api"])
    #expect(await bench.run("client delete beta").output == "client beta is deleted\n")
    let again = await bench.run("client create beta")
    #expect(again.error.contains("ids are never used again"))
    #expect(await bench.run("client show beta").exitCode == .failed)
  }

  @Test("A client without a plan is shown on the default plan")
  func showsDefaultPlan() async {
    _ = await bench.run("client create beta")
    #expect(await bench.run("client show beta").output.contains("Plan       trial\n"))
  }

  @Test(
    "What a file declares is changed in the file alone",
    arguments: ["suspend acme", "resume acme", "delete acme", "create acme"])
  func refusesDeclaredClients(line: String) async {
    let printout = await bench.run("client \(line)")
    #expect(
      printout.error.hasPrefix("catraca: client acme is declared in clients.yaml:6; allowed: "))
    #expect(printout.exitCode == .failed)
  }

  @Test(
    "Wrong plans, zones and ids are refused with what is allowed",
    arguments: [
      ("create beta --plan gold", "allowed: pro, trial"),
      ("create beta --timezone Mars", "allowed: an IANA zone"),
      ("create -- -beta", "allowed: 1 to 63 letters"),
      ("suspend amce", "did you mean acme?"),
    ])
  func refuses(line: String, message: String) async {
    #expect(await bench.run("client \(line)").error.contains(message))
  }

  @Test("A server's registry has what the commands made, in force and with its limits")
  func mergesIntoRegistry() async throws {
    _ = await bench.run("client create beta --timezone Europe/Berlin")
    _ = await bench.run(
      "key create --client beta --name app --models gpt-4o* --tokens-per-minute 9")
    var other = bench.surroundings
    other.randomBytes = { Array(repeating: 8, count: $0) }
    _ = await bench.run(["key", "rotate", "--client", "beta", "--name", "app"], in: other)
    let stored = try LedgerReader(at: .sqlite(path: bench.ledgerPath)).storedClients()
    let registry = try ClientRegistry.empty.adding(stored)
    func owner(_ byte: UInt8) -> ClientRegistry.KeyOwner? {
      let secret = KeySecret { Array(repeating: byte, count: $0) }
      return KeyDigest(hexadecimal: secret.sha256).flatMap(registry.owner)
    }
    #expect(owner(8)?.client.id == "beta")
    #expect(owner(8)?.key.tokensPerMinute == 9)
    #expect(owner(8)?.key.allows(model: "gpt-4o-mini") == true)
    #expect(owner(8)?.key.allows(model: "o3") == false)
    #expect(owner(8)?.key.expires == nil)
    #expect(owner(7)?.key.expires == TestBench.now.advanced(by: .seconds(86_400)))
  }

  @Test(
    "A stored record that can't be understood is an error, not a client that is missing",
    arguments: ["Mars/Base", "America/Sao_Paulo"])
  func refusesUnreadableRecords(zone: String) {
    let isKnown = zone.hasPrefix("America")
    let client = StoredClient(
      id: "beta", name: "b", timeZone: zone, metadata: isKnown ? "[]" : "{}",
      createdAt: TestBench.now)
    #expect(throws: LedgerError.self) {
      try ClientRegistry.empty.adding(StoredClients(clients: [client], keys: []))
    }
  }
}
