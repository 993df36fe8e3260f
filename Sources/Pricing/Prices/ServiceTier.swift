/// A service tier, independent of the provider's name for it.
enum ServiceTier: Hashable {
  /// The model's own prices.
  case base
  /// A tier with its own prices, by its name in the pricing file.
  case named(String)

  /// Reads a name of the base tier, `fast` for `priority`, or a tier's own name.
  init(_ name: String?) {
    switch name {
    case nil, "default", "auto", "on_demand", "standard": self = .base
    case "fast": self = .priority
    case let name?: self = .named(name)
    }
  }

  static let priority = ServiceTier.named("priority")
  static let batch = ServiceTier.named("batch")

  var name: String? {
    switch self {
    case .base: nil
    case .named(let name): name
    }
  }
}
