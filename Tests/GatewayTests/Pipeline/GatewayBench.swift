import Budgets
import Configuration
import EventLoop
import HTTP
import HTTPServer
import InMemory
import JSON
import Ledger
import Logging
import Objects
import TLS
import Testing
import Time
import Upstream

@testable import Gateway

/// The whole request path in memory: a real gateway with real budgets, a client, a provider that
/// follows a script, and a ledger that remembers. For one loop.
final class GatewayBench {
  /// Whether the limits are this server's alone, or shared with other replicas by leases.
  enum Sharing: String, CaseIterable, Sendable { case alone, replicas }

  static let now = Timestamp(milliseconds: 1_790_000_000_000)
  static let key = "sk-ctr-test"
  static let model = "gpt-test"

  let gateway: Gateway
  let loop: EventLoop
  let ledger: MemoryLedger
  let provider: ScriptedProvider
  let owners: MemoryOwners
  let client: InMemoryClient
  private var others: [InMemoryClient] = []

  private init(
    _ gateway: Gateway, _ loop: EventLoop, _ ledger: MemoryLedger, _ provider: ScriptedProvider,
    _ owners: MemoryOwners, _ limits: HTTPServerLimits
  ) throws {
    (self.gateway, self.loop, self.ledger) = (gateway, loop, ledger)
    (self.provider, self.owners) = (provider, owners)
    client = try InMemoryClient(
      of: gateway, on: loop, limits: limits, logger: GatewayBench.logger)
  }

  /// Makes a further connection.
  func connect(from address: String = "192.0.2.2") throws -> InMemoryClient {
    let other = try InMemoryClient(
      of: gateway, on: loop, address: address, logger: GatewayBench.logger)
    others.append(other)
    return other
  }

  /// Runs `body` on a loop of its own, and checks at the end that nothing is left behind: no call
  /// to the provider, and no hold but of work that is still deferred.
  static func run(
    _ sharing: Sharing = .alone, budgets: String = "", key: String = "", client: String = "",
    plans: String = "", main: String = "", limits: HTTPServerLimits = HTTPServerLimits(),
    _ body: @escaping @Sendable (GatewayBench) async throws -> Void
  ) async throws {
    let settings = try settings(
      budgets: budgets, key: key, client: client, plans: plans, main: main)
    let group = try EventLoopGroup(count: 1)
    defer { group.stop() }
    let loop = group.loops[0]
    try await Task(executorPreference: loop) {
      let bench = try await make(settings, sharing, limits, on: loop)
      do { try await body(bench) } catch { Issue.record(error) }
      for client in [bench.client] + bench.others { await client.close() }
      bench.gateway.stop()
      await bench.gateway.close()
      let unended = bench.provider.calls.count { !$0.isEnded }
      #expect(unended == 0, "calls to the provider without an end")
      #expect(bench.gateway.requestsInFlight == 0)
      #expect(bench.gateway.controller.read { $0.abandonedHolds } == 0, "a hold was dropped")
      if bench.ledger.underway.isEmpty {
        #expect(bench.heldTokens == 0, "a hold has no end")
      }
    }.value
  }

  private static func make(
    _ settings: Settings, _ sharing: Sharing, _ limits: HTTPServerLimits, on loop: EventLoop
  ) async throws -> GatewayBench {
    let rules = try RulesSnapshot(settings, clients: settings.clients, priceOverrides: [])
    let (ledger, owners) = (MemoryLedger(), MemoryOwners())
    var budgets = try BudgetState(
      settings.clients.budgets,
      policy: BudgetPolicy(
        rates: settings.rates, admissionQueue: settings.admission.queue,
        sharesLimits: sharing == .replicas))
    budgets.limitConversations(settings.clients.conversationLimits, at: now)
    let provider = ScriptedProvider()
    let bound = LoopBound(provider, on: loop)
    let gateway = await Gateway(
      rules: { rules }, budgets: budgets, ledger: ledger, owners: owners.owners,
      lender: sharing == .replicas ? ledger : nil, ownCalls: NoHandler(),
      failedSignIns: FailedSignIns(most: 3), recentAnswers: [], loops: [loop], logger: logger,
      upstream: { UpstreamClient(on: $0, standIn: bound.value) }, clock: { now })
    ledger.observe { [weak gateway] in
      gateway?.controller.read { GatewayBench.heldTokens(in: $0) } ?? 0
    }
    return try GatewayBench(gateway, loop, ledger, provider, owners, limits)
  }

  // MARK: Requests

  /// Sends a chat request of the client's key.
  func chat(_ more: String = "", key: String = GatewayBench.key) async {
    await send(
      "/v1/chat/completions",
      """
      {"model": "\(GatewayBench.model)", "max_tokens": 100\(more.isEmpty ? "" : ", ")\(more), \
      "messages": [{"role": "user", "content": "hello"}]}
      """, key: key)
  }

  func send(
    _ path: String, _ body: String, key: String = GatewayBench.key,
    _ fields: [(String, String)] = []
  ) async {
    await client.send(
      "POST", path,
      [("authorization", "Bearer \(key)"), ("content-type", "application/json")] + fields, body)
  }

  // MARK: What is left

  /// How the client's budget `b` stands.
  var status: AccountStatus {
    get throws {
      try gateway.controller.read { budgets in
        Result { try budgets.status(of: BudgetID(client: "acme", name: "b"), at: GatewayBench.now) }
      }.get()
    }
  }

  /// Expects a figure of the budget `b`.
  func expect<Figure: Equatable & Sendable>(
    _ path: KeyPath<AccountStatus, Figure>, _ figure: Figure,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try status[keyPath: path]
    #expect(found == figure, sourceLocation: sourceLocation)
  }

  /// The sum of all budgets' holds.
  var heldTokens: Int64 { gateway.controller.read { GatewayBench.heldTokens(in: $0) } }

  private static func heldTokens(in budgets: BudgetState) -> Int64 {
    budgets.definitions.reduce(0) { sum, definition in
      let accounts = (try? budgets.subjects(of: definition.id, at: now)) ?? []
      return sum + accounts.reduce(0) { $0 + $1.heldTokens }
    }
  }

  // MARK: Settings

  /// Lines go nowhere.
  static let logger: Logger = {
    do { return try Logger(.file(path: "/dev/null"), level: .debug, format: .json) } catch {
      fatalError("/dev/null can't be written: \(error)")
    }
  }()

  private static func settings(
    budgets: String, key: String, client: String, plans: String, main: String
  ) throws -> Settings {
    let digest = SHA256.digest(of: GatewayBench.key).hex
    let files = MemoryFiles([
      "c/catraca.yaml": """
      providers:
        openai: { base_url: "https://openai.test/v1", api_key_env: K, on_disconnect: cancel }
        groq: { base_url: "https://groq.test/openai/v1", api_key_env: K, on_disconnect: drain }
      pricing: [prices.yaml, groq.yaml]
      \(main)
      """,
      "c/clients.yaml": """
      \(plans)
      clients:
        acme:
          keys: [{ name: web, sha256: "\(digest)"\(key) }]
          budgets: [\(budgets)]
          \(client)
      """,
      "c/prices.yaml": prices("openai", model), "c/groq.yaml": prices("groq", "llama-test"),
    ])
    return try ConfigurationLoader(
      folder: "c", files: files, environment: ["K": "sk-provider"], missingSecrets: .refused
    ).load().settings
  }

  /// A token costs a thousand nano-dollars as input and two thousand as output, half in batches.
  private static func prices(_ provider: String, _ model: String) -> String {
    """
    provider: \(provider)
    as_of: 2026-01-01
    models:
      \(model):
        max_output_tokens: 1000
        context_tokens: 10000
        per_million_tokens: { input: "1", cached_input: "1", output: "2" }
        tiers: { batch: { per_million_tokens: { input: "0.5", output: "1" } } }
      \(model)-live:
        operation: realtime
        max_output_tokens: 1000
        context_tokens: 10000
        per_million_tokens:
          { input: "1", cached_input: "1", audio_input: "1", output: "2", audio_output: "2" }
    """
  }
}

/// The objects that a test says are somebody's.
final class MemoryOwners: Sendable {
  private let found = Lock<[String: ProviderObject]>([:])

  func add(_ id: String, of client: String, _ kind: ObjectKind = .file) {
    found.withLock {
      $0[id] = ProviderObject(
        provider: "openai", objectID: id, kind: kind, owner: .client(client), keyName: "web",
        createdAt: GatewayBench.now)
    }
  }

  var owners: ObjectOwners {
    ObjectOwners { [self] ids, _ throws(LedgerError) in
      found.withLock { found in found.filter { ids.contains($0.key) } }
    }
  }
}

/// Serves nothing under `/api/…`.
private struct NoHandler: HTTPHandler {
  func handle(_ exchange: HTTPExchange) async {}
  func refuse(_ refusal: HTTPRefusal, of client: SocketAddress?) -> HTTPAnswer {
    HTTPAnswer(head: ResponseHead(status: 400), body: [])
  }
}

extension InMemoryAnswer {
  /// The code of the error that the body says; nil for none.
  var code: String? {
    let parser = JSONParser()
    guard let root = try? parser.parse(body) else { return nil }
    return root["error"]?["code"]?.string
  }
}
