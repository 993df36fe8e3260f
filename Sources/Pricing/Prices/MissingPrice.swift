/// A price that the price book lacks for a model.
public struct MissingPrice: Hashable, Sendable {
  public let provider: String
  /// The model's name in the request or the answer.
  public let model: String
  public let dimension: PriceDimension

  public init(provider: String, model: String, dimension: PriceDimension) {
    self.provider = provider
    self.model = model
    self.dimension = dimension
  }
}

/// The object of a single price.
public enum PriceDimension: Hashable, Sendable {
  /// The whole model.
  case model
  /// A quantity of usage, for example cached input.
  case quantity(PricedQuantity)
  /// A service tier, by the provider's name for it.
  case tier(String)
  /// A completion window of a background response, by the provider's name for it.
  case completionWindow(String)
  /// A call that is billed separately from tokens, by the name of its price: `web_search`. A
  /// container session has a name from `ContainerPrice`.
  case call(String)

  /// The kind of price in ledger, metrics and lists.
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

  /// The name within the kind: `cached_input`, `4g`. Empty for a whole model, and for a container
  /// of unknown size.
  public var name: String {
    switch self {
    case .model: ""
    case .quantity(let quantity): quantity.priceKey
    case .tier(let name), .completionWindow(let name): name
    case .call(let name): ContainerPrice.size(in: name).map(String.init) ?? name
    }
  }

  /// Returns nil if no quantity has this name.
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
  /// The dimension as text: `model`, `cached_input`, `service tier flex`, `completion window 2h`,
  /// `web_search`, `container 4g`.
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
