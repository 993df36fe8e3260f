public import Pricing
public import Time

/// A missing price, with all requests that needed it.
public struct NeededPrice: Hashable, Sendable {
  public let price: MissingPrice
  public private(set) var refused: Int64 = 0
  public private(set) var free: Int64 = 0
  public private(set) var assumed: Int64 = 0
  public private(set) var firstSeen: Timestamp
  public private(set) var lastSeen: Timestamp
  /// The requests' clients without duplicates, the most recent first.
  public private(set) var clients: [String] = []

  public var requests: Int64 { refused.addingClamped(free).addingClamped(assumed) }

  private init(_ sighting: MissingPriceSighting) {
    price = sighting.price
    firstSeen = sighting.firstSeen
    lastSeen = sighting.lastSeen
  }

  /// Groups the sightings by price, in the order in which the prices first occur.
  ///
  /// - Parameters:
  ///   - sightings: The sightings, the most recent first, as `LedgerReader.missingPrices` returns
  ///     them.
  ///   - instant: The time at which prices are checked. A price that exists by then is left out.
  ///   - find: Returns a provider's model at a client's prices.
  public static func all(
    _ sightings: [MissingPriceSighting], stillMissingAt instant: Timestamp,
    _ find: (_ model: String, _ provider: String, _ client: String) -> PricedModel?
  ) -> [NeededPrice] {
    var places: [MissingPrice: Int] = [:]
    var prices: [NeededPrice] = []
    for sighting in sightings {
      let price = sighting.price
      let model = find(price.model, price.provider, sighting.clientID ?? "")
      if model?.hasPrice(of: price.dimension, at: instant) ?? false { continue }
      let place = places[price] ?? prices.count
      if place == prices.count {
        places[price] = place
        prices.append(NeededPrice(sighting))
      }
      prices[place].add(sighting)
    }
    return prices
  }

  private mutating func add(_ sighting: MissingPriceSighting) {
    switch sighting.outcome {
    case .refused: refused = refused.addingClamped(sighting.requests)
    case .free: free = free.addingClamped(sighting.requests)
    case .assumed: assumed = assumed.addingClamped(sighting.requests)
    }
    firstSeen = min(firstSeen, sighting.firstSeen)
    lastSeen = max(lastSeen, sighting.lastSeen)
    if let client = sighting.clientID, !clients.contains(client) { clients.append(client) }
  }
}
