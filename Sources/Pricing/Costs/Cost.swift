public import Money

/// The cost of a usage for the client, and the provider's charge for it.
public struct Cost: Hashable, Sendable {
  /// The client's charge in US dollars, before rounding.
  public let exact: ExactAmount
  /// `exact`, rounded up to the nano-dollar.
  public let nanoUSD: Money
  /// The client's charge in the billing currency, rounded up from `exact` to the nano-unit.
  public let billed: Money
  /// The provider's charge by the price book, rounded up to the nano-dollar.
  public let provider: Money
  /// The quantities that the answer reported and the book has no price for.
  public let unpriced: [PricedQuantity]
  /// Whether the answer named a service tier that the book has no price for.
  public let isTierAssumed: Bool
}

/// One quantity of a cost: amount × price.
public struct CostLine: Hashable, Sendable {
  public let quantity: PricedQuantity
  /// Tokens, milliseconds, characters, images or calls, as they are billed.
  public let amount: Int64
  /// The price of `quantity.basis` units.
  public let price: FixedDecimal
  /// Whether the quantity has no price of its own, so that the highest price of the same unit
  /// applies.
  public let isUnpriced: Bool
  /// The markup on the price; `price` doesn't include it.
  public var markup = Markup.none

  /// The price of `quantity.basis` units with the markup, as decimal text.
  public var priceText: String {
    if markup == .none { return price.decimalText }
    return ExactAmount(price: price, per: .one, quantity: 1).with(markup).decimalText
  }

  /// The cost of one unit of the amount, with the markup.
  public var unitPrice: ExactAmount {
    ExactAmount(price: price, per: quantity.basis, quantity: 1).with(markup)
  }

  /// The cost of the amount, with the markup.
  public var cost: ExactAmount {
    ExactAmount(price: price, per: quantity.basis, quantity: amount).with(markup)
  }
}
