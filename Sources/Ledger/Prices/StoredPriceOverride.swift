public import Pricing
public import Time

/// A client's own prices for a model, as `pricing_config` records them. An override is never
/// changed; a new one replaces it.
public struct StoredPriceOverride: Hashable, Sendable {
  public var clientID: String
  /// The number among the client's overrides, including replaced and removed ones, from 1.
  public var number: Int64
  public var provider: String
  /// The model's name in the price book.
  public var model: String
  public var prices: AgreedPrices
  public var createdAt: Timestamp

  public init(
    clientID: String, number: Int64, provider: String, model: String, prices: AgreedPrices,
    createdAt: Timestamp
  ) {
    self.clientID = clientID
    self.number = number
    self.provider = provider
    self.model = model
    self.prices = prices
    self.createdAt = createdAt
  }

  /// The override's name in price versions: `acme/1`.
  public var label: String { "\(clientID)/\(number)" }
}
