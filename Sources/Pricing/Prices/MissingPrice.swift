/// A part of a model's prices that the price book doesn't have.
public struct MissingPrice: Hashable, Sendable {
  public let provider: String
  /// As the request or the answer named it.
  public let model: String
  public let dimension: PriceDimension

  public init(provider: String, model: String, dimension: PriceDimension) {
    self.provider = provider
    self.model = model
    self.dimension = dimension
  }
}

/// What a price of its own is for.
public enum PriceDimension: Hashable, Sendable {
  /// The whole model.
  case model
  /// A quantity of usage, such as cached input.
  case quantity(PricedQuantity)
  /// A service tier, by the provider's name for it.
  case tier(String)
  /// A completion window of a response in the background, by the provider's name for it.
  case completionWindow(String)
  /// A call that is billed outside tokens, by the name of its price: `web_search`. A session of a
  /// container has a name of `ContainerPrice`.
  case call(String)

  /// What kind of price it is, as ledger, metrics and lists name it.
  public enum Kind: String, CaseIterable, Sendable {
    case model, quantity, tier, window, call, container
  }

  public var kind: Kind {
    switch self {
    case .model: .model
    case .quantity: .quantity
    case .tier: .tier
    case .completionWindow: .window
    case .call(let name): ContainerPrice.size(in: name) == nil ? .call : .container
    }
  }

  /// Which one of its kind, such as `cached_input` or `4g`. Empty for a whole model, and for a
  /// container of unknown size.
  public var name: String {
    switch self {
    case .model: ""
    case .quantity(let quantity): quantity.priceKey
    case .tier(let name), .completionWindow(let name): name
    case .call(let name): ContainerPrice.size(in: name).map(String.init) ?? name
    }
  }

  /// Nil unless there is such a quantity.
  public init?(_ kind: Kind, name: String) {
    switch kind {
    case .model: self = .model
    case .quantity:
      guard let quantity = PricedQuantity.all.first(where: { $0.priceKey == name }) else {
        return nil
      }
      self = .quantity(quantity)
    case .tier: self = .tier(name)
    case .window: self = .completionWindow(name)
    case .call: self = .call(name)
    case .container: self = .call(ContainerPrice.name(ofSize: name))
    }
  }
}

extension PriceDimension: CustomStringConvertible {
  /// `model`, `cached_input`, `service tier flex`, `completion window 2h`, `web_search`,
  /// `container 4g`.
  public var description: String {
    switch kind {
    case .model: "model"
    case .quantity, .call: name
    case .tier: "service tier \(name)"
    case .window: "completion window \(name)"
    case .container: name.isEmpty ? "container" : "container \(name)"
    }
  }
}
