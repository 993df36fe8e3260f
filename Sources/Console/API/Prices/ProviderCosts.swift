internal import JSON
internal import Ledger
internal import Money

/// The providers' cost of some use, and the margin, in US dollars.
///
/// Answers to admin tokens have both. Answers to viewers and keys leave both out.
struct ProviderCosts {
  let provider: Money
  let margin: Money

  init(chargedNanoUSD: Int64, providerNanoUSD: Int64) {
    provider = Money(nanoUnits: providerNanoUSD, currency: .usd)
    margin = Money(nanoUnits: chargedNanoUSD.subtractingSaturated(providerNanoUSD), currency: .usd)
  }

  init(_ line: UsageSeries.Line) {
    self.init(chargedNanoUSD: line.costNanoUSD, providerNanoUSD: line.providerCostNanoUSD)
  }

  /// The members that `write` writes. None is required.
  ///
  /// - Parameter prefix: The beginning of each name.
  static func fields(_ prefix: String = "") -> Fields {
    Fields([
      (prefix + providerName, JSONSchema.money), (prefix + marginName, JSONSchema.signedMoney),
    ]).optional
  }

  static let fields = fields()

  func write(_ prefix: String = "", to object: inout JSONWriter) {
    object.member(prefix + ProviderCosts.providerName, provider.decimalText)
    object.member(prefix + ProviderCosts.marginName, margin.decimalText)
  }

  private static let providerName = "provider_cost_usd"
  private static let marginName = "margin_usd"
}
