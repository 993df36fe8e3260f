import Configuration
import Ledger
import Testing
import Time

@testable import catraca

@Suite struct KeyCommandTests {
  private let bench = TestBench()
  /// The secret of 32 bytes of 7.
  private let secret = "sk-ctr-BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"

  @Test("A new key's secret stands alone on a line, and only its digest is stored")
  func createsKeys() async throws {
    let printout = await bench.run("key create --client acme --name app --models gpt-4o*,o3")
    #expect(printout.output == "\(secret)\n")
    #expect(secret.utf8.count == 50)
    let stored = try LedgerReader(at: .sqlite(path: bench.ledgerPath)).storedClients().keys
    #expect(stored.map(\.name) == ["app"])
    #expect(stored.first?.models == ["gpt-4o*", "o3"])
    #expect(stored.first?.sha256 == KeySecret { Array(repeating: 7, count: $0) }.sha256)
  }

  @Test("In JSON a new key is the API's object, its secret last; an expiry day is the client's")
  func createsInJSON() async {
    let printout = await bench.run(
      "key create --client acme --name app --expires 2027-01-01 --requests-per-minute 600 "
        + "--operations chat,embedding --format json")
    let digest = KeySecret { Array(repeating: 7, count: $0) }.sha256
    #expect(
      printout.output == """
        {"client_id":"acme","name":"app","fingerprint":"\(digest.prefix(12))","status":"active",\
        "source":"api","models":null,"operations":["chat","embedding"],\
        "expires_at":"2027-01-01T03:00:00.000Z","requests_per_minute":600,\
        "tokens_per_minute":null,"last_used_at":null,"previous_expires_at":null,\
        "created_at":"2026-11-22T12:00:00.000Z","secret":"\(secret)"}

        """)
  }

  @Test(
    "Keys of unknown clients, declared names and times gone by are refused",
    arguments: [
      ("--client amce --name app", "there is no client 'amce'; did you mean acme?"),
      (
        "--client acme --name web",
        "key web of client acme is declared in clients.yaml:10; "
          + "allowed: editing that file, or another name"
      ),
      (
        "--client acme --name app --expires 2026-11-22",
        "--expires is in the past; allowed: a time in the future"
      ),
    ])
  func refusesKeys(line: String, message: String) async {
    let printout = await bench.run("key create \(line)")
    #expect(printout.error.hasPrefix("catraca: \(message)\n"))
    #expect(printout.output.isEmpty)
    #expect(printout.exitCode != .well)
  }

  @Test("A key is listed, rotated and revoked, and its secret is in no list")
  func livesItsLife() async throws {
    _ = await bench.run("key create --client acme --name app")
    var other = bench.surroundings
    other.randomBytes = { Array(repeating: 8, count: $0) }
    let rotate = ["key", "rotate", "--client", "acme", "--name", "app", "--overlap-seconds", "60"]
    let rotated = await bench.run(rotate, in: other)
    #expect(rotated.output.hasPrefix("sk-ctr-CAgI"))
    let stored = try LedgerReader(at: .sqlite(path: bench.ledgerPath)).storedClients().keys.first
    #expect(stored?.previousExpiresAt == TestBench.now.advanced(by: .seconds(60)))
    let revoked = await bench.run("key revoke --client acme --name app")
    #expect(revoked.output == "key app of client acme is revoked\n")
    let list = await bench.run("key list --client acme --format csv")
    let lines = list.output.split(separator: "\r\n")
    #expect(lines.count == 3)
    #expect(lines[1].hasPrefix("acme,app,") && lines[1].contains(",revoked,api,"))
    #expect(lines[2].hasPrefix("acme,web,aaaaaaaaaaaa,active,file,"))
    #expect(!list.output.contains("sk-ctr-"))
    let again = await bench.run("key revoke --client acme --name app")
    #expect(again.error == "catraca: there is no key app of client acme\n")
    #expect(again.exitCode == .failed)
  }

  @Test("Listing keys makes no ledger")
  func listsWithoutLedger() async {
    let list = await bench.run("key list --client acme --format csv")
    #expect(list.output.split(separator: "\r\n").count == 2)
    #expect(await bench.run("usage").error.contains("there is no ledger yet"))
  }
}
