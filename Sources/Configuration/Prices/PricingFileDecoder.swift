internal import Money
internal import Pricing
internal import Time

/// Reads one provider's pricing file.
struct PricingFileDecoder {
  private let context: DecodingContext
  /// The file's path as the configuration names it, for example `pricing/openai.yaml`.
  private let file: String
  /// The providers of the configuration; nil if there is none.
  private let providers: [String]?
  private let tables = PriceTableDecoder()
  private static let priceKeys =
    "per_million_tokens, per_minute, per_second, per_million_characters, per_image, per_call, "
    + "or a list of prices"
  /// The line of the first declaration of each model or alias.
  private var linesByModel: [String: UInt32] = [:]

  /// Returns nil if the file's head is wrong.
  static func decode(
    _ root: YAMLNode, file: String, providers: [String]?, context: DecodingContext
  ) -> ProviderPrices? {
    var decoder = PricingFileDecoder(context: context, file: file, providers: providers)
    return Section.read(root, file, context) { decoder.decodeFile(&$0) }
  }

  private init(context: DecodingContext, file: String, providers: [String]?) {
    self.context = context
    self.file = file
    self.providers = providers
  }

  private mutating func decodeFile(_ section: inout Section) -> ProviderPrices? {
    let provider = section.required("provider", .name)
    if let provider, let providers, !providers.contains(provider),
      let node = section.node("provider")
    {
      context.warning(
        node.mark,
        "provider: \(quoted(provider)) is not among the providers of catraca.yaml: "
          + providers.joined(separator: ", "))
    }
    let currency = section.optional("currency", .currency) ?? .usd
    if currency != .usd {
      section.mistake(at: "currency", "currency: prices in \(currency.code); allowed: USD")
    }
    let source = section.optional("source", .text(atMost: 2048))
    let asOf = section.required("as_of", .date)
    let surcharges = tables.decodeSurcharges(from: &section)
    let containers = tables.decodeContainers(from: &section)
    var models: [ModelDeclaration] = []
    for entry in section.entries("models") {
      guard let model = decodeModel(entry) else { continue }
      models.append(model)
    }
    limitPriceFactor(of: &models, from: &section)
    guard let provider, let asOf else { return nil }
    return ProviderPrices(
      provider: provider, currency: currency, source: source ?? "", asOf: asOf, file: file,
      surcharges: surcharges, containers: containers, models: models)
  }

  private mutating func decodeModel(_ entry: YAMLEntry) -> ModelDeclaration? {
    guard isModelName(entry.key) else {
      context.mistake(
        entry.keyMark,
        "\(quoted(entry.key)) is not a model's name; allowed: visible ASCII characters")
      return nil
    }
    claim(entry.key, at: entry.keyMark)
    return Section.read(entry.value, entry.key, context) { section in
      let aliases = decodeAliases(from: &section)
      let operation = section.optional("operation", ValueFormat<Operation>.choice) ?? .chat
      let tokens = ValueFormat<Int64>.integer(1...Usage.largestCount)
      let maxOutput = section.optional("max_output_tokens", tokens)
      let contextTokens = section.optional("context_tokens", tokens)
      let minimum = section.optional("minimum_seconds", ValueFormat<Int64>.integer(0...3600))
      let surcharges = tables.decodeSurcharges(from: &section)
      let prices = decodePrices(from: &section, of: entry)
      return ModelDeclaration(
        name: entry.key, aliases: aliases, operation: operation, maxOutputTokens: maxOutput,
        contextTokens: contextTokens, minimumSeconds: minimum ?? 0, surcharges: surcharges,
        prices: prices)
    }
  }

  /// Reads `price_factor_models: [gpt-5.4, gpt-5.5]`. Without it, the provider's factor applies to
  /// every model.
  private func limitPriceFactor(
    of models: inout [ModelDeclaration], from section: inout Section
  ) {
    let key = "price_factor_models"
    let items = section.items(key)
    guard section.has(key) else { return }
    for index in models.indices { models[index].takesPriceFactor = false }
    for item in items {
      guard let name = ValueFormat<String>.text().read(item, key, context) else { continue }
      guard let index = models.firstIndex(where: { $0.name == name }) else {
        let suggestion = likelyMeant(by: name, among: models.map(\.name))
        let answer = suggestion.map { "did you mean \(quoted($0))?" }
        context.mistake(
          item.mark,
          "\(key): this file has no model \(quoted(name)); "
            + (answer ?? "allowed: names of its models, not their aliases"))
        continue
      }
      models[index].takesPriceFactor = true
    }
  }

  private mutating func decodeAliases(from section: inout Section) -> [String] {
    let format = ValueFormat<String>.text()
    return section.items("aliases").compactMap { node in
      guard let alias = format.read(node, "aliases", context) else { return nil }
      claim(alias, at: node.mark)
      return alias
    }
  }

  /// Reads the prices beside the model's other keys, or its history under `prices`.
  private func decodePrices(from section: inout Section, of entry: YAMLEntry) -> [DatedPrices] {
    let mistakesBefore = context.diagnostics.mistakeCount
    let base = tables.decodeStepped(from: &section)
    let tiers = tables.decodeTiers(from: &section)
    let windows = tables.decodeWindows(from: &section)
    let hasOwnPrices =
      base != SteppedPrices(PriceTable()) || !tiers.isEmpty || !windows.isEmpty
    let history = section.items("prices")
    if history.isEmpty {
      if base.table.isEmpty, context.diagnostics.mistakeCount == mistakesBefore {
        context.mistake(entry.keyMark, "\(entry.key) has no price; allowed: \(Self.priceKeys)")
      }
      return [DatedPrices(base: base, tiers: tiers, completionWindows: windows)]
    }
    if hasOwnPrices {
      section.mistake(
        at: "prices", "prices and prices next to it; allowed: one of them")
    }
    return decodeHistory(history)
  }

  private func decodeHistory(_ nodes: [YAMLNode]) -> [DatedPrices] {
    var history: [DatedPrices] = []
    var previous: CivilDate?
    for (index, node) in nodes.enumerated() {
      let prices = Section.read(node, "prices", context) { section -> DatedPrices? in
        let mistakesBefore = context.diagnostics.mistakeCount
        let from =
          index == 0 ? section.optional("from", .date) : section.required("from", .date)
        let base = tables.decodeStepped(from: &section)
        let tiers = tables.decodeTiers(from: &section)
        let windows = tables.decodeWindows(from: &section)
        if base.table.isEmpty, context.diagnostics.mistakeCount == mistakesBefore {
          context.mistake(node.mark, "prices without a price; allowed: \(Self.priceKeys)")
        }
        if let from, let previous, from <= previous {
          section.mistake(
            at: "from", "from: \(from) is not later than \(previous); allowed: oldest first")
        }
        previous = from ?? previous
        return DatedPrices(
          from: from, base: base, tiers: tiers, completionWindows: windows)
      }
      if let prices { history.append(prices) }
    }
    return history
  }

  /// Reports a name that another model or alias of this provider already has.
  private mutating func claim(_ name: String, at mark: YAMLMark) {
    if let line = linesByModel[name] {
      context.mistake(
        mark,
        "\(quoted(name)) is declared already in line \(line + 1); allowed: each name once")
    } else {
      linesByModel[name] = mark.line
    }
  }

  private func isModelName(_ text: String) -> Bool {
    (1...256).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
