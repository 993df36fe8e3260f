internal import Configuration
internal import HTTP
internal import TLS
internal import Time

/// Who makes a request: the client that pays, and the key that it showed.
///
/// A class for the same reason as `MeteredRequest`.
final class Identity: Sendable {
  let client: Client
  let key: ClientKey

  /// Reads `Authorization: Bearer sk-ctr-…` and finds its owner. Browsers can't set that on a
  /// WebSocket, and offer the key as a subprotocol instead.
  ///
  /// The key's SHA-256 is looked up, never the key: how long it takes says nothing about keys
  /// that exist.
  init(
    of head: RequestHead, among clients: ClientRegistry, at now: Timestamp
  ) throws(Refusal) {
    guard let secret = head.fields.bearerToken ?? Identity.offered(head) else {
      throw .invalidKey(.missing)
    }
    let digest = KeyDigest(words: SHA256.digest(of: secret).words)
    guard let owner = clients.owner(of: digest) else { throw .invalidKey(.unknown) }
    guard !owner.key.isExpired(at: now) else { throw .invalidKey(.expired) }
    guard !owner.client.isPaused else {
      throw .clientSuspended(client: owner.client.id)
    }
    client = owner.client
    key = owner.key
  }

  private static func offered(_ head: RequestHead) -> String? {
    guard !head.fields.contains(.authorization), let upgrade = try? WebSocketUpgrade(of: head)
    else { return nil }
    let prefix = RealtimeRequest.keyProtocolPrefix
    return upgrade.protocols.first { $0.hasPrefix(prefix) }.map {
      String($0.dropFirst(prefix.count))
    }
  }
}
