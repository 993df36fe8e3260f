/// The reason that a transfer failed. It contains no text of the request or the response, which may
/// be secrets.
public enum UpstreamError: Error, Hashable, Sendable {
  /// Nothing of the request was sent.
  case unreachable(Obstacle)
  /// The connect timeout, with nothing sent, or the idle timeout.
  case timeout(wasSent: Bool)
  /// The connection ended after the request was sent and before the response was complete.
  case broken(Breakage)
  /// The provider's answer isn't HTTP.
  case invalidResponse
  case cancelled(wasSent: Bool)
  /// The settings' limit of transfers is reached, or the system's limit of open files.
  case tooManyTransfers

  /// The obstacle to a connection.
  public enum Obstacle: Hashable, Sendable {
    /// The URL is malformed, or neither `http` nor `https`.
    case address
    /// The host's name has no address.
    case name
    /// The connection was refused, or there is no route.
    case connection
    /// The TLS handshake failed.
    case handshake
    /// The certificate isn't trusted, or isn't the host's.
    case certificate
    /// Catraca's own file of certificate authorities can't be read.
    case trustStore
    /// Any other error of libcurl, by its `CURLcode`.
    case other(UInt32)
  }

  /// The way in which a connection ended early.
  public enum Breakage: Hashable, Sendable {
    /// Closed without a byte of a response.
    case noAnswer
    /// Closed in the middle of the response.
    case truncated
    /// Reset, or another error of the connection.
    case connection
    /// The body doesn't match its `Content-Encoding`.
    case coding
    /// Any other error of libcurl, by its `CURLcode`.
    case other(UInt32)
  }

  /// Whether bytes of the request may have reached the provider, which may then bill it.
  public var wasSent: Bool {
    switch self {
    case .unreachable, .tooManyTransfers: false
    case .timeout(let wasSent), .cancelled(let wasSent): wasSent
    case .broken, .invalidResponse: true
    }
  }
}

extension UpstreamError: CustomStringConvertible {
  /// The reason, for operators.
  public var description: String {
    switch self {
    case .unreachable(.address): "the address is no http or https URL"
    case .unreachable(.name): "the host's name has no address"
    case .unreachable(.connection): "the connection was refused, or there is no route"
    case .unreachable(.handshake): "the TLS handshake failed"
    case .unreachable(.certificate): "the host's certificate is not trusted"
    case .unreachable(.trustStore): "the file of certificate authorities can't be read"
    case .unreachable(.other(let code)): "no connection (libcurl's error \(code))"
    case .timeout(wasSent: false): "no connection in time"
    case .timeout(wasSent: true): "no answer in time"
    case .broken(.noAnswer): "the connection was closed without an answer"
    case .broken(.truncated): "the connection was closed within the answer"
    case .broken(.connection): "the connection broke"
    case .broken(.coding): "the answer is not what its Content-Encoding says"
    case .broken(.other(let code)): "the connection broke (libcurl's error \(code))"
    case .invalidResponse: "the answer is not HTTP"
    case .cancelled: "the request was given up, since nobody waits for its answer"
    case .tooManyTransfers: "too many requests are under way, or too many files are open"
    }
  }
}
