import EventLoop
import InMemory
import Money
import Testing
import Time

@testable import Configuration

/// Reads one scalar in a format; nil stands for a mistake.
func read<Value>(_ text: String, _ format: ValueFormat<Value>) -> Value? {
  let diagnostics = DiagnosticCollector()
  let context = DecodingContext(
    source: SourceText(path: "f", bytes: []), diagnostics: diagnostics, folder: "c",
    secrets: SecretSources(
      environment: [:], files: RecordedFiles(MemoryFiles([:])), missing: .refused))
  let tree = YAMLTree(ofFileWith: text.utf8.count)
  Array(text.utf8).withUnsafeBufferPointer {
    tree.append(scalar: $0, isPlain: false, at: .start)
  }
  let node = YAMLNode(tree, at: 0)
  let value = format.read(node, "key", context)
  #expect((value == nil) == diagnostics.hasMistakes, "\(text)")
  return value
}

@Suite struct FormatTests {
  @Test(
    "Durations have a whole number and a unit",
    arguments: [
      ("500ms", Duration.milliseconds(500)), ("10s", .seconds(10)), ("5m", .seconds(300)),
      ("1h", .seconds(3600)), ("0s", .zero), ("10", nil), ("", nil), ("s", nil), ("-1s", nil),
      ("+1s", nil), ("1.5s", nil), ("1 s", nil), ("1S", nil), ("1d", nil), ("01s", nil),
      ("2h", nil), ("9223372036854775807h", nil),
    ])
  func durations(text: String, expected: Duration?) {
    #expect(read(text, .duration(.zero...(.seconds(3600)))) == expected)
  }

  @Test(
    "Sizes have a whole number and a binary unit",
    arguments: [
      ("64MiB", 64 << 20), ("64KiB", 65536), ("1GiB", 1 << 30), ("512B", 512), ("64", nil),
      ("64MB", nil), ("64mib", nil), ("-1B", nil), ("2GiB", nil), ("99999999999GiB", nil),
    ])
  func sizes(text: String, expected: Int?) {
    #expect(
      read(text, .size(ByteCount(bytes: 0)...(.gibibytes(1))))?.bytes == expected)
  }

  @Test(
    "Whole numbers have digits alone",
    arguments: [
      ("0", 0), ("7", 7), ("100", 100), ("101", nil), ("-1", nil), ("+1", nil), ("07", nil),
      ("1e2", nil), ("1_0", nil), ("0x1", nil), ("1.0", nil), ("", nil), ("٣", nil),
      ("99999999999999999999", nil),
    ])
  func integers(text: String, expected: Int64?) {
    #expect(read(text, ValueFormat<Int64>.integer(0...100)) == expected)
  }

  @Test(
    "Booleans are true and false, and none of YAML's other words",
    arguments: [
      ("true", true), ("false", false), ("yes", nil), ("on", nil), ("True", nil), ("1", nil),
    ])
  func booleans(text: String, expected: Bool?) {
    #expect(read(text, .boolean) == expected)
  }

  @Test(
    "Listen addresses are an IP address and a port",
    arguments: [
      ("127.0.0.1:8080", "127.0.0.1:8080"), ("[::1]:8080", "[::1]:8080"),
      ("0.0.0.0:0", "0.0.0.0:0"), ("::1:8080", nil), ("localhost:8080", nil), (":8080", nil),
      ("127.0.0.1", nil), ("127.0.0.1:65536", nil), ("127.0.0.1:+80", nil),
      ("127.0.0.1:-0", nil), ("256.0.0.1:80", nil), ("[127.0.0.1:80", nil),
    ])
  func listenAddresses(text: String, expected: String?) {
    #expect(read(text, .listenAddress)?.description == expected)
  }

  @Test(
    "Base URLs are http or https with a host, without user, query and fragment",
    arguments: [
      ("https://api.openai.com/v1", "https://api.openai.com/v1"),
      ("HTTPS://API.OpenAI.com/v1/", "https://api.openai.com/v1"),
      ("http://127.0.0.1:9000", "http://127.0.0.1:9000"),
      ("http://[::1]:9000/x", "http://[::1]:9000/x"), ("api.openai.com/v1", nil),
      ("ftp://host/", nil), ("https:///v1", nil), ("https://", nil),
      ("https://user@host/", nil), ("https://host/?a=1", nil), ("https://host/#a", nil),
      ("https://host:0/", nil), ("https://host:99999/", nil), ("https://ho st/", nil),
      ("https://host\n/", nil), ("https://[::1/", nil), ("https://a:1:2/", nil),
    ])
  func baseURLs(text: String, expected: String?) {
    #expect(read(text, .baseURL)?.description == expected)
  }

  @Test(
    "Prices are exact decimals, quoted or not",
    arguments: [
      ("0.15", 150_000_000_000), ("15", 15_000_000_000_000), ("0.000000000001", 1),
      ("0.0000000000001", nil), ("-1", nil), ("+1", nil), ("1e-3", nil), (".5", nil),
      ("1.", nil), ("1,5", nil), ("0x1", nil), ("", nil), ("99999999", nil),
    ])
  func decimals(text: String, expected: Int64?) {
    #expect(read(text, ValueFormat<FixedDecimal>.decimal)?.scaled == expected)
  }

  @Test(
    "Dates are days that exist",
    arguments: [
      ("2026-11-01", "2026-11-01"), ("2026-02-29", nil), ("2026-1-1", nil), ("today", nil),
    ])
  func dates(text: String, expected: String?) {
    #expect(read(text, ValueFormat<CivilDate>.date)?.description == expected)
  }

  @Test(
    "Names are short and plain",
    arguments: [
      ("acme", true), ("A.b_c-9", true), ("9", true), ("", false), ("-a", false),
      (".a", false), ("a b", false), ("é", false), ("a/b", false),
      (String(repeating: "a", count: 63), true), (String(repeating: "a", count: 64), false),
    ])
  func names(text: String, isValid: Bool) {
    #expect((read(text, .name) != nil) == isValid)
  }

  @Test(
    "The ledger is a SQLite file or a PostgreSQL address without a password",
    arguments: [
      ("sqlite:catraca.db", "sqlite:catraca.db"),
      ("postgresql://catraca@db/catraca", "postgresql://…"),
      ("postgres://catraca:secret@db/catraca", "postgresql://…"),
      ("postgresql:///x?host=/run/postgresql&password=secret", "postgresql://…"),
      ("sqlite:", nil), ("mysql://db/x", nil), ("catraca.db", nil),
    ])
  func ledgerLocations(text: String, expected: String?) throws {
    let main = leastMain + "ledger: { url: \"\(text)\" }"
    #expect((try? load(main))?.settings.ledger.location.description == expected)
  }

  @Test("A wrong value that may be a secret is never repeated")
  func confidential() {
    let secret = "sk-proj-0123456789"
    let main = """
      providers: { openai: { base_url: https://h, api_key_env: \(secret) } }
      admin: { tokens: [{ name: a, role: admin, sha256: \(secret) }] }
      ledger: { url: "mysql://u:\(secret)@db/x" }
      """
    let lines = mistakes(main)
    #expect(lines.count == 3)
    #expect(!lines.contains { $0.contains(secret) })
  }
}
