public import Money

/// Unit prices in US dollars, as a file states them. A price that the file omits is nil.
public struct PriceTable: Hashable, Sendable {
  /// The prices by `PricedQuantity.rawValue`.
  private var prices = [FixedDecimal?](repeating: nil, count: PricedQuantity.allCases.count)

  /// The prices of one image by its size and quality, if they differ.
  public var images: [ImageVariant: FixedDecimal]

  public init(
    _ prices: [PricedQuantity: FixedDecimal] = [:], images: [ImageVariant: FixedDecimal] = [:]
  ) {
    self.images = images
    for (quantity, price) in prices { self[quantity] = price }
  }

  /// The price of `quantity.basis` units; nil if no price is stated.
  public subscript(quantity: PricedQuantity) -> FixedDecimal? {
    get { prices[quantity.rawValue] }
    set { prices[quantity.rawValue] = newValue }
  }

  public var isEmpty: Bool { prices.allSatisfy { $0 == nil } && images.isEmpty }

  /// The units in which some quantity has a price.
  var pricedUnits: Set<PricedQuantity.Unit> {
    var units = Set(PricedQuantity.all.filter { self[$0] != nil }.map(\.unit))
    if !images.isEmpty { units.insert(.image) }
    return units
  }

  /// Returns the highest price of the quantities; nil if none has one.
  func dearest(of quantities: [PricedQuantity]) -> FixedDecimal? {
    quantities.lazy.compactMap { self[$0] }.max()
  }

  /// Returns these prices, replaced by those that `other` states.
  func overlaid(by other: PriceTable) -> PriceTable {
    merged(with: other) { _, replacement in replacement }
  }

  /// Returns the higher price of each quantity.
  func dearest(or other: PriceTable) -> PriceTable {
    merged(with: other, by: max)
  }

  /// Returns each price with a markup.
  func with(_ markup: Markup) -> PriceTable {
    var result = self
    result.prices = prices.map { $0?.with(markup) }
    result.images = images.mapValues { $0.with(markup) }
    return result
  }

  /// Returns each token price multiplied by a factor. Other prices stay, because no provider is
  /// known to multiply them.
  func with(_ factor: PriceFactor) -> PriceTable {
    var result = self
    for quantity in PricedQuantity.tokens {
      result[quantity] = self[quantity]?.with(factor.markup)
    }
    return result
  }

  private func merged(
    with other: PriceTable, by choose: (FixedDecimal, FixedDecimal) -> FixedDecimal
  ) -> PriceTable {
    var result = self
    result.images.merge(other.images, uniquingKeysWith: choose)
    for (index, price) in other.prices.enumerated() {
      guard let price else { continue }
      result.prices[index] = result.prices[index].map { choose($0, price) } ?? price
    }
    return result
  }
}

/// A kind of image with its own price.
public struct ImageVariant: Hashable, Sendable {
  /// The size and the quality in the provider's words: `1024x1024`, `hd`.
  public var size: String
  public var quality: String

  public init(size: String, quality: String) {
    self.size = size
    self.quality = quality
  }
}
