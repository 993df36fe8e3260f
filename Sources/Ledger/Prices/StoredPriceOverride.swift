public import Pricing
public import Time

/// A client's own prices for a model, as `pricing_config` records them; never changed, only
/// followed by others.
public struct StoredPriceOverride: Hashable, Sendable {
  public var clientID: String
  /// Counts the client's overrides, those that were replaced or removed included, from 1.
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

  /// What price versions call it: `acme/1`.
  public var label: String { "\(clientID)/\(number)" }
}
