internal import Money

/// What calls billed outside tokens cost, each, by the names of their surcharges.
struct CallPrices: Sendable {
  private let surcharges: [String: FixedDecimal]
  /// Of sessions, by the memory of their containers.
  private let containers: [String: FixedDecimal]
  /// A client's own price, which is that of every call.
  private var own: FixedDecimal?
  /// A client's own prices of sessions.
  private var ownContainers: [String: FixedDecimal] = [:]

  init(_ surcharges: [String: FixedDecimal], containers: [String: FixedDecimal] = [:]) {
    self.surcharges = surcharges
    self.containers = containers
  }

  /// That of calls whose kind isn't known; nil where none has a price.
  var highest: FixedDecimal? { own ?? surcharges.values.max() }

  /// The highest of those named; nil where none has a price.
  func price(of names: [String]) -> FixedDecimal? {
    names.compactMap { price(ofCall: $0) }.max()
  }

  private func price(ofCall name: String) -> FixedDecimal? {
    guard let size = ContainerPrice.size(in: name) else { return own ?? surcharges[name] }
    if containers[String(size)] != nil || containers.isEmpty {
      return price(ofContainer: String(size))
    }
    return containers.keys.compactMap { price(ofContainer: $0) }.max()
  }

  private func price(ofContainer size: String) -> FixedDecimal? {
    ownContainers[size] ?? own ?? containers[size] ?? surcharges[ContainerPrice.surcharge]
  }

  /// The book's, without a client's own.
  var ofBook: CallPrices { CallPrices(surcharges, containers: containers) }

  func overridden(by override: PriceOverride) -> CallPrices {
    var prices = self
    prices.own = override.prices.table[.call]
    prices.ownContainers = override.prices.containers
    return prices
  }
}

/// The names by which sessions of containers are priced. They stand among those of surcharges, and
/// no surcharge of a file has such a name.
public enum ContainerPrice {
  /// Of a container whose size isn't known: the highest.
  public static let ofUnknownSize = "container "

  /// Of a container with so much memory, by the provider's name for it: `16g`.
  public static func name(ofSize size: String) -> String { ofUnknownSize + size }

  /// The size in a name; nil for the name of a surcharge.
  static func size(in name: String) -> Substring? {
    name.hasPrefix(ofUnknownSize) ? name.dropFirst(ofUnknownSize.count) : nil
  }

  /// The surcharge by which files without prices of containers price any of them.
  public static let surcharge = "code_interpreter"
}
