import Configuration
import Ledger
import Money
import Testing
import Time

@testable import Console
@testable import catraca

/// A client, a key or a plan with one mistake, as each door takes it.
struct WrongRecord: CustomTestStringConvertible, Sendable {
  enum Kind: Sendable { case client, key, plan }

  let kind: Kind
  /// The fields in `clients.yaml`.
  let file: String
  /// The fields in a body of the API.
  let body: String
  /// Nil if no command states it.
  var options: String?
  /// The words after `allowed: `, the same at each door.
  let allowed: String

  var testDescription: String { "\(kind) \(file)" }

  static let all = [
    WrongRecord(
      kind: .client, file: #"name: "a\u0085b""#, body: #""name":"a\u0085b""#,
      options: "--name a\u{85}b", allowed: "text of 1 to 256 bytes without control characters"),
    WrongRecord(
      kind: .client, file: "timezone: Mars", body: #""timezone":"Mars""#,
      options: "--timezone Mars", allowed: "an IANA zone such as America/Sao_Paulo, or UTC"),
    WrongRecord(
      kind: .client, file: "markup: 5", body: #""markup":"5""#,
      allowed: TextFormat.markup.allowed),
    WrongRecord(
      kind: .key, file: "expires: soon", body: #""expires_at":"soon""#, options: "--expires soon",
      allowed: "a date such as 2027-01-01 or an instant such as 2027-01-01T12:00:00-03:00"),
    WrongRecord(
      kind: .key, file: "requests_per_minute: 0", body: #""requests_per_minute":0"#,
      options: "--requests-per-minute 0", allowed: "a whole number from 1 to 1000000000"),
    WrongRecord(
      kind: .key, file: "tokens_per_minute: 1000000001", body: #""tokens_per_minute":1000000001"#,
      options: "--tokens-per-minute 1000000001", allowed: "a whole number from 1 to 1000000000"),
    WrongRecord(
      kind: .plan, file: "monthly_tokens: 9007199254740993",
      body: #""monthly_tokens":9007199254740993"#,
      allowed: "a whole number from 0 to 9007199254740992"),
    WrongRecord(
      kind: .plan, file: #"billing: { currency: USD, fixed_fee: "0.001" }"#,
      body: #""billing":{"currency":"USD","fixed_fee":"0.001"}"#,
      allowed: "an amount in USD with at most 2 decimals"),
  ]
}

@Suite("All doors read clients, keys, plans and credits by the same rules")
struct WrongRecordTests {
  private static let digest = String(repeating: "b", count: 64)

  @Test("A wrong record is refused with the same words", arguments: WrongRecord.all)
  func refused(_ wrong: WrongRecord) async throws {
    let bench = TestBench()
    if let options = wrong.options {
      let command =
        wrong.kind == .client ? "client create beta" : "key create --client acme --name bot"
      let printout = await bench.run("\(command) \(options)")
      #expect(printout.error.contains("allowed: \(wrong.allowed)\n"))
    }
    let error = #expect(throws: APIError.self) { try read(wrong) }
    #expect(error?.message.contains("allowed: \(wrong.allowed).") == true)
    bench.edit("config/clients.yaml", file(wrong))
    let printout = await bench.run("check")
    #expect(printout.error.contains("allowed: \(wrong.allowed)\n"))
  }

  private func read(_ wrong: WrongRecord) throws(APIError) {
    let bytes = Array("{\(wrong.body)}".utf8)
    let now = TestBench.now
    switch wrong.kind {
    case .client:
      _ = try ClientCalls.fields.change(
        by: Body(bytes, allowed: ClientCalls.fields.schemas.names),
        defaults: StoredClient(id: "beta", name: "beta", timeZone: "UTC", createdAt: now))
    case .key:
      let rules = KeyCalls.rules(in: .utc)
      _ = try rules.change(
        by: Body(bytes, allowed: rules.schemas.names),
        defaults: StoredKey(clientID: "acme", name: "bot", sha256: "", createdAt: now))
    case .plan:
      _ = try PlanFields.fields(.usdOnly).change(
        by: Body(bytes, allowed: PlanFields.schemas.names),
        defaults: StoredPlan(
          name: "pro", displayName: "pro", monthlyTokens: nil, monthlyConversations: nil,
          billing: nil, createdAt: now))
    }
  }

  private func file(_ wrong: WrongRecord) -> String {
    switch wrong.kind {
    case .client: "clients: { acme: { \(wrong.file) } }"
    case .key:
      "clients: { acme: { keys: [{ name: web, sha256: \(Self.digest), \(wrong.file) }] } }"
    case .plan: "plans: { pro: { \(wrong.file) } }\nclients: {}"
    }
  }

  @Test(
    "A wrong credit is refused with the same words by API and command",
    arguments: [
      (
        "--cost 0 --currency BRL", #""cost":"0","currency":"BRL""#,
        "an amount above zero, such as \"50.00\""
      ),
      ("--cost 1 --currency EUR", #""cost":"1","currency":"EUR""#, "BRL, USD"),
      ("--tokens 0", #""tokens":0"#, "a whole number from 1 to 9007199254740992"),
      (
        "--tokens 1 --cost 1", #""tokens":1,"cost":"1""#,
        "no value together with cost, since a credit has one amount"
      ),
      (
        "--tokens 1 --currency BRL", #""tokens":1,"currency":"BRL""#,
        "no value, since a credit in tokens has no currency"
      ),
    ])
  func credits(options: String, body: String, allowed: String) async throws {
    let printout = await TestBench().run("credit add --client acme \(options)")
    #expect(printout.error.contains("allowed: \(allowed)\n"))
    let real = try #require(Currency("BRL"))
    let rates = try ExchangeRates(
      billing: real, perDollar: [real: FixedDecimal(decimal: "5.40")])
    let body = try Body(Array("{\(body)}".utf8), allowed: CreditCalls.body.names)
    let error = #expect(throws: APIError.self) { try CreditCalls.amount(in: body, rates) }
    #expect(error?.message.contains("allowed: \(allowed).") == true)
  }
}
