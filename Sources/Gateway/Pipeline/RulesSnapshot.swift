public import Configuration
public import Ledger
internal import Metering
public import Pricing

/// The rules that a request is held to: the settings, all clients, and the price book.
///
/// Replaced as one when the files or the ledger's clients change; a request keeps the ones that it
/// began with. A class, so that a request takes one reference instead of a copy of everything.
public final class RulesSnapshot: Sendable {
  public let settings: Settings
  /// All clients and keys: those of the files, and those that the ledger keeps.
  public let clients: ClientRegistry
  /// The prices of the files, the same for every client. `model(_:of:for:)` prices requests.
  public let prices: PriceBook
  private let ownPrices: OwnPrices
  /// By client and name, the providers for which clients have keys of their own.
  private let ownProviders: [String: [String: Provider]]

  /// - Throws: `PricingError` if the pricing files contradict each other.
  public init(
    _ settings: Settings, clients: ClientRegistry, priceOverrides: [StoredPriceOverride]
  ) throws(PricingError) {
    self.settings = settings
    self.clients = clients
    prices = try PriceBook(providers: settings.prices, rates: settings.rates)
    ownPrices = try OwnPrices(priceOverrides, over: prices)
    var ownProviders: [String: [String: Provider]] = [:]
    for client in clients.clients where !client.providerKeys.isEmpty {
      let providers = settings.providers.map { $0.withKey(of: client) }
      ownProviders[client.id] = Dictionary(
        providers.filter { $0.keyOwner != nil }.map { ($0.name, $0) }
      ) { first, _ in first }
    }
    self.ownProviders = ownProviders
  }

  /// A model of a provider, or of the first that has it, at the prices of a client.
  public func model(
    _ name: String, of provider: String? = nil, for client: String
  ) -> PricedModel? {
    let found = provider.map { prices.model(name, of: $0) } ?? prices.model(name)
    return found.map { ownPrices.model($0, of: client) }
  }

  /// A provider with the key that a client's requests go out with: the client's own, else that of
  /// the account of all clients. Nothing else chooses a key.
  func provider(_ name: String, for client: String) -> Provider? {
    ownProvider(name, of: client) ?? settings.providers.first { $0.name == name }
  }

  /// The provider of work that an earlier request has begun, with the key of the account in which
  /// it was begun; nil where the configuration doesn't have that any more.
  func provider(of work: DeferredRequest) -> Provider? {
    work.usesOwnKey
      ? ownProvider(work.provider, of: work.expected.row.clientID)
      : settings.providers.first { $0.name == work.provider }
  }

  private func ownProvider(_ name: String, of client: String) -> Provider? {
    ownProviders.isEmpty ? nil : ownProviders[client]?[name]
  }

  /// The providers whose keys an answer to a client could show: with the keys of all clients'
  /// account, and with the client's own.
  func providersWithKeys(of client: String?) -> [Provider] {
    guard let client, let own = ownProviders[client] else { return settings.providers }
    return settings.providers + own.values
  }

  /// Whether an endpoint that can't be metered is forwarded at no cost.
  ///
  /// - Parameter path: a plain path without a provider's prefix.
  func allowsUnmetered(_ path: String) -> Bool {
    guard case .allow(let patterns) = settings.metering.unmeteredEndpoints else { return false }
    return RulesSnapshot.allows(path, by: patterns)
  }

  static func allows(_ path: String, by patterns: [String]) -> Bool {
    // Servers that ignore capitals would take the way under any spelling.
    let lowercased = path.lowercased()
    let way = waysAroundCatraca.first { lowercased.hasPrefix($0) }
    return patterns.contains { pattern in
      guard pattern.hasSuffix("*") else { return path == pattern }
      let beginning = pattern.dropLast()
      return path.hasPrefix(beginning) && beginning.hasPrefix(way ?? "")
    }
  }

  /// Beginnings of paths by which clients reach a provider without Catraca: keys for clients, calls
  /// whose media goes to the provider directly, agents that work on by themselves, and keys of the
  /// account. Only an entry of `unmetered_endpoints` that begins so opens such a path.
  private static let waysAroundCatraca = [
    "/v1/realtime/client_secrets", "/v1/realtime/calls", "/v1/realtime/sessions",
    "/v1/realtime/transcription_sessions", "/v1/realtime/translations", "/v1/live", "/v1/agents",
    "/v1/chatkit", "/v1/organization",
  ]
}
