internal import JSON
internal import Ledger
internal import Money
internal import Pricing
internal import Time

/// A model of the price book as the API shows it, at the prices in force.
struct PriceBookForm {
  let model: PricedModel
  let now: Timestamp

  private static let prices = PriceFields.fields.optional
  private static let steppedPrices =
    prices + (["above_input_tokens": .map(of: .object(prices))] as Fields).optional
  static let schema = Schema.named(
    "PricedModel",
    .object(
      [
        "provider": .anyText, "model": .anyText, "aliases": .list(of: .anyText),
        "operation": .anyText, "currency": .currency, "as_of": .date, "source": .anyText.orNull,
        "file": .anyText, "price_version": .anyText.orNull, "max_output_tokens": .count.orNull,
        "context_tokens": .count.orNull, "minimum_seconds": .count,
        "surcharges": .map(of: .object(["per_call": .anyText])),
      ] + (["tiers": .map(of: .object(steppedPrices))] as Fields).optional + steppedPrices))

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
      writePrices(to: &object)
    }
  }

  /// Nil before the model's first price.
  private var version: String? {
    let tariff = try? model.tariff(in: PricingContext(instant: now), inputTokens: 0)
    return tariff?.version
  }

  private func writePrices(to object: inout JSONWriter) {
    if let prices = model.declaredPrices(at: now) {
      write(prices.base, to: &object)
      object.member("tiers") { tiers in
        tiers.object { tiers in
          for (name, prices) in prices.tiers.sorted(by: { $0.key < $1.key }) {
            tiers.member(name) { tier in tier.object { write(prices, to: &$0) } }
          }
        }
      }
    }
    object.member("surcharges") { surcharges in
      surcharges.object { surcharges in
        for (name, price) in model.surcharges.sorted(by: { $0.key < $1.key }) {
          surcharges.member(name) { surcharge in
            surcharge.object { $0.member(PricedQuantity.call.priceKey, price.moneyText) }
          }
        }
      }
    }
  }

  private func write(_ prices: SteppedPrices, to object: inout JSONWriter) {
    object.members(of: prices.table)
    if prices.aboveInputTokens.isEmpty { return }
    object.member("above_input_tokens") { steps in
      steps.object { steps in
        for (tokens, table) in prices.aboveInputTokens.sorted(by: { $0.key < $1.key }) {
          steps.member("\(tokens)") { step in step.object { $0.members(of: table) } }
        }
      }
    }
  }
}
