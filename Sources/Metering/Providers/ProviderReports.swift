public import Pricing

/// The separately priced quantities that a provider's answers are known to report. Each provider's
/// are in the file of its name.
public struct ProviderReports: Sendable, Hashable {
  /// Whether usage reports the cached part of the input.
  private let hasCachedInput: Bool
  /// Whether usage lists sound and pictures separately.
  private let hasModalities: Bool
  /// The prefixes of the models that report cache writes.
  private let cacheWriters: [String]
  /// The names of the prices of the tools that the provider runs and reports.
  public let pricedTools: [String]
  /// Whether the provider's tools run in containers that are billed.
  public let billsContainers: Bool

  /// The reports of an unknown provider.
  public static let unknown = ProviderReports()

  /// Returns the reports of the provider with this name in the configuration.
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

  /// Returns the quantities that this provider's answers report for a model, among those that the
  /// operation's endpoints can report.
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
