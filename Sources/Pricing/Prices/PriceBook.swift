public import Money
public import Time

/// An immutable snapshot of every price in force: the contents of the pricing files, by name.
public struct PriceBook: Sendable {
  /// The providers in the order of their files.
  public let providers: [String]
  public let rates: ExchangeRates
  private let models: [String: [String: PricedModel]]
  private let modelsInOrder: [PricedModel]

  /// Creates the book.
  /// - Throws: `PricingError`, if the files contradict themselves or each other.
  public init(providers files: [ProviderPrices], rates: ExchangeRates) throws(PricingError) {
    var models: [String: [String: PricedModel]] = [:]
    var modelsInOrder: [PricedModel] = []
    for file in files {
      guard models[file.provider] == nil else { throw .duplicateProvider(file.provider) }
      guard file.currency == .usd else {
        throw .unsupportedCurrency(provider: file.provider, currency: file.currency)
      }
      for name in [file.provider, file.file] { try checkName(name) }
      var named: [String: PricedModel] = [:]
      for declaration in file.models {
        let model = try PricedModel(declaration, of: file, rates: rates)
        for name in [declaration.name] + declaration.aliases {
          try checkName(name)
          guard named.updateValue(model, forKey: name) == nil else {
            throw .duplicateName(provider: file.provider, name: name)
          }
        }
        modelsInOrder.append(model)
      }
      models[file.provider] = named
    }
    providers = files.map(\.provider)
    self.rates = rates
    self.models = models
    self.modelsInOrder = modelsInOrder
  }

  /// Returns a provider's model by its name or an alias; nil if the book doesn't have it.
  ///
  /// A fine-tuned model has the price of its base, which the book has as `ft:BASE`.
  public func model(_ name: String, of provider: String) -> PricedModel? {
    guard let named = models[provider] else { return nil }
    return named[name] ?? PriceBook.fineTunedBase(of: name).flatMap { named[$0] }
  }

  /// Returns the name to use for a model where the number of names must stay small: its own if the
  /// book has it, or `ft:BASE` for a fine-tuned one. Nil if the book doesn't have it.
  public func knownName(_ name: String, of provider: String) -> String? {
    guard let named = models[provider] else { return nil }
    if named[name] != nil { return name }
    return PriceBook.fineTunedBase(of: name).flatMap { named[$0] == nil ? nil : $0 }
  }

  /// Example: `ft:gpt-4o-2024-08-06` for `ft:gpt-4o-2024-08-06:org:name:id`; nil for any other
  /// name.
  private static func fineTunedBase(of name: String) -> String? {
    let prefix = "ft:"
    guard name.hasPrefix(prefix), let end = name.dropFirst(prefix.count).firstIndex(of: ":") else {
      return nil
    }
    return String(name[..<end])
  }

  /// Returns the first model of that name, in the order of the files.
  public func model(_ name: String) -> PricedModel? {
    for provider in providers {
      if let model = model(name, of: provider) { return model }
    }
    return nil
  }

  /// All models, in the order of the files.
  public var allModels: [PricedModel] { modelsInOrder }
}

/// The origin of a tariff's prices.
public struct PriceOrigin: Hashable, Sendable {
  /// The pricing file as the configuration names it.
  public var file: String
  public var asOf: CivilDate
  public var provider: String
  public var model: String
  /// The service tier; nil for the base tier, and for a tier that the book doesn't know.
  public var tier: String?
  /// The completion window of a background response; nil if none applies.
  public var completionWindow: String?
  /// Whether the answer named a tier without a price, so that the highest price of all tiers
  /// applies.
  public var isTierAssumed = false
  /// The length step in force: the request has more input tokens than this; nil for none.
  public var aboveInputTokens: Int64?
  /// The factor on the file's token prices.
  public var priceFactor = PriceFactor.one
  /// The version of the client's own prices; nil if none apply.
  public var overrideLabel: String?
}
