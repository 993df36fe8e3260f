internal import Money

/// The prices of calls that are billed separately from tokens, by the names of their surcharges.
struct CallPrices: Sendable {
  private let surcharges: [String: FixedDecimal]
  /// The prices of sessions, by the memory of their containers.
  private let containers: [String: FixedDecimal]
  /// The client's own price of every call; nil if it has none.
  private var own: FixedDecimal?
  /// The client's own prices of sessions, by the memory of their containers.
  private var ownContainers: [String: FixedDecimal] = [:]

  init(_ surcharges: [String: FixedDecimal], containers: [String: FixedDecimal] = [:]) {
    self.surcharges = surcharges
    self.containers = containers
  }

  /// The price of calls of unknown kind: the highest; nil if no kind has a price.
  var highest: FixedDecimal? { own ?? surcharges.values.max() }

  /// Returns the highest of the named prices; nil if none has a price.
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

  /// The book's prices, without the client's own.
  var ofBook: CallPrices { CallPrices(surcharges, containers: containers) }

  func overridden(by override: PriceOverride) -> CallPrices {
    var prices = self
    prices.own = override.prices.table[.call]
    prices.ownContainers = override.prices.containers
    return prices
  }
}

/// The names of the prices of container sessions. They are used among the names of surcharges, and
/// no surcharge in a file can have such a name.
public enum ContainerPrice {
  /// The name for a container of unknown size, which has the highest price.
  public static let ofUnknownSize = "container "

  /// Returns the name for a container with the given memory, in the provider's spelling: `16g`.
  public static func name(ofSize size: String) -> String { ofUnknownSize + size }

  /// Returns the size in a name; nil for the name of a surcharge.
  static func size(in name: String) -> Substring? {
    name.hasPrefix(ofUnknownSize) ? name.dropFirst(ofUnknownSize.count) : nil
  }

  /// The surcharge that prices every container in files without container prices.
  public static let surcharge = "code_interpreter"
}
