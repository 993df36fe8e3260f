internal import EventLoop
internal import TLS
internal import Time

/// A browser that somebody has signed in with.
struct Session: Sendable {
  /// What the browser's cookie says.
  let id: String
  /// What each change must say too, so that no other site can make one in the browser's name.
  let csrfToken: String
  /// The digest of the token or key that was signed in with.
  let digest: SHA256Digest
  /// Whether that is a client's key.
  let isOfKey: Bool
  let expiresAt: Timestamp

  func isCSRFToken(_ text: String?) -> Bool {
    guard let text else { return false }
    return SHA256.digest(of: text).isEqualInConstantTime(to: SHA256.digest(of: csrfToken))
  }
}

/// Who is signed in, in memory alone: a restart ends all sessions.
///
/// Each token and each key has so many sessions, and all keys together have so many. A client that
/// signs in without end therefore ends its own oldest sessions, and never an administrator's.
final class Sessions: Sendable {
  static let lifetime = Duration.seconds(12 * 3600)
  /// Sessions of one token or key.
  static let mostOfCredential = 100
  /// Sessions of all tokens, and of all keys.
  static let mostOfTokens = 2_000
  static let mostOfKeys = capacity - mostOfTokens
  static let capacity = 10_000

  private struct State {
    var sessions: [String: Session] = [:]
    /// The ids of each token's or key's sessions, oldest first.
    var ids: [SHA256Digest: [String]] = [:]

    mutating func end(_ session: Session) {
      guard sessions.removeValue(forKey: session.id) != nil else { return }
      ids[session.digest]?.removeAll { $0 == session.id }
      if ids[session.digest]?.isEmpty == true { ids[session.digest] = nil }
    }

    /// Ends what a further session has no room beside.
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

  /// - Parameter isOfKey: Whether a client's key is signed in with, instead of a token.
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

  /// Nil for one that never was, was ended, or is too old.
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
