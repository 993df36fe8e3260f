internal import Configuration
internal import HTTP
internal import TLS
internal import Time

/// Who makes a request: the client that pays, and the key that it showed.
struct Identity {
  let client: Client
  let key: ClientKey

  private static let scheme = "bearer "

  /// Reads `Authorization: Bearer sk-ctr-…` and finds its owner.
  ///
  /// The key's SHA-256 is looked up, never the key: how long it takes says nothing about keys
  /// that exist.
  init(
    of head: RequestHead, among clients: ClientRegistry, at now: Timestamp
  ) throws(Refusal) {
    guard let authorization = head.fields.first(.authorization),
      authorization.utf8.count > Identity.scheme.utf8.count,
      authorization.prefix(Identity.scheme.count).lowercased() == Identity.scheme
    else { throw .invalidKey(.missing) }
    let secret = authorization.dropFirst(Identity.scheme.count)
    let digest = KeyDigest(words: SHA256.digest(of: String(secret)).words)
    guard let owner = clients.owner(of: digest) else { throw .invalidKey(.unknown) }
    guard !owner.key.isExpired(at: now) else { throw .invalidKey(.expired) }
    guard owner.client.status == .active else {
      throw .clientSuspended(client: owner.client.id)
    }
    client = owner.client
    key = owner.key
  }
}
