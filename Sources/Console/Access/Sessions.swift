internal import EventLoop
internal import TLS
internal import Time

/// The session of a signed-in browser.
struct Session: Sendable {
  /// The value of the browser's cookie.
  let id: String
  /// The token that every change must carry, so that another site can't make a change through the
  /// browser.
  let csrfToken: String
  /// The digest of the token or key of the sign-in.
  let digest: SHA256Digest
  /// Whether the sign-in used a client's key.
  let isOfKey: Bool
  let expiresAt: Timestamp

  func isCSRFToken(_ text: String?) -> Bool {
    guard let text else { return false }
    return SHA256.digest(of: text).isEqualInConstantTime(to: SHA256.digest(of: csrfToken))
  }
}

/// The sessions of all signed-in browsers. They are kept in memory, so a restart ends them.
///
/// The number of sessions is limited per token or key, for all tokens together, and for all keys
/// together. A client that signs in endlessly ends its own oldest sessions, never those of an
/// administrator.
final class Sessions: Sendable {
  static let lifetime = Duration.seconds(12 * 3600)
  /// The most sessions of one token or key.
  static let mostOfCredential = 100
  /// The most sessions of all tokens together, and of all keys together.
  static let mostOfTokens = 2_000
  static let mostOfKeys = capacity - mostOfTokens
  static let capacity = 10_000

  private struct State {
    var sessions: [String: Session] = [:]
    /// The IDs of each token's or key's sessions, oldest first.
    var ids: [SHA256Digest: [String]] = [:]

    mutating func end(_ session: Session) {
      guard sessions.removeValue(forKey: session.id) != nil else { return }
      ids[session.digest]?.removeAll { $0 == session.id }
      if ids[session.digest]?.isEmpty == true { ids[session.digest] = nil }
    }

    /// Ends the oldest sessions until there is room for another one.
    mutating func makeRoom(for session: Session, at now: Timestamp) {
      if let own = ids[session.digest], own.count >= Sessions.mostOfCredential,
        let oldest = sessions[own[0]]
      {
        end(oldest)
      }
      let most = session.isOfKey ? Sessions.mostOfKeys : Sessions.mostOfTokens
      guard sessions.count >= most else { return }
      var alike = sessions.values.filter { $0.isOfKey == session.isOfKey }
      guard alike.count >= most else { return }
      for old in alike where old.expiresAt <= now { end(old) }
      alike.removeAll { $0.expiresAt <= now }
      guard alike.count >= most,
        let oldest = alike.min(by: { $0.expiresAt < $1.expiresAt })
      else { return }
      end(oldest)
    }
  }

  private let state = Lock(State())

  /// - Parameter isOfKey: Whether the sign-in uses a client's key.
  func begin(for digest: SHA256Digest, isOfKey: Bool = false, at now: Timestamp) -> Session {
    let session = Session(
      id: Base64URL.encode(SecureRandom.bytes(32)),
      csrfToken: Base64URL.encode(SecureRandom.bytes(32)), digest: digest, isOfKey: isOfKey,
      expiresAt: now.advanced(by: Sessions.lifetime))
    state.withLock { state in
      state.makeRoom(for: session, at: now)
      state.sessions[session.id] = session
      state.ids[digest, default: []].append(session.id)
    }
    return session
  }

  /// The session with this ID; nil if it doesn't exist, has ended, or has expired.
  func session(_ id: String, at now: Timestamp) -> Session? {
    state.withLock { state in
      guard let session = state.sessions[id] else { return nil }
      if session.expiresAt > now { return session }
      state.end(session)
      return nil
    }
  }

  func end(_ session: Session) {
    state.withLock { $0.end(session) }
  }
}
