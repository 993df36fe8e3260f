public import Money

/// Unit prices in US dollars, as a file states them; what is left out has none here.
public struct PriceTable: Hashable, Sendable {
  /// By `PricedQuantity.rawValue`.
  private var prices = [FixedDecimal?](repeating: nil, count: PricedQuantity.allCases.count)

  /// What one image costs by its size and quality, where that matters.
  public var images: [ImageVariant: FixedDecimal]

  public init(
    _ prices: [PricedQuantity: FixedDecimal] = [:], images: [ImageVariant: FixedDecimal] = [:]
  ) {
    self.images = images
    for (quantity, price) in prices { self[quantity] = price }
  }

  /// What `quantity.basis` of it costs; nil where no price is stated.
  public subscript(quantity: PricedQuantity) -> FixedDecimal? {
    get { prices[quantity.rawValue] }
    set { prices[quantity.rawValue] = newValue }
  }

  public var isEmpty: Bool { prices.allSatisfy { $0 == nil } && images.isEmpty }

  /// The units that something has a price in.
  var pricedUnits: Set<PricedQuantity.Unit> {
    var units = Set(PricedQuantity.all.filter { self[$0] != nil }.map(\.unit))
    if !images.isEmpty { units.insert(.image) }
    return units
  }

  /// The highest price that any of the quantities has; nil where none has one.
  func dearest(of quantities: [PricedQuantity]) -> FixedDecimal? {
    quantities.lazy.compactMap { self[$0] }.max()
  }

  /// These prices, replaced where `other` states one.
  func overlaid(by other: PriceTable) -> PriceTable {
    merged(with: other) { _, replacement in replacement }
  }

  /// For each quantity the higher price of the two.
  func dearest(or other: PriceTable) -> PriceTable {
    merged(with: other, by: max)
  }

  /// Each price with a markup.
  func with(_ markup: Markup) -> PriceTable {
    var result = self
    result.prices = prices.map { $0?.with(markup) }
    result.images = images.mapValues { $0.with(markup) }
    return result
  }

  /// Each price of tokens multiplied by a factor; other prices stay, since no provider is known to
  /// multiply them.
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

/// A kind of image that has a price of its own.
public struct ImageVariant: Hashable, Sendable {
  /// As the provider names them: `1024x1024`, `hd`.
  public var size: String
  public var quality: String

  public init(size: String, quality: String) {
    self.size = size
    self.quality = quality
  }
}
