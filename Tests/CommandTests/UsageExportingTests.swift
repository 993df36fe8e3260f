import EventLoop
import Ledger
import Testing

@testable import catraca

@Suite struct UsageExportingTests {
  private let bench = TestBench()

  /// Runs a command line; returns its printout, and the text on standard output meanwhile.
  private func run(_ line: String, canWrite: Bool = true) async -> (Program.Printout, String) {
    let written = Lock("")
    var surroundings = bench.surroundings
    surroundings.writeOutput = { bytes in
      written.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
      return canWrite
    }
    let words = line.split(separator: " ").map { String($0) }
    let printout = await bench.run(words, in: surroundings)
    return (printout, written.withLock { $0 })
  }

  private func record() async throws {
    try await bench.record([
      LedgerFixture.row(1, user: "u1", input: 100, day: "2026-11-20"),
      LedgerFixture.row(2, user: "u,2", input: 1_000),
      LedgerFixture.row(3, client: "beta", user: "u2", input: 5),
    ])
  }

  @Test("JSON lines have each request, newest first, and nothing else is printed")
  func writesJSONLines() async throws {
    try await record()
    let (printout, written) = await run("usage --format jsonl")
    #expect(printout == Program.Printout())
    let lines = written.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 4 && lines.last == "")
    #expect(lines[0].hasPrefix(#"{"id":3,"request_id":""#))
    #expect(lines[0].contains(#""client_id":"beta""#) && lines[2].contains(#""user_id":"u1""#))
  }

  @Test("CSV of requests has the columns of the API", arguments: ["--format csv --by request"])
  func writesCSV(options: String) async throws {
    try await record()
    let (_, written) = await run("usage --client acme \(options)")
    let lines = written.split(separator: "\r\n")
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("id,request_id,client_id,key_name,user_id,"))
    #expect(lines[1].contains(#","u,2","#))
  }

  @Test("FOCUS names clients as the configuration does")
  func writesFOCUS() async throws {
    try await record()
    let (_, written) = await run("usage --days 1 --format focus")
    let lines = written.split(separator: "\r\n")
    #expect(lines[0].hasPrefix("AvailabilityZone,BillingAccountId,BillingAccountName,"))
    #expect(lines.count == 3 && lines[1].hasPrefix(",beta,beta,BRL,"))
  }

  @Test("Without requests there are the names of the columns alone")
  func writesNothing() async throws {
    try await bench.record([])
    #expect(await run("usage --format jsonl").1.isEmpty)
    #expect(await run("usage --by request --format csv").1.hasSuffix("metadata,created_at\r\n"))
  }

  @Test(
    "What can't be is wrong usage",
    arguments: [
      "usage --by request", "usage --by request --format json", "usage --by day --format focus",
      "usage --by model --format jsonl", "usage --by hour", "usage --format xml",
    ])
  func refuses(line: String) async throws {
    try await record()
    let (printout, written) = await run(line)
    #expect(printout.exitCode == .wrongUsage && printout.error.contains("allowed"))
    #expect(written.isEmpty && printout.output.isEmpty)
  }

  @Test("A full disk is said, with exit status 1")
  func saysFullDisks() async throws {
    try await record()
    let (printout, _) = await run("usage --format jsonl", canWrite: false)
    #expect(printout.exitCode == .failed && printout.error.contains("standard output"))
  }
}
