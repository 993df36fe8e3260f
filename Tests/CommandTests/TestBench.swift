import Configuration
import EventLoop
import Glibc
import InMemory
import Time

@testable import catraca

/// The program with a machine of its own: files in memory, a clock that stands, a temporary ledger.
final class TestBench: Sendable {
  static let now = Timestamp(rfc3339: "2026-11-22T12:00:00Z")!

  private let folder: String
  private let files: MemoryFiles

  init(clients: String = TestBench.clients) {
    var template = Array("/tmp/catraca-command-XXXXXX".utf8CString)
    folder = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    files = MemoryFiles([
      "config/catraca.yaml": """
      providers: { openai: { base_url: https://api.openai.com/v1 } }
      pricing: [prices.yaml]
      ledger: { url: "sqlite:\(folder)/catraca.db" }
      currency: { billing: BRL, per_usd: { BRL: "5.40" } }
      """,
      "config/prices.yaml": TestBench.prices,
      "config/clients.yaml": clients,
    ])
  }

  deinit {
    for suffix in ["", "-wal", "-shm", ".lock", ".spool"] { unlink("\(ledgerPath)\(suffix)") }
    rmdir(folder)
  }

  var ledgerPath: String { "\(folder)/catraca.db" }

  var surroundings: Surroundings {
    Surroundings(
      environment: ["USER": "alice"], userName: { "nobody" }, files: files,
      now: { TestBench.now },
      randomBytes: { Array(repeating: 7, count: $0) }, output: .plain, errorOutput: .plain,
      writeOutput: { _ in true }, writeError: { _ in })
  }

  /// Runs a command line of words without spaces.
  func run(_ line: String) async -> Program.Printout {
    await run(line.split(separator: " ").map { String($0) }, in: surroundings)
  }

  /// Runs a command line on a machine that differs in something.
  func run(_ words: [String], in surroundings: Surroundings) async -> Program.Printout {
    await Program(commands: Commands.all).run(words, in: surroundings)
  }

  /// Overwrites the last pages of the ledger's file, where the newest rows are.
  func damageLedger() throws {
    for suffix in ["-wal", "-shm"] { unlink("\(ledgerPath)\(suffix)") }
    let descriptor = open(ledgerPath, O_WRONLY)
    defer { close(descriptor) }
    let size = lseek(descriptor, 0, SEEK_END)
    let page = 4096
    let rubbish = [UInt8](repeating: 0xA5, count: page)
    for offset in stride(from: Int(size) - 4 * page, to: Int(size), by: page) {
      pwrite(descriptor, rubbish, page, off_t(offset))
    }
  }

  /// Replaces a file of the configuration.
  func edit(_ path: String, _ text: String) {
    files[path] = text
  }

  static let clients = """
    plans:
      trial: { monthly_tokens: 50000 }
      pro: {}
    default_plan: trial
    clients:
      acme:
        plan: pro
        timezone: America/Sao_Paulo
        keys:
          - { name: web, sha256: "\(String(repeating: "a", count: 64))" }
    """

  private static let prices = """
    provider: openai
    currency: USD
    source: https://example.com/prices
    as_of: 2026-11-01
    containers: { 1g: "0.03", 16g: "0.48" }
    models:
      gpt-4o-mini:
        operation: chat
        aliases: [gpt-4o-mini-2024-07-18]
        prices:
          - { from: 2026-01-01, per_million_tokens: { input: "0.30", output: "1.20" } }
          - from: 2026-06-01
            per_million_tokens: { input: "0.15", cached_input: "0.075", output: "0.60" }
            tiers: { batch: { per_million_tokens: { input: "0.075", output: "0.30" } } }
            completion_windows: { 2h: { per_million_tokens: { input: "0.105" } } }
    """
}
