/// A service tier, whatever the provider calls it.
enum ServiceTier: Hashable {
  /// At the model's own prices.
  case base
  /// At prices of its own, under its name in the pricing file.
  case named(String)

  /// A name of the base tier, `fast` for `priority`, or a tier's own name.
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
