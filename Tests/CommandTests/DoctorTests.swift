import Configuration
import EventLoop
import Ledger
@testable import Server
import Testing
import Time
import Upstream

@testable import catraca

@Suite struct DoctorTests {
  typealias State = Finding.State

  static let answers: [(status: Int, hasKey: Bool, state: State)] = [
    (200, true, .ok), (401, true, .problem), (403, true, .problem), (401, false, .problem),
    (404, true, .problem), (429, true, .warning), (500, true, .warning), (503, true, .warning),
    (302, true, .warning),
  ]

  @Test("A provider's answer says whether it takes the key", arguments: answers)
  func provider(_ status: Int, _ hasKey: Bool, _ state: State) {
    let finding = ProviderCheck.answer(status, of: "openai", hasKey: hasKey)
    #expect(finding.state == state && finding.text.contains("\(status)"))
    #expect((finding.advice == nil) == (state == .ok))
  }

  static let failures: [UpstreamError] = [
    .unreachable(.address), .unreachable(.name), .unreachable(.connection),
    .unreachable(.handshake), .unreachable(.certificate), .unreachable(.trustStore),
    .unreachable(.other(1)), .timeout(wasSent: true), .broken(.noAnswer), .invalidResponse,
    .cancelled(wasSent: false), .tooManyTransfers,
  ]

  @Test("A provider that doesn't answer is a problem, with what to do", arguments: failures)
  func unreachable(_ error: UpstreamError) {
    let finding = ProviderCheck.failure(error, of: "openai")
    #expect(finding.state == .problem && finding.advice?.hasSuffix(".") == true)
  }

  static let clocks: [(provider: String, state: State, difference: String?)] = [
    ("2026-11-22T12:00:00Z", .ok, nil), ("2026-11-22T11:59:55Z", .ok, nil),
    ("2026-11-22T11:59:53Z", .warning, "6 s ahead of"),
    ("2026-11-22T12:00:06Z", .ok, nil),
    ("2026-11-22T12:00:08Z", .warning, "7 s behind"),
    ("2026-11-22T13:00:00Z", .warning, "3599 s behind"),
  ]

  @Test("Clocks may differ by five seconds, besides what the call takes", arguments: clocks)
  func clock(_ provider: String, _ state: State, _ difference: String?) throws {
    let finding = ProviderCheck.clock(
      try #require(Timestamp(rfc3339: provider)), of: "openai", between: TestBench.now,
      and: Timestamp(milliseconds: TestBench.now.milliseconds + 1_000))
    #expect(finding.state == state)
    if let difference { #expect(finding.text.contains(difference), "\(finding.text)") }
  }

  static let ages: [(asOf: String, state: State)] = [
    ("2026-11-22", .ok), ("2026-08-24", .ok), ("2026-08-23", .warning), ("2026-11-23", .warning),
  ]

  @Test("Prices of the last 90 days are fresh", arguments: ages)
  func prices(_ asOf: String, _ state: State) throws {
    let finding = PricesCheck.age(
      of: try #require(CivilDate(asOf)), today: try #require(CivilDate("2026-11-22")),
      subject: "openai", source: "https://example.com")
    #expect(finding.state == state)
  }

  static let rooms: [(bytes: Int64, state: State)] = [
    (0, .problem), ((64 << 20) - 1, .problem), (64 << 20, .warning), ((1 << 30) - 1, .warning),
    (1 << 30, .ok), (.max, .ok),
  ]

  @Test("A ledger needs room", arguments: rooms)
  func room(_ bytes: Int64, _ state: State) {
    let facts = FileSystemFacts(kind: .disk, freeBytes: bytes)
    #expect(LedgerCheck.room(facts, in: "/data").state == state)
  }

  static let places: [(kind: FileSystemFacts.Kind, state: State)] = [
    (.disk, .ok), (.memory, .warning), (.container, .warning), (.network, .problem),
  ]

  @Test("A ledger's place must keep it", arguments: places)
  func place(_ kind: FileSystemFacts.Kind, _ state: State) {
    let facts = FileSystemFacts(kind: kind, freeBytes: .max)
    #expect(LedgerCheck.place(facts, of: "/data", .power).state == state)
  }

  static let ledgerErrors: [(error: LedgerError, state: State)] = [
    (.tooOld(path: "l.db", found: 1, known: 2), .warning),
    (.tooNew(path: "l.db", found: 4, readableFrom: 3, known: 2), .problem),
    (.ofEarlierBuild(path: "l.db"), .problem),
    (.notALedger(path: "l.db"), .problem), (.unavailable(reason: "disk I/O error"), .problem),
  ]

  @Test("A ledger of an earlier schema is a warning, of others a problem", arguments: ledgerErrors)
  func ledger(_ error: LedgerError, _ state: State) {
    #expect(LedgerCheck.judge(error).state == state)
  }

  static let files: [(open: Int, connections: Int64, state: State)] = [
    (.max, 10_000, .ok), (20_200, 10_000, .ok), (20_198, 10_000, .warning),
    (220, 10_000, .warning), (218, 10_000, .problem), (64, 10_000, .problem), (64, 1, .ok),
  ]

  @Test("Open files must be enough for the connections", arguments: files)
  func openFiles(_ open: Int, _ connections: Int64, _ state: State) {
    var limits = Limits()
    limits.connections = Int(connections)
    let finding = ProcessCheck.openFiles(for: limits, ConnectionCeiling(openFiles: open))
    #expect(finding.state == state)
  }

  static let validities: [(seconds: Int?, state: State)] = [
    (nil, .ok), (-1, .problem), (0, .problem), (13 * 86_400, .warning), (14 * 86_400, .ok),
  ]

  @Test("A certificate is to be renewed in time", arguments: validities)
  func certificate(_ seconds: Int?, _ state: State) {
    #expect(CertificateCheck.validity(seconds: seconds, subject: "proxy").state == state)
  }

  static let listeners: [(result: Result<Int, UpstreamError>, state: State)] = [
    (.success(200), .ok), (.success(503), .problem), (.success(404), .problem),
    (.failure(.unreachable(.certificate)), .warning), (.failure(.invalidResponse), .problem),
    (.failure(.timeout(wasSent: true)), .problem),
  ]

  @Test("Who has a listener's address must be a server that is well", arguments: listeners)
  func listener(_ result: Result<Int, UpstreamError>, _ state: State) {
    #expect(ListenerCheck.answer(result, subject: "proxy", path: "/healthz").state == state)
  }

  static let exposures: [(address: String, isEncrypted: Bool, warns: Bool)] = [
    ("127.0.0.1:8081", false, false), ("[::1]:8081", false, false), ("0.0.0.0:8081", false, true),
    ("0.0.0.0:8081", true, false), ("192.0.2.1:8081", false, true),
  ]

  @Test("What passes a network in the clear is told", arguments: exposures)
  func exposure(_ address: String, _ isEncrypted: Bool, _ warns: Bool) throws {
    let findings = ListenerCheck.exposure(
      of: try #require(SocketAddress(address)), listener: "admin", isEncrypted: isEncrypted)
    #expect(findings.contains { $0.state == .warning } == warns)
  }

  @Test("Root is told that it needn't be")
  func user() {
    #expect(ProcessCheck.user(id: 0).state == .warning)
    #expect(ProcessCheck.user(id: 1_000).state == .ok)
  }

  @Test("Mistakes of the configuration are problems, and nothing else is looked for")
  func configuration() async {
    let bench = TestBench()
    bench.edit("config/catraca.yaml", "providers: 7\n")
    let printout = await bench.run("doctor --offline --format csv")
    #expect(printout.exitCode == .failed)
    #expect(printout.output.contains("configuration,problem,config/catraca.yaml:1:12: "))
    #expect(!printout.output.contains("ledger,"))
  }

  @Test("A secret that isn't there is a problem, and no warning besides")
  func secrets() async {
    let bench = TestBench()
    bench.edit(
      "config/catraca.yaml",
      """
      providers: { openai: { base_url: https://api.openai.com/v1, api_key_env: NO_SUCH_KEY } }
      pricing: [prices.yaml]
      proxy: { listen: ["127.0.0.1:0"] }
      admin: { listen: ["127.0.0.1:0"] }
      ledger: { url: "sqlite:\(bench.ledgerPath)" }
      """)
    let printout = await bench.run("doctor --offline --format csv")
    #expect(printout.exitCode == .failed)
    let about = printout.output.split(whereSeparator: \.isNewline)
      .filter { $0.contains("NO_SUCH_KEY") }
    #expect(about.count == 1 && about[0].hasPrefix("secrets,problem,"))
    #expect(printout.output.contains("prices,ok,prices.yaml: 1 models as of 2026-11-01"))
  }

  @Test("A damaged ledger is named")
  func damage() async throws {
    let bench = TestBench()
    try await bench.record((1...200).map { LedgerFixture.row($0) })
    #expect(try LedgerReader(at: .sqlite(path: bench.ledgerPath)).damage(atMost: 3) == [])
    try bench.damageLedger()
    let reader = try LedgerReader(at: .sqlite(path: bench.ledgerPath))
    #expect(try !reader.damage(atMost: 3).isEmpty)
    var settings = LedgerSettings()
    settings.location = .sqlite(path: bench.ledgerPath)
    #expect(LedgerCheck.findings(settings).first?.state == .problem)
  }
}
