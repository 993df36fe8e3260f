internal import Configuration
internal import HTTPServer
internal import Ledger
internal import TLS
internal import Time

/// Who makes a call.
enum Credential: Sendable {
  case token(name: String, role: AdminToken.Role)
  /// A client's own key, which sees its own client alone.
  case key(ClientRegistry.KeyOwner)

  var isKey: Bool {
    if case .key = self { true } else { false }
  }

  /// Whether the caller may learn what providers charge, and so the margin. Neither clients nor
  /// viewers may.
  var seesProviderCosts: Bool {
    if case .token(_, .admin) = self { true } else { false }
  }

  /// Whom the bodies of its requests are counted for.
  var owner: RequestOwner {
    switch self {
    case .token(let name, _): .token(name: name)
    case .key(let owner): .key(client: owner.client.id, name: owner.key.name)
    }
  }

  /// For the audit log.
  var actor: String {
    switch self {
    case .token(let name, _): "token:\(name)"
    case .key(let owner): "key:\(owner.client.id)/\(owner.key.name)"
    }
  }

  /// Finds whose the secret of this digest is; nil for nobody's.
  ///
  /// Every token is compared in full and in constant time; keys are looked up by their digest, so
  /// that how long it takes says nothing about those that exist.
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
    // The token of a first start is for as long as none is configured.
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

  /// The secret of `Bearer SECRET`; nil for anything else.
  static func secret(in authorization: String?) -> String? {
    guard let authorization, authorization.utf8.count > scheme.utf8.count,
      authorization.prefix(scheme.count).lowercased() == scheme
    else { return nil }
    return String(authorization.dropFirst(scheme.count))
  }
}

extension HTTPExchange {
  /// Counts the exchange among the requests of the credential's owner from now on.
  func count(_ credential: Credential) throws(APIError) {
    do { try noteCredential(of: credential.owner) } catch { throw .tooManyRequestsOfCaller }
  }
}
