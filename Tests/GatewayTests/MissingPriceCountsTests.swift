import Pricing
import Testing
import Time

@testable import Gateway

@Suite("How often missing prices are told") struct MissingPriceCountsTests {
  private func price(_ model: String, _ dimension: PriceDimension = .model) -> MissingPrice {
    MissingPrice(provider: "openai", model: model, dimension: dimension)
  }

  private func instant(_ seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: 1_000_000_000 + seconds * 1000)
  }

  @Test("A price is told once an hour, also where the clock goes back")
  func hourly() {
    let counts = MissingPriceCounts()
    let told = [0, 1, 3_599, 3_600, 3_601, -10].map {
      counts.note(price("gpt-99"), at: instant($0))
    }
    #expect(told == [true, false, false, true, false, true])
    #expect(counts.note(price("gpt-99", .tier("flex")), at: instant(1)))
    #expect(counts.counts.map(\.kind) == [.model, .tier])
    #expect(counts.counts.map(\.count) == [6, 1])
  }

  @Test("Of more prices than are remembered, the rest of an hour is counted alone")
  func bounded() {
    let counts = MissingPriceCounts()
    let most = MissingPriceCounts.mostRemembered
    let told = (0..<most + 5).filter { counts.note(price("m\($0)"), at: instant(0)) }
    #expect(told.count == most)
    #expect(counts.counts.map(\.count) == [Int64(most + 5)])
    #expect(counts.note(price("late"), at: instant(3_600)))
  }
}
