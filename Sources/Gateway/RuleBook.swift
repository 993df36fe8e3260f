public import Configuration
internal import Metering
public import Pricing

/// The rules that a request is held to: the settings, all clients, and the price book.
///
/// Replaced as one when the files or the ledger's clients change; a request keeps the ones that it
/// began with. A class, so that a request takes one reference instead of a copy of everything.
public final class RuleBook: Sendable {
  public let settings: Settings
  /// All clients and keys: those of the files, and those that the ledger keeps.
  public let clients: ClientRegistry
  public let prices: PriceBook

  /// Throws where the pricing files contradict each other.
  public init(_ settings: Settings, clients: ClientRegistry) throws(PricingError) {
    self.settings = settings
    self.clients = clients
    prices = try PriceBook(providers: settings.prices, rates: settings.rates)
  }

  func provider(_ name: String) -> Provider? {
    settings.providers.first { $0.name == name }
  }

  /// Whether an endpoint that can't be metered is forwarded at no cost.
  func allowsUnmetered(_ path: String) -> Bool {
    guard case .allow(let patterns) = settings.metering.unmeteredEndpoints else { return false }
    return patterns.contains { pattern in
      pattern.hasSuffix("*") ? path.hasPrefix(pattern.dropLast()) : path == pattern
    }
  }
}
