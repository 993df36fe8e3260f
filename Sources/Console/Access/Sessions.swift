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
  let expiresAt: Timestamp

  func isCSRFToken(_ text: String?) -> Bool {
    guard let text else { return false }
    return SHA256.digest(of: text).isEqualInConstantTime(to: SHA256.digest(of: csrfToken))
  }
}

/// Who is signed in, in memory alone: a restart ends all sessions.
final class Sessions: Sendable {
  static let lifetime = Duration.seconds(12 * 3600)
  static let capacity = 10_000

  private let sessions = Lock<[String: Session]>([:])

  func begin(for digest: SHA256Digest, at now: Timestamp) -> Session {
    let session = Session(
      id: Base64URL.encode(SecureRandom.bytes(32)),
      csrfToken: Base64URL.encode(SecureRandom.bytes(32)), digest: digest,
      expiresAt: now.advanced(by: Sessions.lifetime))
    sessions.withLock { sessions in
      if sessions.count >= Sessions.capacity {
        sessions = sessions.filter { $0.value.expiresAt > now }
      }
      if sessions.count >= Sessions.capacity,
        let oldest = sessions.values.min(by: { $0.expiresAt < $1.expiresAt })
      {
        sessions[oldest.id] = nil
      }
      sessions[session.id] = session
    }
    return session
  }

  /// Nil for one that never was, was ended, or is too old.
  func session(_ id: String, at now: Timestamp) -> Session? {
    sessions.withLock { sessions in
      guard let session = sessions[id] else { return nil }
      if session.expiresAt > now { return session }
      sessions[id] = nil
      return nil
    }
  }

  func end(_ session: Session) {
    sessions.withLock { $0[session.id] = nil }
  }
}
