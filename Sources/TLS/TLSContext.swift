internal import COpenSSL

/// A certificate, its key, and the rules that every session made from it keeps: TLS 1.2 and 1.3,
/// forward secrecy, authenticated ciphers, `http/1.1`, no renegotiation, no compression.
///
/// A context never changes. To reload a certificate, make a new context and hand it to new
/// sessions; those under way keep the one that they began with.
@safe public final class TLSContext: @unchecked Sendable {
  // Sendable: OpenSSL counts the references of an SSL_CTX with atomics, and nothing is set on it
  // after `init`.
  let handle: OpaquePointer

  /// TLS 1.2 only with ephemeral keys and authenticated encryption; TLS 1.3 has nothing else.
  private static let ciphersTLS12 = "ECDHE+AESGCM:ECDHE+CHACHA20"
  /// A ticket is encrypted with a key that lives as long as the context: an hour bounds what a
  /// stolen one can open.
  private static let ticketLifetimeSeconds = 3600
  private static let ticketsPerHandshake = 1
  /// At least 112 bits: RSA of 2048 bits, no SHA-1 signatures.
  private static let securityLevel: CInt = 2

  /// A context for servers.
  ///
  /// - Parameters:
  ///   - certificateFile: PEM, the server's own certificate first, then its chain.
  ///   - keyFile: PEM, not encrypted.
  ///   - clientAuthoritiesFile: PEM. If given, only clients that show a certificate of one of these
  ///     authorities are served (mutual TLS).
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

  /// A context for clients that trust the authorities in `authoritiesFile` (PEM), and show a
  /// certificate of their own if they have one.
  ///
  /// The proxy itself calls out through libcurl; this is the counterpart that its own sessions are
  /// tried against.
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

  /// How long the certificate is still valid after an instant, in seconds; negative where it has
  /// expired, nil where it doesn't say.
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

  /// Each session verifies a certificate: none is resumed, by which one that has expired, or whose
  /// authority was removed, could go on being accepted.
  private func requireClientCertificates(from authoritiesFile: String) throws(TLSError) {
    try verifyPeers(by: authoritiesFile, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT)
    // What clients that have several certificates choose by.
    guard let names = unsafe SSL_load_client_CA_file(authoritiesFile) else {
      throw .authorities(file: authoritiesFile, reason: takeOpenSSLReason())
    }
    unsafe SSL_CTX_set_client_CA_list(handle, names)
    unsafe catraca_ssl_disable_tickets(handle)
  }

  private func use(certificateFile: String, keyFile: String) throws(TLSError) {
    // Without this a key with a passphrase would ask for it on the terminal.
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
