internal import Money
internal import Pricing
internal import Time

/// One provider's prices from LiteLLM's table as a pricing file, and the entries that don't fit in
/// one.
struct LiteLLMPrices {
  private(set) var models: [ModelDeclaration] = []
  /// Of calls, for every model.
  private(set) var surcharges: [String: FixedDecimal] = [:]
  /// Of sessions of containers, by their memory.
  private(set) var containers: [String: FixedDecimal] = [:]
  /// The entries left out, each with its reason: `sora-2: nothing is metered in mode
  /// video_generation`.
  private(set) var omissions: [String] = []

  private let provider: String

  init(of provider: String, in table: LiteLLMTable) {
    self.provider = provider
    var pictures: [(model: String, entry: LiteLLMTable.Entry)] = []
    for entry in table.entries where LiteLLMPrices.providers(of: entry).contains(provider) {
      let parts = modelName(of: entry).split(separator: "/")
      if entry.text("mode") == "image_generation", parts.count > 1, let model = parts.last {
        pictures.append((String(model), entry))
      } else {
        add(entry)
      }
    }
    for picture in pictures { add(picture.entry, asPictureOf: picture.model) }
    models.sort { $0.name < $1.name }
  }

  /// The names that a configuration may have for the provider of an entry.
  static func providers(of entry: LiteLLMTable.Entry) -> [String] {
    let prefix = "text-completion-"
    guard entry.provider.hasPrefix(prefix) else { return [entry.provider] }
    return [entry.provider, String(entry.provider.dropFirst(prefix.count))]
  }

  private func modelName(of entry: LiteLLMTable.Entry) -> String {
    let prefix = provider + "/"
    return entry.name.hasPrefix(prefix)
      ? String(entry.name.dropFirst(prefix.count)) : entry.name
  }

  private mutating func leaveOut(_ entry: LiteLLMTable.Entry, _ reason: String) {
    omissions.append("\(entry.name): \(reason)")
  }

  // MARK: A model

  private static let operations: [String: Operation] = [
    "chat": .chat, "responses": .responses, "completion": .completion, "embedding": .embedding,
    "audio_transcription": .transcription, "audio_speech": .speech, "image_generation": .image,
    "image_edit": .image, "moderation": .moderation, "realtime": .realtime,
  ]

  private mutating func add(_ entry: LiteLLMTable.Entry) {
    if let session = entry.field("code_interpreter_cost_per_session") {
      return addContainers(session.json)
    }
    let mode = entry.text("mode")
    guard let operation = mode.flatMap({ LiteLLMPrices.operations[$0] }) else {
      return leaveOut(entry, "nothing is metered in mode \(mode ?? "none")")
    }
    let name = modelName(of: entry)
    guard !models.contains(where: { $0.name == name }) else {
      return leaveOut(entry, "another entry is of \(name) already")
    }
    guard let prices = prices(of: entry) else {
      return leaveOut(entry, "it has no price that a pricing file can state")
    }
    var model = ModelDeclaration(name: name, operation: operation, prices: [prices])
    model.maxOutputTokens = entry.integer("max_output_tokens").flatMap { $0 > 0 ? $0 : nil }
    model.contextTokens = entry.integer("max_input_tokens").flatMap { $0 > 0 ? $0 : nil }
    model.takesPriceFactor = entry.fields.contains { LiteLLMField.isRegionalFactor($0.name) }
    if let search = searchPrice(of: entry) { model.surcharges["web_search"] = search }
    models.append(model)
  }

  /// The table has the price of the smallest container; the others cost more as they have more
  /// memory.
  private mutating func addContainers(_ json: String) {
    guard let price = FixedDecimal(json: json, shiftedBy: 0) else { return }
    for size: Int64 in [1, 4, 16, 64] {
      let (scaled, overflows) = price.scaled.multipliedReportingOverflow(by: size)
      if !overflows { containers["\(size)g"] = FixedDecimal(scaled: scaled) }
    }
  }

  /// The dearest size of a search, which a request doesn't have to name.
  private func searchPrice(of entry: LiteLLMTable.Entry) -> FixedDecimal? {
    entry.field("search_context_cost_per_query")?.members
      .compactMap { FixedDecimal(json: $0.json, shiftedBy: 0) }.max()
  }

  /// Nil where nothing of an entry is a price of ours.
  private mutating func prices(of entry: LiteLLMTable.Entry) -> DatedPrices? {
    var prices = DatedPrices(base: SteppedPrices(PriceTable()))
    let isPricedByToken = entry.field("input_cost_per_token") != nil
    for field in entry.fields where LiteLLMField.isPrice(field.name) {
      if field.name == "search_context_cost_per_query" || field.json == "null" { continue }
      if LiteLLMField.isRegionalFactor(field.name) { continue }
      guard let meaning = LiteLLMField(field.name) else {
        if FixedDecimal(json: field.json, shiftedBy: 0) != .zero {
          leaveOut(entry, "\(field.name) has no place in a pricing file")
        }
        continue
      }
      if isPricedByToken, meaning.quantity.unit != .token {
        leaveOut(entry, "\(field.name) is an estimate of what its tokens cost")
        continue
      }
      guard let price = price(field, by: meaning, of: entry) else { continue }
      prices.raise(meaning, to: price)
    }
    return prices.base.table.isEmpty ? nil : prices
  }

  private mutating func price(
    _ field: LiteLLMTable.Field, by meaning: LiteLLMField, of entry: LiteLLMTable.Entry
  ) -> FixedDecimal? {
    if let exact = FixedDecimal(json: field.json, shiftedBy: meaning.shift) { return exact }
    guard let above = FixedDecimal(roundingUp: field.json, shiftedBy: meaning.shift) else {
      leaveOut(entry, "\(field.name) is \(field.json), which is no price")
      return nil
    }
    leaveOut(
      entry,
      "\(field.name) is \(field.json), more decimals than a price has; \(above.decimalText) "
        + "stands for it")
    return above
  }

  // MARK: Pictures

  /// An entry for one kind of picture: `hd/1024-x-1024/dall-e-3`, or without its quality.
  private mutating func add(_ entry: LiteLLMTable.Entry, asPictureOf name: String) {
    let parts = modelName(of: entry).split(separator: "/").dropLast()
    guard let size = parts.last, parts.count <= 2,
      let field = entry.field("input_cost_per_image") ?? entry.field("output_cost_per_image"),
      let price = FixedDecimal(json: field.json, shiftedBy: 0)
    else { return leaveOut(entry, "it has no price of a picture") }
    let variant = ImageVariant(
      size: size.split(separator: "-").joined(),
      quality: parts.count == 2 ? String(parts[parts.startIndex]) : "standard")
    guard let index = models.firstIndex(where: { $0.name == name }) else {
      let table = PriceTable(images: [variant: price])
      models.append(
        ModelDeclaration(
          name: name, operation: .image, prices: [DatedPrices(base: SteppedPrices(table))]))
      return
    }
    guard models[index].prices[0].base.table.images.isEmpty else {
      models[index].prices[0].base.table.images[variant] = price
      return
    }
    leaveOut(entry, "it is an estimate of what the tokens of \(name) cost")
  }
}

extension DatedPrices {
  /// Sets a price where it is the first of its quantity, or higher than the one there.
  fileprivate mutating func raise(_ field: LiteLLMField, to price: FixedDecimal) {
    guard let tier = field.tier else { return base.raise(field, to: price) }
    tiers[tier, default: SteppedPrices(PriceTable())].raise(field, to: price)
  }
}

extension SteppedPrices {
  fileprivate mutating func raise(_ field: LiteLLMField, to price: FixedDecimal) {
    guard let step = field.aboveInputTokens else {
      return table.raise(field.quantity, to: price)
    }
    aboveInputTokens[step, default: PriceTable()].raise(field.quantity, to: price)
  }
}

extension PriceTable {
  fileprivate mutating func raise(_ quantity: PricedQuantity, to price: FixedDecimal) {
    self[quantity] = max(self[quantity] ?? .zero, price)
  }
}
