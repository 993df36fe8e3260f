import Ledger
import Testing
import Time

@testable import Gateway

@Suite("How many refusals are written")
struct DenialLimitsTests {
  private func instant(_ milliseconds: Int64) -> Timestamp {
    Timestamp(milliseconds: milliseconds)
  }

  private func written(
    _ count: Int, by limits: DenialLimits, client: String = "acme", at milliseconds: Int64
  ) -> Int {
    (0..<count).count { _ in
      limits.verdict(client: client, reason: .tokenLimit, at: instant(milliseconds)) == .write
    }
  }

  @Test("Of a burst of one client and reason some are written, and the rest is counted")
  func burst() {
    let limits = DenialLimits()
    #expect(written(1500, by: limits, at: 0) == 300)
    #expect(limits.unwritten.map(\.count) == [1200])
    #expect(limits.verdict(client: "acme", reason: .costLimit, at: instant(0)) == .write)
    #expect(limits.verdict(client: "beta", reason: .tokenLimit, at: instant(0)) == .write)
    #expect(written(100, by: limits, at: 999) == 0)
    #expect(written(100, by: limits, at: 10_000) == 10)
    #expect(limits.unwritten.map(\.count) == [1390])
  }

  @Test("A clock that goes backwards or far ahead gives no more than one burst")
  func clocks() {
    let limits = DenialLimits()
    #expect(written(301, by: limits, at: 1_000_000) == 300)
    #expect(written(10, by: limits, at: 0) == 0)
    #expect(written(1000, by: limits, at: .max) == 300)
  }

  @Test("The log tells of the rest once a second")
  func told() {
    let limits = DenialLimits()
    #expect(written(300, by: limits, at: 0) == 300)
    let verdicts = [0, 1, 2, 999].map {
      limits.verdict(client: "acme", reason: .tokenLimit, at: instant($0))
    }
    #expect(
      verdicts == [.count(tell: 1), .count(tell: nil), .count(tell: nil), .count(tell: nil)])
    #expect(limits.verdict(client: "acme", reason: .tokenLimit, at: instant(1000)) == .write)
    #expect(
      limits.verdict(client: "acme", reason: .tokenLimit, at: instant(1001)) == .count(tell: 4))
  }
}
