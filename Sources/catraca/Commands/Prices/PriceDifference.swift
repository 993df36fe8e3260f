internal import Money
internal import Pricing

/// A model that only one of two price books has, or a price that they don't share.
struct PriceDifference: Hashable {
  enum Change: String {
    case added, removed, changed
  }

  let provider: String
  /// `*` for the surcharges and containers of every model.
  let model: String
  let change: Change
  /// Which price of the model, such as `batch/above 272000/input`; nil for the model itself.
  var price: String?
  var before: String?
  var after: String?

  /// By provider, model and price.
  static func between(
    _ before: [ProviderPrices], _ after: [ProviderPrices]
  ) -> [PriceDifference] {
    let (old, new) = (models(of: before), models(of: after))
    return Set(old.keys).union(new.keys).sorted().flatMap { key -> [PriceDifference] in
      switch (old[key], new[key]) {
      case (let old?, let new?): changes(of: key, old, new)
      case (_?, nil): [PriceDifference(provider: key.provider, model: key.model, change: .removed)]
      default: [PriceDifference(provider: key.provider, model: key.model, change: .added)]
      }
    }
  }

  private struct Key: Hashable, Comparable {
    let provider: String
    let model: String

    static func < (left: Key, right: Key) -> Bool {
      (left.provider, left.model) < (right.provider, right.model)
    }
  }

  private static func changes(
    of key: Key, _ old: [String: String], _ new: [String: String]
  ) -> [PriceDifference] {
    Set(old.keys).union(new.keys).sorted().compactMap { price in
      if old[price] == new[price] { return nil }
      let change: Change = old[price] == nil ? .added : new[price] == nil ? .removed : .changed
      return PriceDifference(
        provider: key.provider, model: key.model, change: change, price: price,
        before: old[price], after: new[price])
    }
  }

  /// Every name that has prices, aliases included, so that it doesn't matter which of them is one.
  private static func models(of files: [ProviderPrices]) -> [Key: [String: String]] {
    var models: [Key: [String: String]] = [:]
    for file in files {
      var ofEveryModel = surcharges(file.surcharges)
      for (size, price) in file.containers {
        ofEveryModel["containers/\(size)"] = price.decimalText
      }
      if !ofEveryModel.isEmpty {
        models[Key(provider: file.provider, model: everyModel)] = ofEveryModel
      }
      for model in file.models {
        let prices = prices(of: model)
        for name in [model.name] + model.aliases {
          models[Key(provider: file.provider, model: name)] = prices
        }
      }
    }
    return models
  }

  /// The name under which the prices of a whole file are shown.
  private static let everyModel = "*"

  private static func surcharges(_ prices: [String: FixedDecimal]) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: prices.map { ("surcharges/\($0.key)", $0.value.decimalText) })
  }

  /// Every price of a model by its path.
  private static func prices(of model: ModelDeclaration) -> [String: String] {
    var prices = surcharges(model.surcharges)
    for dated in model.prices {
      let from = dated.from.map { "from \($0)/" } ?? ""
      add(dated.base, under: from, to: &prices)
      for (tier, stepped) in dated.tiers { add(stepped, under: "\(from)\(tier)/", to: &prices) }
      for (window, stepped) in dated.completionWindows {
        add(stepped, under: "\(from)window \(window)/", to: &prices)
      }
    }
    if !model.takesPriceFactor { prices["price_factor"] = "none" }
    if model.minimumSeconds > 0 { prices["minimum_seconds"] = "\(model.minimumSeconds)" }
    return prices
  }

  private static func add(
    _ stepped: SteppedPrices, under path: String, to prices: inout [String: String]
  ) {
    add(stepped.table, under: path, to: &prices)
    for (tokens, table) in stepped.aboveInputTokens {
      add(table, under: "\(path)above \(tokens)/", to: &prices)
    }
  }

  private static func add(
    _ table: PriceTable, under path: String, to prices: inout [String: String]
  ) {
    for quantity in PricedQuantity.allCases {
      if let price = table[quantity] { prices[path + quantity.priceKey] = price.decimalText }
    }
    for (variant, price) in table.images {
      let name = "\(PricedQuantity.image.priceKey)/\(variant.size)/\(variant.quality)"
      prices[path + name] = price.decimalText
    }
  }
}
