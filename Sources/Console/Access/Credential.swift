internal import Configuration
internal import HTTPServer
internal import Ledger
internal import TLS
internal import Time

/// The credential that a call was made with.
enum Credential: Sendable {
  case token(name: String, role: AdminToken.Role)
  /// A client's key. It can only see its own client.
  case key(ClientRegistry.KeyOwner)

  var isKey: Bool {
    if case .key = self { true } else { false }
  }

  /// Whether the caller may see what providers charge, and with it the margin. Only administrators
  /// may.
  var seesProviderCosts: Bool {
    if case .token(_, .admin) = self { true } else { false }
  }

  /// The owner that the caller's requests and their bodies are counted for.
  var owner: RequestOwner {
    switch self {
    case .token(let name, _): .token(name: name)
    case .key(let owner): .key(client: owner.client.id, name: owner.key.name)
    }
  }

  /// The caller's name in the audit log.
  var actor: String {
    switch self {
    case .token(let name, _): "token:\(name)"
    case .key(let owner): "key:\(owner.client.id)/\(owner.key.name)"
    }
  }

  /// Finds the token or key whose secret has this digest; nil if there is none.
  ///
  /// Every token is compared in full and in constant time. Keys are looked up by their digest. The
  /// time that this takes therefore reveals nothing about existing secrets.
  init?(
    digest: SHA256Digest, settings: AdminSettings, clients: ClientRegistry, at now: Timestamp,
    storedTokens: () throws(LedgerError) -> [String: String]
  ) throws(LedgerError) {
    var found: Credential?
    for token in settings.tokens {
      guard let known = SHA256Digest(hex: token.digest.description) else { continue }
      if known.isEqualInConstantTime(to: digest) {
        found = .token(name: token.name, role: token.role)
      }
    }
    // The token of the first start is valid until the settings have a token.
    if settings.tokens.isEmpty {
      for (name, text) in try storedTokens() {
        guard let known = SHA256Digest(hex: text) else { continue }
        if known.isEqualInConstantTime(to: digest) { found = .token(name: name, role: .admin) }
      }
    }
    if found == nil, let owner = clients.owner(of: KeyDigest(words: digest.words)),
      !owner.key.isExpired(at: now)
    {
      found = .key(owner)
    }
    guard let found else { return nil }
    self = found
  }

  private static let scheme = "bearer "

  /// The secret of a field `Authorization: Bearer SECRET`; nil for any other value.
  static func secret(in authorization: String?) -> String? {
    guard let authorization, authorization.utf8.count > scheme.utf8.count,
      authorization.prefix(scheme.count).lowercased() == scheme
    else { return nil }
    return String(authorization.dropFirst(scheme.count))
  }
}

extension HTTPExchange {
  /// Counts the exchange as a request of the credential's owner until it ends.
  func count(_ credential: Credential) throws(APIError) {
    do { try noteCredential(of: credential.owner) } catch { throw .tooManyRequestsOfCaller }
  }
}
