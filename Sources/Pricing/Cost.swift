public import Money

/// What a usage costs.
public struct Cost: Hashable, Sendable {
  /// In US dollars, before any rounding.
  public let exact: ExactAmount
  /// Rounded up to the nano-dollar.
  public let nanoUSD: Money
  /// In the billing currency, rounded up from `exact` at its nano-unit.
  public let billed: Money
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

  /// What one of the amount costs.
  public var unitPrice: ExactAmount {
    ExactAmount(price: price, per: quantity.basis, quantity: 1)
  }

  public var cost: ExactAmount {
    ExactAmount(price: price, per: quantity.basis, quantity: amount)
  }
}
