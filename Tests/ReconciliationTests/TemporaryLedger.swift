import Foundation
import Ledger
import Money
import Pricing
import Time

/// A ledger of the test's own, with rows of one client's requests.
final class TemporaryLedger {
  static let now = Timestamp(rfc3339: "2026-11-22T12:00:00Z")!

  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private var address: LedgerLocation {
    .sqlite(path: folder.appendingPathComponent("catraca.db").path)
  }

  func reader() throws -> LedgerReader { try LedgerReader(at: address) }

  /// Records rows, each with the record of its prices.
  func record(_ rows: [(row: UsageRow, priceRecord: String?)]) async throws {
    let ledger = try ServerLedger(ServerLedger.Options(address))
    for entry in rows {
      try await ledger.settle(.init(row: entry.row, charges: [], priceRecord: entry.priceRecord))
    }
    await ledger.close()
  }

  /// Records rows whose prices aren't known.
  func record(_ rows: [UsageRow]) async throws {
    try await record(rows.map { (row: $0, priceRecord: nil) })
  }

  /// A row of 100 tokens in and 10 out, for 21,000 nano-dollars.
  static func row(_ number: Int, day: String = "2026-11-22") -> UsageRow {
    let digits = String(number, radix: 16)
    let zeros = String(repeating: "0", count: 12 - digits.count)
    return UsageRow(
      requestID: RequestID("019aab6e-3c1b-7000-8000-\(zeros)\(digits)")!, clientID: "acme",
      keyName: "web", provider: "openai", model: "gpt-4o-mini",
      responseModel: "gpt-4o-mini-2024-07-18", operation: .chat, endpoint: "/v1/chat/completions",
      isStream: true, status: 200, outcome: .ok, usageSource: .reported,
      usage: Usage(inputTokens: 100, outputTokens: 10)!, costNanoUSD: 21_000,
      cost: Money(nanoUnits: 21_000, currency: .usd), priceVersion: nil,
      createdAt: Timestamp(rfc3339: "\(day)T12:00:00Z")!, day: CivilDate(day)!)
  }
}
