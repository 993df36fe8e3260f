internal import TLS

/// A virtual key itself, which is shown once and never stored.
struct KeySecret: Sendable {
  /// `sk-ctr-` and 43 characters.
  let text: String

  private static let prefix = "sk-ctr-"
  private static let randomByteCount = 32

  /// - Parameter randomBytes: Makes so many bytes that nobody can guess.
  init(randomBytes: (Int) -> [UInt8]) {
    text = KeySecret.prefix + Base64URL.encode(randomBytes(KeySecret.randomByteCount))
  }

  /// The only form that is stored: 64 hexadecimal digits over the whole text.
  var sha256: String { SHA256.digest(of: text).hex }
}
