import Money
import Pages
import Pricing
import Testing

@testable import Console

@Suite("Use against the tiers of a plan")
struct TierBarsTests {
  /// The included amount, the size of a block, the used amount; and the bars with the sentence
  /// below.
  struct Case: Sendable {
    var measure = PlanBilling.Measure.tokens
    var included: Int64
    var every: Int64?
    var used: Int64
    var bars: [String]
    var sentence: String
  }

  static let cases = [
    Case(
      included: 100, every: 50, used: 0, bars: ["0-100: 0.0", "100-150: 0.0"],
      sentence: "passes 100 tokens."),
    Case(
      included: 100, every: 50, used: 100, bars: ["0-100: 100.0", "100-150: 0.0"],
      sentence: "passes 100 tokens."),
    Case(
      included: 100, every: 50, used: 101,
      bars: ["0-100: 100.0", "100-150: 2.0", "150-200: 0.0"], sentence: "passes 150 tokens."),
    Case(
      included: 0, every: 50, used: 0, bars: ["0-50: 0.0"],
      sentence: "passes 0 tokens."),
    Case(
      included: 100, every: nil, used: 30, bars: ["0-100: 30.0"], sentence: "is not charged."),
    Case(
      included: 100, every: nil, used: 130, bars: ["0-100: 100.0", "100+: 100.0"],
      sentence: "is not charged."),
    Case(
      measure: .cost, included: 1_000_000_000, every: 500_000_000, used: 1_250_000_000,
      bars: ["0-1 BRL: 100.0", "1-1.5 BRL: 50.0", "1.5-2 BRL: 0.0"], sentence: "passes R$1.50."),
  ]

  @Test("Each tier that is begun has a bar, and so has the next", arguments: cases)
  func bars(_ each: Case) throws {
    let text = try html(each)
    #expect(TierBarsTests.labels(in: text) == each.bars)
    #expect(text.contains(each.sentence))
  }

  @Test("Of many tiers the last are shown, and how many aren't is said")
  func many() throws {
    let text = try html(
      Case(included: 10, every: 10, used: 9_995, bars: [], sentence: ""))
    let labels = TierBarsTests.labels(in: text)
    #expect(labels.count == 12)
    #expect(labels.suffix(2) == ["9990-10K: 50.0", "10K-10010: 0.0"])
    #expect(text.contains("989 tiers before these are full."))
  }

  @Test("Even the largest use that can be recorded has its bars")
  func largest() throws {
    let text = try html(Case(included: 0, every: 1, used: .max, bars: [], sentence: ""))
    #expect(TierBarsTests.labels(in: text).count == 12)
  }

  private func html(_ each: Case) throws -> String {
    let fee = Money(nanoUnits: 0, currency: try #require(Currency("BRL")))
    let billing = PlanBilling(
      fixedFee: fee, measure: each.measure, included: each.included,
      overage: each.every.map { PlanBilling.Overage(every: $0, charge: fee) })
    let html = TierBars(billing, used: each.used, Reader(language: .english)).html
    return String(decoding: html.bytes, as: UTF8.self)
  }

  private static func labels(in text: String) -> [String] {
    text.split(separator: "aria-label=\"").dropFirst().map { part in
      String(part.prefix { $0 != "\u{A0}" })
    }
  }
}
