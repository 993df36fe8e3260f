/// A client's own key at a provider. The client's requests use the account of that key.
public struct ProviderKey: Hashable, Sendable {
  /// The provider's name.
  public let provider: String
  public let secret: NamedSecret

  public init(provider: String, secret: NamedSecret) {
    self.provider = provider
    self.secret = secret
  }
}

extension ProviderKey {
  /// Reads a client's `provider_keys`: `{ openai: { api_key_env: ACME_OPENAI_KEY } }`.
  ///
  /// - Parameter providers: The names of the configured providers.
  static func decodeAll(from section: inout Section, providers: [String]) -> [ProviderKey] {
    let context = section.context
    return section.entries("provider_keys").compactMap { entry in
      guard providers.contains(entry.key) else {
        let answer =
          likelyMeant(by: entry.key, among: providers).map { "did you mean \"\($0)\"?" }
          ?? "allowed: \(providers.joined(separator: ", "))"
        context.mistake(
          entry.keyMark, "provider_keys: there is no provider \(quoted(entry.key)); \(answer)")
        return nil
      }
      return Section.read(entry.value, entry.key, context) { section in
        let secret = NamedSecret.decodeKey(from: &section)
        if !section.has("api_key_env"), !section.has("api_key_file") {
          context.mistake(
            entry.keyMark, "\(entry.key): no key is named; allowed: api_key_env or api_key_file")
        }
        return secret.map { ProviderKey(provider: entry.key, secret: $0) }
      }
    }
  }
}

extension Provider {
  /// Returns this provider for a client, with the client's own key if it has one.
  ///
  /// If that key is a missing secret that was tolerated, the result has no key at all. A client
  /// with its own account never uses the other clients' account.
  public func withKey(of client: Client) -> Provider {
    guard let key = client.providerKeys.first(where: { $0.provider == name }) else { return self }
    return Provider(
      name: name, baseURL: baseURL, apiKey: key.secret.value, keySource: key.secret.source,
      onDisconnect: onDisconnect, caFile: caFile, keyOwner: client.id,
      priceFactor: priceFactor, automaticTier: automaticTier, hidesAccount: hidesAccount)
  }
}
