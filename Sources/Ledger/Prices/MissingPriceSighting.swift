public import Pricing
public import Time

/// A client's requests that needed a missing price.
public struct MissingPriceSighting: Hashable, Sendable {
  /// The outcome for the requests.
  public enum Outcome: String, CaseIterable, Sendable {
    /// The requests were refused.
    case refused
    /// The requests, or a part of them, were charged nothing.
    case free
    /// The requests were charged another price, or their whole hold.
    case assumed
  }

  /// The missing price. Names that are too long are cut.
  public let price: MissingPrice
  /// The client; nil if it isn't known.
  public let clientID: String?
  public let outcome: Outcome
  public private(set) var requests: Int64
  public private(set) var firstSeen: Timestamp
  public private(set) var lastSeen: Timestamp

  private static let longestName = 128

  public init(
    _ price: MissingPrice, clientID: String?, outcome: Outcome, requests: Int64 = 1,
    firstSeen: Timestamp, lastSeen: Timestamp
  ) {
    self.price = MissingPriceSighting.cut(price)
    self.clientID = clientID
    self.outcome = outcome
    self.requests = requests
    self.firstSeen = firstSeen
    self.lastSeen = lastSeen
  }

  /// Creates a sighting of one request.
  public init(_ price: MissingPrice, clientID: String?, outcome: Outcome, at instant: Timestamp) {
    self.init(price, clientID: clientID, outcome: outcome, firstSeen: instant, lastSeen: instant)
  }

  private static func cut(_ price: MissingPrice) -> MissingPrice {
    let dimension = price.dimension
    let name = String(dimension.name.prefix(longestName))
    return MissingPrice(
      provider: price.provider, model: String(price.model.prefix(longestName)),
      dimension: PriceDimension(dimension.kind, name: name) ?? dimension)
  }

  /// Adds requests of the same client, outcome and price.
  mutating func add(_ other: MissingPriceSighting) {
    requests = requests.addingClamped(other.requests)
    firstSeen = min(firstSeen, other.firstSeen)
    lastSeen = max(lastSeen, other.lastSeen)
  }
}

/// Sightings that wait to be written: one entry for each price, client and outcome, whatever the
/// number of requests.
package struct MissingPriceTally: Sendable {
  private struct Key: Hashable {
    let price: MissingPrice
    let clientID: String?
    let outcome: MissingPriceSighting.Outcome
  }

  private var byKey: [Key: MissingPriceSighting] = [:]

  static let largestCount = 1_000

  var isEmpty: Bool { byKey.isEmpty }
  var sightings: some Collection<MissingPriceSighting> { byKey.values }

  /// Returns false if the tally is full.
  mutating func add(_ sighting: MissingPriceSighting) -> Bool {
    let key = Key(
      price: sighting.price, clientID: sighting.clientID, outcome: sighting.outcome)
    if byKey[key]?.add(sighting) != nil { return true }
    guard byKey.count < MissingPriceTally.largestCount else { return false }
    byKey[key] = sighting
    return true
  }

  /// Returns the number of sightings that didn't fit.
  mutating func add(_ later: MissingPriceTally) -> Int {
    if byKey.isEmpty {
      byKey = later.byKey
      return 0
    }
    return later.sightings.count { !add($0) }
  }
}

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
