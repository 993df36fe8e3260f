internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import Ledger
internal import TLS
internal import Time

/// Finds out who calls: by a token or key, or by the session of a browser.
final class SignIns: Sendable {
  private let server: any RunningServer
  private let failures: FailedSignIns
  let sessions = Sessions()

  /// - Parameter failures: those of the listener.
  init(server: any RunningServer, failures: FailedSignIns) {
    self.server = server
    self.failures = failures
  }

  /// Whose the secret is; throws `invalidCredential` for nobody's, or `tooManyFailures` where that
  /// was said too often.
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

  /// Whose the digest is; nil for nobody's, or for one's that is revoked by now.
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

  /// The session of the browser that sends a request; nil without one.
  func session(of fields: HeaderFields, at now: Timestamp) -> Session? {
    Cookies(fields).value(of: SessionCookie.name).flatMap { sessions.session($0, at: now) }
  }
}
