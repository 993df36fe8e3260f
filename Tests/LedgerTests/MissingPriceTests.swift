import Budgets
import Pricing
import Testing
import Time

@testable import Ledger

@Suite("Prices that requests needed and the price book doesn't have") struct MissingPriceTests {
  private let folder = TemporaryFolder()

  private func sighting(
    _ model: String, _ dimension: PriceDimension = .model, client: String? = "acme",
    _ outcome: MissingPriceSighting.Outcome = .refused, requests: Int64 = 1, since: Int? = nil,
    at seconds: Int = 0
  ) -> MissingPriceSighting {
    MissingPriceSighting(
      MissingPrice(provider: "openai", model: model, dimension: dimension), clientID: client,
      outcome: outcome, requests: requests,
      firstSeen: Sample.admitted.advanced(by: .seconds(since ?? seconds)),
      lastSeen: Sample.admitted.advanced(by: .seconds(seconds)))
  }

  private func recorded(after seconds: Int = 0) throws -> [MissingPriceSighting] {
    try LedgerReader(at: folder.location).missingPrices(
      since: Sample.admitted.advanced(by: .seconds(seconds)))
  }

  @Test("Each price, client and outcome has one row, with its count, first and last time")
  func counted() async throws {
    let ledger = try folder.ledger()
    ledger.record(sighting("gpt-99"))
    ledger.record(sighting("gpt-4o", .tier("express"), at: 1))
    ledger.record(sighting("gpt-99", at: 2))
    ledger.record(sighting("gpt-99", client: nil, at: 3))
    ledger.record(sighting("gpt-4o", .quantity(.cachedInput), .assumed, at: 4))
    ledger.record(sighting("gpt-4o", .call("container 4g"), .free, at: 5))
    await ledger.close()
    #expect(
      try recorded() == [
        sighting("gpt-4o", .call("container 4g"), .free, at: 5),
        sighting("gpt-4o", .quantity(.cachedInput), .assumed, at: 4),
        sighting("gpt-99", client: nil, at: 3),
        sighting("gpt-99", requests: 2, since: 0, at: 2),
        sighting("gpt-4o", .tier("express"), at: 1),
      ])
    #expect(try recorded(after: 5).map(\.price.model) == ["gpt-4o"])
  }

  @Test("A restart keeps the rows and counts on")
  func restarted() async throws {
    for seconds in [0, 7] {
      let ledger = try folder.ledger()
      ledger.record(sighting("gpt-99", at: seconds))
      await ledger.close()
    }
    #expect(try recorded() == [sighting("gpt-99", requests: 2, since: 0, at: 7)])
  }

  @Test("Of each outcome the latest 1,000 rows are kept, and long names are cut")
  func bounded() async throws {
    let ledger = try folder.ledger()
    for number in 1...1_000 { ledger.record(sighting("m\(number)", at: number)) }
    await ledger.close()
    let again = try folder.ledger()
    again.record(sighting("gpt-4o", .quantity(.cachedInput), .assumed))
    for number in 1_001...1_003 {
      ledger.record(sighting("closed", at: number))
      again.record(sighting("m\(number)", at: number))
    }
    let long = String(repeating: "x", count: 100_000)
    again.record(sighting(long, .tier(long), at: 2_000))
    await again.close()
    let kept = try recorded()
    #expect(kept.count { $0.outcome == .refused } == 1_000)
    #expect(kept.last { $0.outcome == .refused }?.price.model == "m5")
    #expect(kept.last?.price.dimension == .quantity(.cachedInput))
    #expect(kept.first?.price.model == String(repeating: "x", count: 128))
    #expect(kept.first?.price.dimension == .tier(String(repeating: "x", count: 128)))
  }

  @Test("Requests that wait take the room of one; more prices than can wait are counted")
  func queued() {
    let queue = CommandQueue()
    for _ in 0..<3 { queue.submit(sighting("m0", at: 1)) }
    for number in 0..<MissingPriceTally.largestCount + 5 { queue.submit(sighting("m\(number)")) }
    #expect(queue.droppedDenials == 5)
    let waiting = Array(queue.take().rows.missingPrices.sightings)
    #expect(waiting.count == MissingPriceTally.largestCount)
    #expect(
      waiting.first { $0.price.model == "m0" } == sighting("m0", requests: 4, since: 0, at: 1))
  }

  // MARK: Alerts

  private func alerts() throws -> [Alert] {
    try LedgerReader(at: folder.location).alertLog(where: [:], LogRange(limit: 1_000))
      .map(\.content.alert)
  }

  @Test("People are told of a price once a day, whoever needed it, also after a restart")
  func toldDaily() async throws {
    let day = 86_400
    for start in [0, 60, day] {
      let ledger = try folder.ledger()
      for client in ["acme", "globex"] {
        ledger.record(
          sighting("gpt-4o", .quantity(.cachedInput), client: client, .assumed, at: start))
        ledger.record(sighting("gpt-99", client: client, at: start))
      }
      await ledger.close()
    }
    let told = try alerts()
    #expect(told.map(\.type) == Array(repeating: "price.missing", count: 4))
    #expect(Set(told.map(\.subject)) == ["cached_input of openai/gpt-4o", "openai/gpt-99"])
    #expect(Set(told.map(\.window.start)).count == 2)
    #expect(Set(told.map(\.budgetID)) == [.missingPrices, .refusedPrices])
  }

  @Test("Made-up names are told in small numbers, and leave room for what answers lacked")
  func toldWithinLimits() async throws {
    let ledger = try folder.ledger()
    for number in 0..<100 { ledger.record(sighting("m\(number)")) }
    await ledger.close()
    let again = try folder.ledger()
    for number in 0..<100 { again.record(sighting("n\(number)")) }
    for number in 0..<150 {
      again.record(sighting("p\(number)", .quantity(.cachedInput), .assumed))
    }
    await again.close()
    let told = try alerts()
    #expect(told.count { $0.budgetID == .refusedPrices } == 20)
    #expect(told.count { $0.budgetID == .missingPrices } == 100)
  }
}
