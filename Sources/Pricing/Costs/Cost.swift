public import Money

/// What a usage costs the client, and what the provider charges for it.
public struct Cost: Hashable, Sendable {
  /// What the client is charged, in US dollars, before any rounding.
  public let exact: ExactAmount
  /// `exact`, rounded up to the nano-dollar.
  public let nanoUSD: Money
  /// In the billing currency, rounded up from `exact` at its nano-unit.
  public let billed: Money
  /// What the provider charges by the price book, rounded up to the nano-dollar.
  public let provider: Money
  /// What the answer reported and the book has no price for.
  public let unpriced: [PricedQuantity]
  /// The answer named a service tier that the book has no price for.
  public let isTierAssumed: Bool
}

/// One quantity of a cost: amount × price.
public struct CostLine: Hashable, Sendable {
  public let quantity: PricedQuantity
  /// Tokens, milliseconds, characters, images or calls, as they are billed.
  public let amount: Int64
  /// For `quantity.basis` of it.
  public let price: FixedDecimal
  /// The price is the highest of the same unit, since the quantity has none.
  public let isUnpriced: Bool
  /// Of the price, and not contained in it.
  public var markup = Markup.none

  /// The price for `quantity.basis` with the markup, as decimal text.
  public var priceText: String {
    if markup == .none { return price.decimalText }
    return ExactAmount(price: price, per: .one, quantity: 1).with(markup).decimalText
  }

  /// What one of the amount costs, with the markup.
  public var unitPrice: ExactAmount {
    ExactAmount(price: price, per: quantity.basis, quantity: 1).with(markup)
  }

  /// What the amount costs, with the markup.
  public var cost: ExactAmount {
    ExactAmount(price: price, per: quantity.basis, quantity: amount).with(markup)
  }
}
