public import Money

/// Every price in force, as an immutable snapshot: what the pricing files say, looked up by name.
public struct PriceBook: Sendable {
  /// The providers in the order of their files.
  public let providers: [String]
  public let rates: ExchangeRates
  private let models: [String: [String: PricedModel]]
  private let modelsInOrder: [PricedModel]

  /// Throws where the files contradict themselves or each other.
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

  /// A model of a provider, by its name or an alias; nil where the book doesn't have it.
  ///
  /// A fine-tuned model has the price of its base, which the book has as `ft:BASE`.
  public func model(_ name: String, of provider: String) -> PricedModel? {
    guard let named = models[provider] else { return nil }
    return named[name] ?? PriceBook.fineTunedBase(of: name).flatMap { named[$0] }
  }

  /// The name that stands for a model where names must be few: its own if the book has it,
  /// `ft:BASE` of a fine-tuned one; nil where the book doesn't have it.
  public func knownName(_ name: String, of provider: String) -> String? {
    guard let named = models[provider] else { return nil }
    if named[name] != nil { return name }
    return PriceBook.fineTunedBase(of: name).flatMap { named[$0] == nil ? nil : $0 }
  }

  /// `ft:gpt-4o-2024-08-06` of `ft:gpt-4o-2024-08-06:org:name:id`; nil for any other name.
  private static func fineTunedBase(of name: String) -> String? {
    let prefix = "ft:"
    guard name.hasPrefix(prefix), let end = name.dropFirst(prefix.count).firstIndex(of: ":") else {
      return nil
    }
    return String(name[..<end])
  }

  /// The model of the first provider, in the order of the files, that has one of that name.
  public func model(_ name: String) -> PricedModel? {
    for provider in providers {
      if let model = model(name, of: provider) { return model }
    }
    return nil
  }

  /// Every model, in the order of the files.
  public var allModels: [PricedModel] { modelsInOrder }
}
