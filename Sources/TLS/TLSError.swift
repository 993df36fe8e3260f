internal import COpenSSL

/// An error of TLS. Its texts name files and OpenSSL's reasons, never key material.
public enum TLSError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The certificate chain in `file` can't be used.
  case certificate(file: String, reason: String)
  /// The private key in `file` can't be used.
  case key(file: String, reason: String)
  /// The key is readable, but doesn't belong to the certificate.
  case keyMismatch(certificateFile: String, keyFile: String)
  /// The file of trusted authorities can't be used.
  case authorities(file: String, reason: String)
  /// The peer doesn't use TLS, or not in an accepted way.
  case handshakeFailed(reason: String)
  /// The session broke after the handshake.
  case broken(reason: String)
  /// OpenSSL refused an operation that doesn't depend on input.
  case unavailable(reason: String)

  public var description: String {
    switch self {
    case .certificate(let file, let reason): "certificate \(file): \(reason)"
    case .key(let file, let reason): "private key \(file): \(reason)"
    case .keyMismatch(let certificateFile, let keyFile):
      "private key \(keyFile) doesn't belong to certificate \(certificateFile)"
    case .authorities(let file, let reason): "authorities \(file): \(reason)"
    case .handshakeFailed(let reason): "TLS handshake failed: \(reason)"
    case .broken(let reason): "TLS session broken: \(reason)"
    case .unavailable(let reason): "TLS unavailable: \(reason)"
    }
  }
}

/// Removes OpenSSL's errors of this thread, and returns the oldest one that has a text. That one is
/// the cause; the later ones are the calls that passed it on.
///
/// The queue must be empty before the next call whose failure is examined.
func takeOpenSSLReason() -> String {
  var reason: String?
  while true {
    let code = ERR_get_error()
    guard code != 0 else { break }
    guard reason == nil else { continue }
    if let text = unsafe ERR_reason_error_string(code) {
      reason = unsafe String(cString: text)
    } else if code & systemErrorFlag != 0 {
      reason = unsafe String(cString: strerror(CInt(truncatingIfNeeded: code & systemErrorMask)))
    }
  }
  return reason ?? "unknown reason"
}

/// The flags with which OpenSSL 3 packs an `errno` into an error code. ERR_SYSTEM_FLAG and its mask
/// are macros that Swift doesn't import.
private let systemErrorFlag: UInt = 0x8000_0000
private let systemErrorMask: UInt = 0x7FFF_FFFF
