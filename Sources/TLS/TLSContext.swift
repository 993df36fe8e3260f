internal import COpenSSL

/// A certificate, its key, and the rules of every session made from it: TLS 1.2 and 1.3, forward
/// secrecy, authenticated ciphers, `http/1.1`, no renegotiation, no compression.
///
/// A context never changes. To reload a certificate, create a new context for new sessions;
/// existing sessions keep their own.
@safe public final class TLSContext: @unchecked Sendable {
  // Sendable, because OpenSSL counts the references of an SSL_CTX with atomics, and nothing is set
  // on it after `init`.
  let handle: OpaquePointer

  /// TLS 1.2 is allowed only with ephemeral keys and authenticated encryption. TLS 1.3 has no other
  /// ciphers.
  private static let ciphersTLS12 = "ECDHE+AESGCM:ECDHE+CHACHA20"
  /// The lifetime of a ticket. A ticket is encrypted with a key that lives as long as the context,
  /// so one hour limits the damage of a stolen key.
  private static let ticketLifetimeSeconds = 3600
  private static let ticketsPerHandshake = 1
  /// At least 112 bits: RSA of 2048 bits, no SHA-1 signatures.
  private static let securityLevel: CInt = 2

  /// Creates a context for servers.
  ///
  /// - Parameters:
  ///   - certificateFile: PEM with the server's own certificate first, then its chain.
  ///   - keyFile: PEM, not encrypted.
  ///   - clientAuthoritiesFile: PEM. If given, only clients with a certificate of one of these
  ///     authorities are served (mutual TLS).
  /// - Throws: `TLSError` if a file can't be used, or if the key doesn't match the certificate.
  public init(
    certificateFile: String, keyFile: String, clientAuthoritiesFile: String? = nil
  ) throws(TLSError) {
    unsafe handle = try TLSContext.make(unsafe TLS_server_method())
    unsafe SSL_CTX_set_num_tickets(handle, TLSContext.ticketsPerHandshake)
    unsafe SSL_CTX_set_timeout(handle, TLSContext.ticketLifetimeSeconds)
    unsafe catraca_ssl_disable_session_cache(handle)
    unsafe catraca_ssl_accept_http1(handle)
    try use(certificateFile: certificateFile, keyFile: keyFile)
    if let clientAuthoritiesFile {
      try requireClientCertificates(from: clientAuthoritiesFile)
    }
  }

  /// Creates a context for clients that trust the authorities in `authoritiesFile` (PEM). They show
  /// their own certificate if they have one.
  ///
  /// The proxy itself calls providers through libcurl. This is the counterpart for tests of the
  /// proxy's own sessions.
  init(
    authoritiesFile: String, newest: CInt = TLS1_3_VERSION,
    own: (certificateFile: String, keyFile: String)? = nil
  ) throws(TLSError) {
    unsafe handle = try TLSContext.make(unsafe TLS_client_method(), newest: newest)
    try verifyPeers(by: authoritiesFile, SSL_VERIFY_PEER)
    if let own { try use(certificateFile: own.certificateFile, keyFile: own.keyFile) }
  }

  deinit {
    unsafe SSL_CTX_free(handle)
  }

  /// Returns the remaining validity of the certificate at a time, in seconds; negative if it has
  /// expired, nil if it states no end.
  public func secondsValid(afterUnixTime now: Int) -> Int? {
    guard let certificate = unsafe SSL_CTX_get0_certificate(handle),
      let end = unsafe X509_get0_notAfter(certificate),
      let begin = unsafe ASN1_TIME_set(nil, now)
    else { return nil }
    defer { unsafe ASN1_STRING_free(begin) }
    var days: CInt = 0
    var seconds: CInt = 0
    guard unsafe ASN1_TIME_diff(&days, &seconds, begin, end) == 1 else { return nil }
    return Int(days) * 86_400 + Int(seconds)
  }

  private static func make(
    _ method: OpaquePointer?, newest: CInt = TLS1_3_VERSION
  ) throws(TLSError) -> OpaquePointer {
    ERR_clear_error()
    guard let handle = unsafe SSL_CTX_new(method) else {
      throw .unavailable(reason: takeOpenSSLReason())
    }
    unsafe SSL_CTX_set_security_level(handle, securityLevel)
    guard unsafe catraca_ssl_set_versions(handle, TLS1_2_VERSION, newest) == 1,
      unsafe SSL_CTX_set_cipher_list(handle, ciphersTLS12) == 1
    else {
      unsafe SSL_CTX_free(handle)
      throw .unavailable(reason: takeOpenSSLReason())
    }
    unsafe catraca_ssl_set_rules(handle)
    return unsafe handle
  }

  private func verifyPeers(
    by authoritiesFile: String, _ mode: CInt
  ) throws(TLSError) {
    guard unsafe SSL_CTX_load_verify_file(handle, authoritiesFile) == 1 else {
      throw .authorities(file: authoritiesFile, reason: takeOpenSSLReason())
    }
    unsafe SSL_CTX_set_verify(handle, mode, nil)
  }

  /// Requires each session to verify a client certificate. Sessions can't be resumed, because a
  /// resumed one would accept a certificate that has expired since, or whose authority was removed.
  private func requireClientCertificates(from authoritiesFile: String) throws(TLSError) {
    try verifyPeers(by: authoritiesFile, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT)
    // Clients with several certificates choose one by these names.
    guard let names = unsafe SSL_load_client_CA_file(authoritiesFile) else {
      throw .authorities(file: authoritiesFile, reason: takeOpenSSLReason())
    }
    unsafe SSL_CTX_set_client_CA_list(handle, names)
    unsafe catraca_ssl_disable_tickets(handle)
  }

  private func use(certificateFile: String, keyFile: String) throws(TLSError) {
    // Without this callback, a key with a passphrase would ask for it on the terminal.
    unsafe SSL_CTX_set_default_passwd_cb(handle) { _, _, _, _ in -1 }
    guard unsafe SSL_CTX_use_certificate_chain_file(handle, certificateFile) == 1 else {
      throw .certificate(file: certificateFile, reason: takeOpenSSLReason())
    }
    guard unsafe SSL_CTX_use_PrivateKey_file(handle, keyFile, SSL_FILETYPE_PEM) == 1 else {
      let code = ERR_peek_last_error()
      let reason = takeOpenSSLReason()
      throw isKeyMismatch(code)
        ? .keyMismatch(certificateFile: certificateFile, keyFile: keyFile)
        : .key(file: keyFile, reason: reason)
    }
    guard unsafe SSL_CTX_check_private_key(handle) == 1 else {
      ERR_clear_error()
      throw .keyMismatch(certificateFile: certificateFile, keyFile: keyFile)
    }
  }

  private func isKeyMismatch(_ code: UInt) -> Bool {
    let reason = CInt(code & 0x7F_FFFF)
    return reason == X509_R_KEY_VALUES_MISMATCH || reason == X509_R_KEY_TYPE_MISMATCH
  }
}
