import Testing
import Time

@testable import Ledger

@Suite("Models that were refused for want of a price") struct UnpricedModelTests {
  private let folder = TemporaryFolder()

  private func model(
    _ name: String, detail: String? = nil, client: String? = "acme", requests: Int64 = 1,
    after seconds: Int = 0
  ) -> UnpricedModel {
    UnpricedModel(
      name, detail: detail, clientID: client, requests: requests,
      lastSeen: Sample.admitted.advanced(by: .seconds(seconds)))
  }

  private func recorded(after seconds: Int = 0, limit: Int = 10_000) throws -> [UnpricedModel] {
    try LedgerReader(at: folder.location).unpricedModels(
      since: Sample.admitted.advanced(by: .seconds(seconds)), limit: limit)
  }

  @Test("Each is kept once, with how often it was asked for, who asked last and when")
  func counted() async throws {
    let ledger = try folder.ledger()
    ledger.record(model("gpt-99"))
    ledger.record(model("gpt-4o", detail: "tier express", after: 1))
    ledger.record(model("gpt-99", client: "globex", after: 2))
    await ledger.close()
    #expect(
      try recorded() == [
        model("gpt-99", client: "globex", requests: 2, after: 2),
        model("gpt-4o", detail: "tier express", after: 1),
      ])
    #expect(try recorded(after: 2).map(\.model) == ["gpt-99"])
    #expect(try recorded(limit: 1).map(\.model) == ["gpt-99"])
    let again = try folder.ledger()
    again.record(model("gpt-99", after: 3))
    await again.close()
    #expect(try recorded().first == model("gpt-99", requests: 3, after: 3))
  }

  @Test("Of more than a thousand, those that were asked for last are kept, and long names are cut")
  func bounded() async throws {
    let ledger = try folder.ledger()
    for number in 1...1_000 { ledger.record(model("m\(number)", after: number)) }
    await ledger.close()
    let again = try folder.ledger()
    for number in 1_001...1_003 {
      ledger.record(model("closed", after: number))
      again.record(model("m\(number)", after: number))
    }
    again.record(model(String(repeating: "x", count: 100_000), after: 2_000))
    await again.close()
    let kept = try recorded()
    #expect(kept.count == 1_000)
    #expect(kept.last?.model == "m5")
    #expect(kept.first?.model == String(repeating: "x", count: 128))
  }

  @Test("More than can wait are dropped and counted")
  func queued() {
    let queue = CommandQueue()
    for number in 0..<CommandQueue.largestUnpricedModelCount + 5 {
      queue.submit(model("m\(number)"))
    }
    #expect(queue.droppedDenials == 5)
    #expect(queue.take().unpricedModels.count == CommandQueue.largestUnpricedModelCount)
  }
}
