internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Pricing
internal import Time

/// `/api/pricing-config`: clients' own prices, and the price book.
enum PricingCalls {
  private static let path = "/api/pricing-config"
  private static let selection = [
    QueryParameter.client, QueryParameter("provider", "the provider's name"),
    QueryParameter("model", "the model's name or an alias"),
  ]

  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, path, .viewer, "Shows a client's own prices, and the price book", query: selection,
        answers: .ok(schema), handler: show),
      APIRoute(
        .post, path, .admin, "Gives a client its own prices for a model, or replaces them",
        body: fields, answers: .createdOrReplaced(overrideSchema), handler: replace),
      APIRoute(
        .delete, path, .admin,
        "Removes a client's own prices for a model; the price book applies again",
        query: selection, answers: .removed, handler: remove),
    ]
  }

  private static let clientID = BodyField("client_id", .name)
  private static let provider = BodyField("provider", .name)
  private static let model = BodyField("model", .text)
  private static let currency = BodyField("currency", .currency)
  private static let fields =
    Fields(required: [clientID, provider, model], optional: [currency])
    + PriceFields.agreed.clearable

  private static let schema = JSONSchema.named(
    "PricingConfig",
    .object([
      "client_id": .anyText, "overrides": .list(of: overrideSchema),
      "price_book": .list(of: PriceBookJSON.schema),
    ]))

  private static let overrideSchema = JSONSchema.named(
    "PriceOverride",
    .object(
      [
        "client_id": .anyText, "provider": .anyText, "model": .anyText, "currency": .currency,
        "price_version": .anyText, "updated_at": .instant,
      ] + PriceFields.agreed.optional))

  private static func show(_ call: Call) throws(APIError) -> Answer {
    let client = try call.clientOfQuery()
    let provider = try call.query.text("provider")
    let name = try call.query.text("model")
    let models = call.server.prices.allModels.filter { model in
      (provider ?? model.provider) == model.provider && (name.map(model.isNamed) ?? true)
    }
    let overrides = try call.read { reader throws(LedgerError) in
      try reader.priceOverrides(ofClient: client.id)
    }.filter { override in
      (provider ?? override.provider) == override.provider
        && (name == nil || name == override.model
          || models.contains { ($0.provider, $0.name) == (override.provider, override.model) })
    }
    return Answer { body in
      body.object { body in
        body.member("client_id", client.id)
        body.member("overrides") { list in
          list.array { list in for override in overrides { write(override, to: &list) } }
        }
        body.member("price_book") { list in
          list.array { list in
            for model in models { PriceBookJSON(model: model, now: call.now).write(to: &list) }
          }
        }
      }
    }
  }

  private static func write(_ override: StoredPriceOverride, to writer: inout JSONWriter) {
    writer.object { object in
      object.member("client_id", override.clientID)
      object.member("provider", override.provider)
      object.member("model", override.model)
      object.member("currency", Currency.usd.code)
      object.members(of: override.prices)
      object.member("price_version", override.label)
      object.member("updated_at", override.createdAt.rfc3339)
    }
  }

  // MARK: Changing

  private static func replace(_ call: Call) async throws(APIError) -> Answer {
    let body = try call.body()
    let client = try call.client(try body.require(clientID))
    let provider = try body.require(provider)
    let name = try body.require(model)
    if let currency = try body.read(currency), currency != .usd {
      throw .invalidValue("currency", allowed: Currency.usd.code)
    }
    guard let model = call.server.prices.model(name, of: provider) else {
      throw .notFound("model \(name) of provider \(provider) in the price book")
    }
    let prices = try PriceFields(body).prices(for: model, at: call.now)
    let isNew = try await call.change { editor throws(LedgerError) in
      try editor.replacePrices(
        prices, ofModel: model.name, of: provider, forClient: client.id
      ).isNew
    }
    let override = try call.read { reader throws(LedgerError) in
      try reader.priceOverrides(ofClient: client.id)
    }.first { ($0.provider, $0.model) == (provider, model.name) }
    guard let override else {
      throw .notFound("price override of client \(client.id) for \(provider)/\(model.name)")
    }
    return Answer(status: isNew ? 201 : 200) { write(override, to: &$0) }
  }

  private static func remove(_ call: Call) async throws(APIError) -> Answer {
    let client = try call.clientOfQuery()
    guard let provider = try call.query.text("provider") else { throw .missingField("provider") }
    guard let name = try call.query.text("model") else { throw .missingField("model") }
    // The price book may no longer have the model.
    let model = call.server.prices.model(name, of: provider)?.name ?? name
    try await call.change { editor throws(LedgerError) in
      try editor.removePrices(ofModel: model, of: provider, forClient: client.id)
    }
    return .removed
  }
}

extension PricedModel {
  fileprivate func isNamed(_ name: String) -> Bool {
    self.name == name || declaration.aliases.contains(name)
  }
}
