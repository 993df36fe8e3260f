internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import Ledger
internal import TLS
internal import Time

/// Identifies callers by a token, a key, or a browser's session.
final class SignIns: Sendable {
  private let server: any RunningServer
  private let failures: FailedSignIns
  let sessions = Sessions()

  /// - Parameter failures: The failed sign-ins at the listener.
  init(server: any RunningServer, failures: FailedSignIns) {
    self.server = server
    self.failures = failures
  }

  /// Finds the credential of a secret.
  ///
  /// - Throws: `invalidCredential` if the secret is not valid, `tooManyFailures` after too many
  ///   failed attempts.
  func credential(
    of secret: String, from network: SocketAddress.Network?, at now: Timestamp
  ) throws(APIError) -> Credential {
    if let credential = try credential(of: SHA256.digest(of: secret), at: now) {
      return credential
    }
    if let seconds = failures.note(from: network, at: .now()) {
      throw .tooManyFailures(retryAfterSeconds: seconds)
    }
    throw .invalidCredential
  }

  /// Finds the credential of a digest; nil if it doesn't exist or was revoked.
  func credential(
    of digest: SHA256Digest, at now: Timestamp
  ) throws(APIError) -> Credential? {
    do throws(LedgerError) {
      return try Credential(
        digest: digest, settings: server.settings.admin, clients: server.clients, at: now
      ) { () throws(LedgerError) in
        try LedgerReader(at: server.ledgerLocation).adminTokens()
      }
    } catch {
      throw APIError(error)
    }
  }

  /// The session of the browser that sent a request; nil if it has none.
  func session(of fields: HeaderFields, at now: Timestamp) -> Session? {
    Cookies(fields).value(of: SessionCookie.name).flatMap { sessions.session($0, at: now) }
  }
}
