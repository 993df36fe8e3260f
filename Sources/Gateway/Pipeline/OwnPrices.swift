internal import Ledger
internal import Pricing

/// The models for which clients have prices of their own, each worked out once.
struct OwnPrices: Sendable {
  private struct Key: Hashable {
    let client: String
    let provider: String
    let model: String
  }

  private let models: [Key: PricedModel]

  /// Leaves out what the book doesn't have: such a model is refused, whatever its price was.
  init(_ overrides: [StoredPriceOverride], over book: PriceBook) throws(PricingError) {
    var models: [Key: PricedModel] = [:]
    for stored in overrides {
      guard let model = book.model(stored.model, of: stored.provider) else { continue }
      let key = Key(client: stored.clientID, provider: stored.provider, model: model.name)
      models[key] = model.overridden(
        by: try PriceOverride(label: stored.label, prices: stored.prices))
    }
    self.models = models
  }

  /// The model at the client's own prices, where it has any.
  func model(_ model: PricedModel, of client: String) -> PricedModel {
    if models.isEmpty { return model }
    return models[Key(client: client, provider: model.provider, model: model.name)] ?? model
  }
}
