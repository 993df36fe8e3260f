internal import Money

/// What calls billed outside tokens cost, each, by the names of their surcharges.
struct CallPrices: Sendable {
  private let surcharges: [String: FixedDecimal]
  /// Of sessions, by the memory of their containers.
  private let containers: [String: FixedDecimal]
  /// A client's own price, which is that of every call.
  private var own: FixedDecimal?

  init(_ surcharges: [String: FixedDecimal], containers: [String: FixedDecimal] = [:]) {
    self.surcharges = surcharges
    self.containers = containers
  }

  /// That of calls whose kind isn't known; nil where none has a price.
  var highest: FixedDecimal? { own ?? surcharges.values.max() }

  /// The highest of those named; nil where none has a price.
  func price(of names: [String]) -> FixedDecimal? {
    own ?? names.compactMap(price).max()
  }

  private func price(of name: String) -> FixedDecimal? {
    guard let size = ContainerPrice.size(in: name) else { return surcharges[name] }
    return containers[String(size)] ?? containers.values.max()
      ?? surcharges[ContainerPrice.surcharge]
  }

  /// The book's, without a client's own.
  var ofBook: CallPrices { CallPrices(surcharges, containers: containers) }

  func overridden(by override: PriceOverride) -> CallPrices {
    var prices = self
    prices.own = override.prices[.call]
    return prices
  }
}
