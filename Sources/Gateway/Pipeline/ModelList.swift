internal import Configuration
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Money
internal import Objects
internal import Pricing
internal import Time

/// The models that a key may ask for, which Catraca lists in OpenAI's form without asking a
/// provider.
///
/// The list has what a request could name with success: models with a price in force, by their
/// names and by their aliases.
struct ModelList {
  let rules: RulesSnapshot
  let identity: Identity
  /// The provider that the path names; nil lists the models of all.
  let provider: String?
  let now: Timestamp

  /// A model by one of its names.
  struct Entry {
    let name: String
    let model: PricedModel
    /// As the client is charged them.
    let prices: DatedPrices
    let surcharges: [String: FixedDecimal]
    let containers: [String: FixedDecimal]
  }

  private var markup: Markup { rules.clients.markup(of: identity.client) }

  /// In the order of the pricing files, each model before its aliases.
  ///
  /// The name of a fine-tuned model's base, `ft:BASE`, is left out: requests name a model made from
  /// it, `ft:BASE:ORGANIZATION::ID`.
  var entries: [Entry] {
    rules.prices.allModels.flatMap { model in
      ([model.name] + model.declaration.aliases).compactMap { name in
        let entry = name.hasPrefix("ft:") ? nil : entry(named: name)
        // Another provider serves requests that name it without a provider.
        return entry?.model.provider == model.provider ? entry : nil
      }
    }
  }

  /// The model that a request of that name would get; nil where it would be refused.
  func entry(named name: String) -> Entry? {
    guard let model = rules.model(name, of: provider, for: identity.client.id),
      rules.provider(model.provider, for: identity.client.id) != nil,
      identity.mayAsk(for: model, named: name),
      let prices = model.chargedPrices(at: now, with: markup)
    else { return nil }
    return Entry(
      name: name, model: model, prices: prices,
      surcharges: model.chargedSurcharges(with: markup),
      containers: model.chargedContainers(with: markup))
  }

  /// `{"object":"list","data":[…]}`
  func write(to writer: inout JSONWriter) {
    writer.object { list in
      list.member("object", "list")
      list.member("data") { data in
        data.array { array in for entry in entries { entry.write(to: &array) } }
      }
    }
  }
}

extension ModelList.Entry {
  /// OpenAI's members, and `catraca` with what a request costs.
  func write(to writer: inout JSONWriter) {
    writer.object { object in
      object.member("id", name)
      object.member("object", "model")
      object.member("created", created)
      object.member("owned_by", model.provider)
      object.member("catraca") { $0.object { writeTerms(to: &$0) } }
    }
  }

  /// Seconds since 1970. When a provider made a model isn't known here, so this is the day when its
  /// price was read: the same at every replica and after every restart.
  private var created: Int64 {
    TimeZoneRules.utc.startOfDay(model.asOf).milliseconds / 1000
  }

  private func writeTerms(to object: inout JSONWriter) {
    let declaration = model.declaration
    object.member("provider", model.provider)
    object.member("model", model.name)
    object.member("operation", declaration.operation.rawValue)
    object.member("currency", Currency.usd.code)
    object.member("context_tokens", optional: declaration.contextTokens)
    object.member("max_output_tokens", optional: declaration.maxOutputTokens)
    object.member("minimum_seconds", declaration.minimumSeconds)
    object.members(of: prices)
    object.member(surcharges: surcharges)
    object.member(containers: containers)
  }
}

extension RequestPipeline {
  /// Answers a question for all models, or for one. It counts against the key's requests a minute.
  @inline(never)
  func serveModels(
    named name: String?, _ identity: Identity, of provider: String?
  ) async throws(Refusal) {
    try limitRate(identity, isFree: true)
    let list = ModelList(rules: rules, identity: identity, provider: provider, now: startedAt)
    var writer = JSONWriter()
    if let name {
      guard let entry = list.entry(named: name) else {
        throw .unknownModel(RequestPipeline.shortened(name))
      }
      try await checkOwner(of: entry, for: identity)
      entry.write(to: &writer)
    } else {
      list.write(to: &writer)
    }
    noteUnmetered(exchange.head.path, of: identity, provider: nil, status: 200)
    await answer(
      RefusalAnswer.httpAnswer(
        status: 200, fields: [], body: writer.bytes, requestID: "\(id)"))
  }
  /// A model that was tuned for another client doesn't exist for this one, as in requests.
  private func checkOwner(
    of entry: ModelList.Entry, for identity: Identity
  ) async throws(Refusal) {
    guard let kind = ObjectKind(ofID: entry.name),
      let provider = rules.provider(entry.model.provider, for: identity.client.id)
    else { return }
    try await gateway.owners.check(
      [ObjectReference(kind, entry.name, at: "model")], of: provider, for: identity, on: self)
  }
}
