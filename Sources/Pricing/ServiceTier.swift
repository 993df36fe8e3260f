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

  var name: String? {
    switch self {
    case .base: nil
    case .named(let name): name
    }
  }

  /// The tiers in which a request that asks for one may be served.
  ///
  /// Without a tier OpenAI takes `auto`, and by `auto` the project's setting, which may be
  /// `priority`. A tier that has no capacity left may be served as base. A batch is a batch.
  static func reachable(from requested: String?) -> [ServiceTier] {
    switch requested {
    case nil, "auto": [.base, .priority]
    case "batch": [.named("batch")]
    default: ServiceTier(requested) == .base ? [.base] : [.base, ServiceTier(requested)]
    }
  }
}
