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

  /// - Parameter providerNanoUSD: The providers' cost; nil if the caller may not see it, and then
  ///   there are no `ProviderCosts`.
  init?(chargedNanoUSD: Int64, providerNanoUSD: Int64?) {
    guard let providerNanoUSD else { return nil }
    self.init(chargedNanoUSD: chargedNanoUSD, providerNanoUSD: providerNanoUSD)
  }

  /// The fields of the costs of a row.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of each name.
  ///   - costs: The costs; nil if the reader may not see them.
  static func fields<Row>(
    _ prefix: String = "", _ costs: @escaping @Sendable (Row) -> ProviderCosts?
  ) -> AnswerFields<Row> {
    [
      .field(prefix + "provider_cost_usd", as: .money) { costs($0)?.provider }
        .shown { costs($0) != nil },
      .field(prefix + "margin_usd", as: .signedMoney) { costs($0)?.margin }
        .shown { costs($0) != nil },
    ]
  }
}

/// The name of the field of a markup.
private let markupName = "markup"

extension AnswerField {
  /// The markup on the provider's prices, from which the providers' cost follows. Only the fields
  /// that are `visible(to:)` administrators show it.
  static func markup(_ markup: @escaping @Sendable (Row) -> Markup?) -> AnswerField {
    .field(markupName, markup).shown { _ in true }
  }
}

extension AnswerFields {
  /// Returns the fields without the markup, unless the caller may see what providers charge.
  func visible(to call: Call) -> AnswerFields {
    call.showsProviderCosts ? self : without(markupName)
  }
}
