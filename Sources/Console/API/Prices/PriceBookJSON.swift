internal import JSON
internal import Ledger
internal import Money
internal import Pricing
internal import Time

/// A model of the price book as the API shows it, at the prices in force.
struct PriceBookJSON {
  let model: PricedModel
  let now: Timestamp

  private static let prices = PriceFields.fields.optional
  private static let steppedPrices =
    prices + (["above_input_tokens": .map(of: .object(prices))] as Fields).optional
  static let schema = JSONSchema.named(
    "PricedModel",
    .object(
      [
        "provider": .anyText, "model": .anyText, "aliases": .list(of: .anyText),
        "operation": .anyText, "currency": .currency, "as_of": .date, "source": .anyText.orNull,
        "file": .anyText, "price_version": .anyText.orNull, "max_output_tokens": .count.orNull,
        "context_tokens": .count.orNull, "minimum_seconds": .count,
        "surcharges": .map(of: .object(["per_call": .anyText])),
        "containers": .map(of: .anyText),
        "price_factor": .anyText,
      ] + namedPrices.optional + steppedPrices))

  private static let namedPrices: Fields = [
    "tiers": .map(of: .object(steppedPrices)),
    "completion_windows": .map(of: .object(steppedPrices)),
  ]

  func write(to writer: inout JSONWriter) {
    let declaration = model.declaration
    writer.object { object in
      object.member("provider", model.provider)
      object.member("model", model.name)
      object.member("aliases", declaration.aliases)
      object.member("operation", declaration.operation.rawValue)
      object.member("currency", Currency.usd.code)
      object.member("as_of", "\(model.asOf)")
      object.member("source", model.source)
      object.member("file", model.file)
      object.member("price_version", version)
      object.member("max_output_tokens", optional: declaration.maxOutputTokens)
      object.member("context_tokens", optional: declaration.contextTokens)
      object.member("minimum_seconds", declaration.minimumSeconds)
      if let prices = model.declaredPrices(at: now) { object.members(of: prices) }
      object.member(surcharges: model.surcharges)
      object.member(containers: model.containers)
      object.member("price_factor", model.priceFactor.description)
    }
  }

  /// The version of the prices; nil before the model's first price.
  private var version: String? {
    let tariff = try? model.tariff(in: PricingContext(instant: now), inputTokens: 0)
    return tariff?.version
  }
}
