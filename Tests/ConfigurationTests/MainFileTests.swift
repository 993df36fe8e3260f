import Configuration
import EventLoop
import InMemory
import Logging
import Money
import Testing

@Suite struct MainFileTests {
  @Test("What a file leaves out has its default")
  func defaults() throws {
    let settings = try load(leastMain).settings
    #expect(settings.proxy.listen.map(\.description) == ["127.0.0.1:8080"])
    #expect(settings.admin.listen.map(\.description) == ["127.0.0.1:8081"])
    #expect(settings.limits == Limits())
    #expect(settings.limits.requestBody.bytes == 64 << 20)
    #expect(settings.rates == .usdOnly)
    #expect(settings.ledger.location == .sqlite(path: "catraca.db"))
    #expect(settings.providers.map(\.onDisconnect) == [.usual])
    #expect(settings.payments == .none)
    #expect(settings.clients.clients.isEmpty)
  }

  @Test("Every setting of the contract is read")
  func everything() throws {
    let main = """
      proxy: { listen: ["127.0.0.1:8080", "[::1]:8080"], tls: { certificate: c.pem, key: /k } }
      admin: { listen: ["127.0.0.1:0"],
        tls: { certificate: c.pem, key: k.pem, client_ca: people.pem }, tokens: [
        { name: ops, role: viewer, sha256: "\(digestText(7))" }] }
      providers:
        openai: { base_url: https://api.openai.com/v1, api_key_env: OPENAI_API_KEY }
        groq:
          { base_url: https://api.groq.com/openai/v1, api_key_file: groq.key,
            on_disconnect: drain, drain_time: 30s, drain_bytes: 1MiB, ca_file: ca.pem }
      ledger: { url: "postgresql://catraca@db/x", durability: power, on_failure: allow }
      currency: { billing: BRL, per_usd: { BRL: 5.40, EUR: "0.91" } }
      budgets: { admission_wait: 0s, admission_queue: 0 }
      metering: { unknown_model: free, unmetered_endpoints: [/v1/files, "/v1/evals*"] }
      limits: { request_body: 1MiB, header: 8KiB, connections: 10, header_timeout: 1s,
                idle: 2s, upstream_connect: 3s, upstream_idle: 4s }
      log: { level: warn, format: console, file: /var/log/catraca.log }
      alerts:
        webhooks: [{ url: "https://h/x?y=1", secret_env: HOOK, format: slack }]
        smtp: { url: "smtp://mail:587", from: a@b, to: [c@d] }
      payments: { provider: stripe, secret_key_env: STRIPE, webhook_secret_env: HOOK }
      """
    let settings = try load(
      main, ["groq.key": "gsk-1\n"],
      environment: ["OPENAI_API_KEY": "sk-1", "HOOK": "hush", "STRIPE": "sk_live"]
    ).settings
    #expect(settings.proxy.tls == TLSFiles(certificate: "c/c.pem", key: "/k"))
    #expect(
      settings.admin.tls
        == TLSFiles(certificate: "c/c.pem", key: "c/k.pem", clientAuthorities: "c/people.pem"))
    #expect(settings.admin.tokens.map(\.role) == [.viewer])
    #expect(settings.providers.map(\.name) == ["openai", "groq"])
    #expect(settings.providers.map { $0.apiKey?.revealed() } == ["sk-1", "gsk-1"])
    #expect(
      settings.providers[1].onDisconnect == .drain(atMost: .seconds(30), bytes: .mebibytes(1)))
    #expect(settings.providers[1].caFile == "c/ca.pem")
    #expect(settings.ledger.location == .postgresql(url: "postgresql://catraca@db/x"))
    #expect(settings.ledger.durability == .power && settings.ledger.onFailure == .allow)
    #expect(settings.rates.billing.code == "BRL")
    #expect(settings.rates.billingRate.scaled == 5_400_000_000_000)
    #expect(settings.admission.wait == .zero && settings.admission.queue == 0)
    #expect(settings.metering.unknownModel == .free)
    #expect(settings.metering.unmeteredEndpoints == .allow(["/v1/files", "/v1/evals*"]))
    #expect(settings.limits.upstreamIdle == .seconds(4))
    #expect(settings.log.level == .warn && settings.log.format == .console)
    #expect(settings.alerts.webhooks.map { $0.secret?.revealed() } == ["hush"])
    #expect(settings.alerts.smtp?.to == ["c@d"])
    guard case .stripe(let stripe) = settings.payments else {
      Issue.record("no payments")
      return
    }
    #expect(stripe.baseURL.description == "https://api.stripe.com")
  }

  @Test("What one client may take, and who names clients, is read")
  func clients() throws {
    let settings = try load(
      leastMain + """
        proxy: { behind: [10.0.0.0/8, "fd00::/8"], proxy_protocol: true }
        admin: { behind: [10.0.0.7] }
        limits: { request_body: 1MiB, body_timeout: 5s, body_rate: 1KiB, body_memory: 8MiB,
          body_memory_per_key: 2MiB, connections_per_address: 5, unfinished_bodies_per_key: 6,
          connections_per_key: 7 }
        """
    ).settings
    #expect(settings.limits.bodyTimeout == .seconds(5))
    #expect(settings.limits.bodyRate == .kibibytes(1))
    #expect(settings.limits.bodyMemoryBytes == 8 << 20)
    #expect(settings.limits.bodyMemoryPerKeyBytes == 2 << 20)
    #expect(settings.limits.connectionsPerAddress(of: 100) == 5)
    #expect(settings.limits.unfinishedBodiesPerKey(of: 100) == 6)
    #expect(settings.limits.connectionsPerKey(of: 100) == 7)
    #expect(settings.proxy.behind.map(\.description) == ["10.0.0.0/8", "fd00::/8"])
    #expect(settings.proxy.proxyProtocol)
    #expect(settings.admin.behind.map(\.description) == ["10.0.0.7"])
    #expect(!settings.admin.proxyProtocol)
  }

  @Test("Shares follow from the limits of all, where the file sets none")
  func shares() throws {
    var limits = Limits()
    #expect(limits.bodyMemoryBytes == 512 << 20 && limits.bodyMemoryPerKeyBytes == 256 << 20)
    #expect(limits.connectionsPerAddress(of: 10_000) == 7_500)
    #expect(limits.unfinishedBodiesPerKey(of: 10_000) == 7_500)
    #expect(limits.connectionsPerKey(of: 10_000) == 5_000)
    #expect(limits.connectionsPerAddress(of: 20) == 64 && limits.connectionsPerKey(of: 20) == 64)
    limits.requestBody = .gibibytes(4)
    #expect(limits.bodyMemoryBytes == 8 << 30 && limits.bodyMemoryPerKeyBytes == 4 << 30)
    limits.bodyMemory = .gibibytes(16)
    #expect(limits.bodyMemoryPerKeyBytes == 8 << 30)
  }

  @Test("A wrong main file says what is allowed", arguments: WrongMainFile.all)
  func wrong(file: WrongMainFile) {
    #expect(mistakes(file.text) == ["c/catraca.yaml:" + file.mistake])
  }

  @Test("A missing main file is one mistake")
  func missingMain() {
    let loader = ConfigurationLoader(
      folder: "nowhere", files: MemoryFiles([:]), environment: [:], missingSecrets: .refused)
    let error = #expect(throws: ConfigurationError.self) { try loader.load() }
    #expect(error?.description == "nowhere/catraca.yaml:1:1: no such file")
  }

  @Test("Objects without an owner are nobody's, and letting all clients use them is a warning")
  func unownedObjects() throws {
    let providers = "providers: { p: { base_url: https://h } }\n"
    #expect(try load(providers).settings.metering.unownedObjects == .deny)
    let loaded = try load(providers + "metering: { unowned_objects: allow }")
    #expect(loaded.settings.metering.unownedObjects == .allow)
    #expect(
      loaded.warnings.map(\.description) == [
        "c/catraca.yaml:2:30: warning: unowned_objects: allow lets every client use the provider's "
          + "objects that Catraca knows no owner of, such as files that were uploaded before; "
          + "assign them to clients and write deny"
      ])
  }

  @Test("Opening a path whose objects have no owners is a warning")
  func openedPaths() throws {
    let loaded = try load(
      """
      providers: { p: { base_url: https://h } }
      metering:
        unmetered_endpoints:
          - /v1/vector_stores*
          - /embeddings
          - /threads*
          - /v1/fine_tuning/jobs/*
          - /v1/fine_tuning/alpha/graders/run
          - /v1/*
      """)
    #expect(
      loaded.warnings.map { String($0.description.prefix { $0 != "h" }) } == [
        "c/catraca.yaml:6:7: warning: unmetered_endpoints: /v1/t",
        "c/catraca.yaml:8:7: warning: unmetered_endpoints: /v1/fine_tuning/alp",
        "c/catraca.yaml:9:7: warning: unmetered_endpoints: /v1/* ",
      ])
  }

  @Test("A missing secret is a warning where it is tolerated, and the key is absent")
  func toleratedSecret() throws {
    let main = "providers: { a: { base_url: https://h, api_key_env: KEY } }"
    let loaded = try load(main, missingSecrets: .tolerated)
    #expect(loaded.settings.providers[0].apiKey == nil)
    #expect(
      loaded.warnings.map(\.description) == [
        "c/catraca.yaml:1:53: warning: api_key_env: the environment variable KEY is not set; "
          + "allowed: one that holds the secret"
      ])
  }

  @Test("A secret shows itself nowhere")
  func secretDescriptions() {
    let secret = Secret("hush")
    var dumped = ""
    dump(secret, to: &dumped)
    let texts = ["\(secret)", String(reflecting: secret), "\([secret])", dumped]
    #expect(!texts.contains { $0.contains("hush") })
    #expect(secret.revealed() == "hush")
  }

  @Test("A secret with a line break inside is refused without being shown")
  func brokenSecret() {
    let main = "providers: { a: { base_url: https://h, api_key_env: KEY } }"
    let lines = mistakes(main, environment: ["KEY": "one\r\ntwo"])
    #expect(lines.count == 1)
    #expect(!lines.contains { $0.contains("one") || $0.contains("two") })
  }

  @Test("The reference has a row for every setting of every table")
  func reference() {
    let names = SettingReference.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.contains("limits.request_body") && names.contains("proxy.listen"))
    let idle = SettingReference.all.first { $0.name == "limits.idle" }
    #expect(idle?.defaultText == "75s" && idle?.isReloadable == true)
    #expect(SettingReference.markdown.contains("| `ledger.url` |"))
  }
}
