internal import Budgets
internal import Money
internal import Pages
internal import Pricing

/// A period's use in the tiers of its plan: a bar for each started tier, and for the next one.
struct TierBars {
  private let billing: PlanBilling
  private let used: Int64
  private let reader: Reader

  /// The most bars. Of more tiers, the last ones are shown.
  private static let mostTiers: Int64 = 12

  /// - Parameter used: Tokens, or nano-units of the currency, as the tiers measure.
  init(_ billing: PlanBilling, used: Int64, _ reader: Reader) {
    self.billing = billing
    self.used = used
    self.reader = reader
  }

  /// The first tier with a size. If the plan includes nothing, the fixed fee's tier has none.
  private var lowest: Int64 { billing.included > 0 ? 0 : 1 }

  /// The tiers that are shown, by their blocks.
  private var blocks: ClosedRange<Int64> {
    let hasNext = billing.overage != nil || used > billing.included
    let last = hasNext ? min(billing.blocks(begunAt: used), .max - 1) + 1 : lowest
    return max(lowest, last - TierBars.mostTiers + 1)...last
  }

  var html: HTML {
    let blocks = blocks
    let hidden = blocks.lowerBound - lowest
    let before: HTML? =
      hidden > 0
      ? #"<p class="small soft">\#(reader(.tiersBefore(reader.number(hidden))))</p>"# : nil
    return #"""
      \#(before)<ol class="tiers" start="\#("\(blocks.lowerBound)")">\#(blocks.map(entry))</ol>\#
      <p>\#(reader(outlook))</p>
      """#
  }

  private func entry(_ block: Int64) -> HTML {
    let tier = billing.tier(ofBlock: block)
    let above = max(0, used - tier.start)
    let size = tier.end.map { $0 - tier.start }
    let permille = size.map { Share(used: min(above, $0), limit: $0).permille } ?? 1000
    let label = "\(tier): \(reader.percentage(permille: permille))"
    let bar = LimitBar(
      used: permille, held: 0, level: block == 0 ? .ok : .attention, label: label)
    return #"""
      <li><strong>\#("\(tier)")</strong>\#(bar.html)\#
      <span class="small soft">\#(price(of: block, isBegun: above > 0))</span></li>
      """#
  }

  private func price(of block: Int64, isBegun: Bool) -> String {
    if block == 0 { return reader(.fixedFeeOf(reader.money(billing.fixedFee))) }
    guard let overage = billing.overage else { return reader(.nothingMore) }
    let amount = reader.money(overage.charge)
    return reader(isBegun ? .chargedOf(amount) : .notBegun(amount))
  }

  /// A sentence about the next charge.
  private var outlook: Phrase {
    guard let overage = billing.overage else { return .withoutOverage }
    let end = billing.tier(at: used).end ?? used
    return .nextCharge(reader.money(overage.charge), amount(end))
  }

  /// An amount in the unit of the tiers.
  private func amount(_ value: Int64) -> String {
    switch billing.measure {
    case .tokens: reader(.tokenCount(reader.number(value)))
    case .cost: reader.money(Money(nanoUnits: value, currency: billing.currency))
    }
  }
}

extension Phrase {
  fileprivate static func tiersBefore(_ count: String) -> Phrase {
    Phrase("\(count) tiers before these are full.", "\(count) faixas antes destas estão cheias.")
  }
  fileprivate static func fixedFeeOf(_ amount: String) -> Phrase {
    Phrase("fixed fee: \(amount)", "mensalidade: \(amount)")
  }
  fileprivate static func chargedOf(_ amount: String) -> Phrase {
    Phrase("charged: \(amount)", "cobrado: \(amount)")
  }
  fileprivate static func notBegun(_ amount: String) -> Phrase {
    Phrase("not started: \(amount)", "não iniciada: \(amount)")
  }
  fileprivate static let nothingMore = Phrase("no further charge", "sem custo adicional")
  fileprivate static let withoutOverage = Phrase(
    "Use beyond the included amount is not charged.",
    "O uso além do incluído não é cobrado.")
  fileprivate static func nextCharge(_ charge: String, _ end: String) -> Phrase {
    Phrase(
      "Another \(charge) will be charged when use passes \(end).",
      "Outra cobrança de \(charge) será feita quando o uso passar de \(end).")
  }
}
