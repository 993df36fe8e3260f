public import Pricing

/// What a provider's answers are known to report that needs a price of its own. Each provider's is
/// in the file of its name.
public struct ProviderReports: Sendable, Hashable {
  /// Whether usage says how much of the input was cached.
  private let hasCachedInput: Bool
  /// Whether usage lists sound and pictures apart.
  private let hasModalities: Bool
  /// The models that report what they write to the cache, by how their names begin.
  private let cacheWriters: [String]
  /// The names of the prices of tools that it runs and reports.
  public let pricedTools: [String]
  /// Whether its tools run in containers that are billed.
  public let billsContainers: Bool

  /// Of a provider of which nothing is known.
  public static let unknown = ProviderReports()

  /// The reports of the provider with this name in the configuration.
  public init(provider: String) {
    switch provider {
    case "openai": self = .openAI
    case "groq": self = .groq
    case "google": self = .google
    default: self = .unknown
    }
  }

  init(
    hasCachedInput: Bool = false, hasModalities: Bool = false, cacheWriters: [String] = [],
    pricedTools: [String] = [], billsContainers: Bool = false
  ) {
    self.hasCachedInput = hasCachedInput
    self.hasModalities = hasModalities
    self.cacheWriters = cacheWriters
    self.pricedTools = pricedTools
    self.billsContainers = billsContainers
  }

  /// Those of the quantities that endpoints of an operation can report which this provider's
  /// answers about a model report.
  public func quantities(of model: String, for operation: Operation) -> Set<PricedQuantity> {
    Endpoints.reportableQuantities(of: operation).filter { quantity in
      has(quantity, of: model, for: operation)
    }
  }

  private func has(
    _ quantity: PricedQuantity, of model: String, for operation: Operation
  ) -> Bool {
    let isConversation = operation == .chat || operation == .responses
    return switch quantity {
    case .cachedInput: hasCachedInput
    case .cacheWrite, .cacheWriteLong: cacheWriters.contains { model.hasPrefix($0) }
    case .audioInput, .audioOutput:
      hasModalities && (!isConversation || OpenAI.speaksInConversations(model: model))
    case .imageInput where isConversation:
      hasModalities && OpenAI.imageTokens.contains { model.hasPrefix($0.prefix) }
        && !OpenAI.speaksInConversations(model: model)
    case .imageInput: hasModalities
    case .imageOutput: hasModalities && !isConversation
    default: false
    }
  }
}
