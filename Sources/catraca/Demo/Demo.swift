internal import Configuration
internal import EventLoop
internal import Glibc
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Logging
internal import Sandbox
internal import Server
internal import TLS
internal import Time
internal import Upstream

/// `catraca demo`: the stand-in provider, the proxy, and real requests up to a refusal, all on
/// this machine and without any key of a provider.
enum Demo {
  private static let exits = Parameter.flag("exit", "stops after the tour")

  static let command = Command(
    "demo", "shows it all on this machine, without any provider's key",
    options: [exits],
    examples: [
      Command.Example(line: "demo", meaning: "takes the tour, and serves until Ctrl-C")
    ]
  ) { invocation async throws(CommandError) in
    SignalSource.ignoreBrokenPipes()
    do {
      let house = try await DemoHouse(invocation.surroundings)
      let reader = try await DemoTour(house).run()
      let usage = try DemoTour.usageTable(reader)
      StandardStream.output.write(
        "\nWhat was recorded:\n\n\(TableText.render(usage, style: invocation.surroundings.output))")
      if try invocation.values.required(exits) {
        await house.stop()
      } else {
        StandardStream.output.write(house.invitation)
        try await house.server.runUntilStopped(watchingFiles: false)
        await house.stopProvider()
      }
      return CommandOutcome(.nothing)
    } catch {
      throw .failed("demo: \(error)")
    }
  }
}

/// The servers of the demonstration: a provider, and a proxy before it.
final class DemoHouse: Sendable {
  let server: Server
  let logger: Logger
  let key: String
  let ledgerPath: String
  let providerAddress: SocketAddress
  private let provider: HTTPServer
  private let providerGroup: EventLoopGroup

  private static let usualProxy = "127.0.0.1:8080"
  private static let usualAdmin = "127.0.0.1:8081"
  private static let anyPort = "127.0.0.1:0"

  init(_ surroundings: Surroundings) async throws {
    let folder = try DemoHouse.makeFolder()
    ledgerPath = "\(folder)/catraca.db"
    key = KeySecret(randomBytes: surroundings.randomBytes).text
    logger = try Logger(level: .error, format: .console)
    providerGroup = try EventLoopGroup(count: 1)
    let now = surroundings.now
    provider = try await HTTPServer(
      [try DemoHouse.address(DemoHouse.anyPort)], on: providerGroup.loops,
      handler: SandboxHandler { now().milliseconds / 1000 }, logger: logger)
    providerAddress = provider.addresses[0]
    server = try await DemoHouse.serve(
      at: DemoHouse.usualOrFree(DemoHouse.usualProxy), DemoHouse.usualOrFree(DemoHouse.usualAdmin),
      providerAddress, ledgerPath, key, logger)
  }

  /// The usual address, or a free one where somebody else listens on it.
  private static func usualOrFree(_ usual: String) -> String {
    do throws(SystemError) {
      try ListeningSocket.checkIsFree(try address(usual))
      return usual
    } catch {
      return anyPort
    }
  }

  private static func serve(
    at address: String, _ adminAddress: String, _ provider: SocketAddress,
    _ ledgerPath: String, _ key: String, _ logger: Logger
  ) async throws -> Server {
    let files = DemoFiles(
      providerAddress: "\(provider)", listenAddress: address, adminAddress: adminAddress,
      ledgerPath: ledgerPath, keyDigest: SHA256.digest(of: key).hex)
    let loader = ConfigurationLoader(
      folder: "demo", files: files, environment: ["DEMO_KEY": "sk-demo"],
      missingSecrets: .refused)
    return try await Server(try ConfigurationStore(loader), logger: logger)
  }

  private static func address(_ text: String) throws(SystemError) -> SocketAddress {
    guard let address = SocketAddress(text) else {
      throw SystemError(call: text, code: EINVAL)
    }
    return address
  }

  /// A new folder for the ledger; it stays, so that it can be looked at afterwards.
  private static func makeFolder() throws -> String {
    var template = Array("/tmp/catraca-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError(call: "mkdtemp", code: errno) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  var baseURL: String { "http://\(server.proxyAddresses[0])/v1" }

  var dashboardURL: String { "http://\(server.adminAddresses[0])/dashboard/" }

  private var adminToken: String { server.firstAdminToken ?? "TOKEN" }

  var invitation: String {
    """

    It goes on serving until Ctrl-C. Try it with any OpenAI client:

      export OPENAI_BASE_URL=\(baseURL)
      export OPENAI_API_KEY=\(key)
      curl $OPENAI_BASE_URL/models -H "Authorization: Bearer $OPENAI_API_KEY"

    See how its budgets stand, as an administrator:

      \(dashboardURL)    signed in with \(adminToken)
      curl http://\(server.adminAddresses[0])/api/admin/budgets \\
        -H "Authorization: Bearer \(adminToken)"

    The ledger is \(ledgerPath).

    """
  }

  func stop() async {
    await server.stop()
    await stopProvider()
  }

  func stopProvider() async {
    await provider.stop(within: .zero)
    providerGroup.stop()
    logger.close()
  }
}

/// The configuration of the demonstration, which lives in no file: two providers that are the
/// stand-in, one client with a budget that a few requests use up.
struct DemoFiles: FileSource {
  let providerAddress: String
  let listenAddress: String
  let adminAddress: String
  let ledgerPath: String
  let keyDigest: String

  /// Tokens that the demonstration's client may use in a month.
  static let budgetTokens = 400

  func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
    switch path.split(separator: "/").last {
    case "catraca.yaml": Array(settings.utf8)
    case "prices.yaml": Array(DemoFiles.prices.utf8)
    case "clients.yaml": Array(clients.utf8)
    default: throw .missing
    }
  }

  func stamp(of path: String) -> FileStamp? { nil }

  private var settings: String {
    """
    proxy: { listen: ["\(listenAddress)"] }
    admin: { listen: ["\(adminAddress)"] }
    providers:
      openai: { base_url: "http://\(providerAddress)/v1", api_key_env: DEMO_KEY }
    pricing: [prices.yaml]
    clients: clients.yaml
    ledger: { url: "sqlite:\(ledgerPath)" }
    currency: { billing: BRL, per_usd: { BRL: "5.40" } }
    log: { level: error, format: console }
    """
  }

  private var clients: String {
    """
    clients:
      acme:
        name: ACME Corp
        timezone: America/Sao_Paulo
        keys: [{ name: web, sha256: "\(keyDigest)" }]
        budgets: [{ name: demo, tokens: \(DemoFiles.budgetTokens), period: monthly }]
    """
  }

  private static let prices = """
    provider: openai
    currency: USD
    source: https://platform.openai.com/docs/pricing
    as_of: 2026-11-22
    models:
      gpt-4o-mini:
        operation: chat
        max_output_tokens: 16384
        context_tokens: 128000
        per_million_tokens: { input: "0.15", cached_input: "0.075", output: "0.60" }
    """
}
