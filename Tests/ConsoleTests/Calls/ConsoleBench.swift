import Configuration
import EventLoop
import Glibc
import InMemory
import JSON
import Logging
import TLS
import Testing

@testable import Console
@testable import Server

/// The admin API in memory: the real console and router, over a server with a ledger of its own.
/// For one loop.
final class ConsoleBench {
  /// The caller of a call.
  enum Caller: String, Sendable { case admin, viewer, key, stranger }

  private let console: Console
  private let loop: EventLoop

  private init(_ console: Console, on loop: EventLoop) {
    (self.console, self.loop) = (console, loop)
  }

  /// Runs `body` on a loop of its own, with a server that serves nothing but its console.
  static func run(_ body: @escaping @Sendable (ConsoleBench) async throws -> Void) async throws {
    let folder = try temporaryFolder()
    defer { remove(folder) }
    let loader = ConfigurationLoader(
      folder: "c", files: files(ledger: "\(folder)/catraca.db"), environment: ["K": "sk-provider"],
      missingSecrets: .refused)
    let server = try await Server(try ConfigurationStore(loader), logger: logger, loops: 1)
    let state = server.state
    let group = try EventLoopGroup(count: 1)
    let loop = group.loops[0]
    await Task(executorPreference: loop) {
      let bench = ConsoleBench(Console(server: state, logger: logger), on: loop)
      do { try await body(bench) } catch { Issue.record(error) }
    }.value
    group.stop()
    await server.stop()
  }

  /// Makes a call, such as `GET /api/admin/clients`, on a connection of its own.
  func call(
    _ call: String, _ body: String = "", as caller: Caller = .admin,
    _ fields: [(String, String)] = []
  ) async throws -> InMemoryAnswer {
    let words = call.split(separator: " ").map(String.init)
    let client = try InMemoryClient(of: console, on: loop, logger: ConsoleBench.logger)
    var fields = fields
    if caller != .stranger {
      fields.append(("authorization", "Bearer \(ConsoleBench.secret(of: caller))"))
    }
    await client.send(words[0], words[1], fields, body)
    let answer = await client.answer()
    await client.close()
    return answer
  }

  // MARK: Settings

  private static func secret(of caller: Caller) -> String {
    caller == .key ? "sk-ctr-test" : "adm-ctr-\(caller.rawValue)"
  }

  private static func digest(of caller: Caller) -> String {
    SHA256.digest(of: secret(of: caller)).hex
  }

  private static func files(ledger: String) -> MemoryFiles {
    MemoryFiles([
      "c/catraca.yaml": """
      proxy: { listen: ["127.0.0.1:0"] }
      admin:
        listen: ["127.0.0.1:0"]
        tokens:
          - { name: ops, role: admin, sha256: "\(digest(of: .admin))" }
          - { name: eyes, role: viewer, sha256: "\(digest(of: .viewer))" }
      providers: { openai: { base_url: "https://openai.test/v1", api_key_env: K } }
      pricing: [prices.yaml]
      clients: clients.yaml
      ledger: { url: "sqlite:\(ledger)" }
      """,
      "c/clients.yaml": """
      plans: { trial: { display_name: Trial, monthly_tokens: 50000 } }
      default_plan: trial
      clients:
        acme:
          keys: [{ name: web, sha256: "\(digest(of: .key))" }]
          budgets: [{ name: month, mode: tokens, tokens: 1000, period: monthly }]
      """,
      "c/prices.yaml": """
      provider: openai
      as_of: 2026-01-01
      models:
        gpt-test: { per_million_tokens: { input: "1", cached_input: "1", output: "2" } }
      """,
    ])
  }

  /// Lines go nowhere.
  private static let logger: Logger = {
    do { return try Logger(.file(path: "/dev/null"), level: .debug, format: .json) } catch {
      fatalError("/dev/null can't be written: \(error)")
    }
  }()

  private static func temporaryFolder() throws -> String {
    var template = Array("/tmp/catraca-console-XXXXXX".utf8CString)
    let isMade = mkdtemp(&template) != nil
    try #require(isMade)
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func remove(_ folder: String) {
    for suffix in ["", "-wal", "-shm", ".lock", ".spool"] {
      unlink("\(folder)/catraca.db\(suffix)")
    }
    rmdir(folder)
  }
}

extension InMemoryAnswer {
  /// The code of the error that the body says, and the field that it is about; nil for none.
  var error: (code: String?, param: String?) {
    let parser = JSONParser()
    guard let root = try? parser.parse(body) else { return (nil, nil) }
    return (root["error"]?["code"]?.string, root["error"]?["param"]?.string)
  }
}
