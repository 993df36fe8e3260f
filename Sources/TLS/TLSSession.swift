internal import COpenSSL

/// One TLS connection as a state machine. Ciphertext and plaintext go in and come out, and every
/// step is complete, incomplete or failed. It never uses a socket.
///
/// Its owner moves bytes between it and a socket, in this order, until nothing moves: `receive` the
/// socket's bytes, `handshake` until it is complete, `read`, `write`. After each of them, the owner
/// sends the result of `takeCiphertext`. A session belongs to one event loop.
@safe public final class TLSSession {
  /// The result of a handshake step.
  public enum Handshake: Hashable, Sendable {
    case complete
    /// The peer must send more first. There may be ciphertext to send.
    case incomplete
  }

  public enum Reading: Hashable, Sendable {
    /// The number of plaintext bytes, at least one.
    case bytes(Int)
    /// The peer must send more first, or ciphertext must be taken before reading can continue.
    case incomplete
    /// The peer has ended its side properly (close_notify).
    case end
  }

  /// The most ciphertext that is buffered in either direction: two records of the largest size.
  /// `receive` doesn't take more.
  public static let bufferLimit = 2 * 17 * 1024

  private let handle: OpaquePointer
  private var incoming: OpaquePointer
  private var outgoing: OpaquePointer
  private var failure: TLSError?
  private var isClosing = false

  /// Whether the handshake is complete, so that plaintext may be read and written.
  public private(set) var isEstablished = false

  /// Creates the server's side of a new connection.
  /// - Throws: `TLSError.unavailable`.
  public convenience init(server context: TLSContext) throws(TLSError) {
    try self.init(context)
    unsafe SSL_set_accept_state(handle)
  }

  /// Creates the client's side of a new connection to `serverName`, which the certificate must
  /// name.
  convenience init(
    client context: TLSContext, serverName: String, protocols: [String] = ["http/1.1"]
  ) throws(TLSError) {
    try self.init(context)
    let offer = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    guard unsafe catraca_ssl_set_server_name(handle, serverName) == 1,
      unsafe SSL_set_alpn_protos(handle, offer, CUnsignedInt(offer.count)) == 0
    else { throw .unavailable(reason: takeOpenSSLReason()) }
    unsafe SSL_set_connect_state(handle)
  }

  private init(_ context: TLSContext) throws(TLSError) {
    ERR_clear_error()
    guard let handle = unsafe SSL_new(context.handle) else {
      throw .unavailable(reason: takeOpenSSLReason())
    }
    guard let incoming = unsafe catraca_bio_new_memory() else {
      unsafe SSL_free(handle)
      throw .unavailable(reason: takeOpenSSLReason())
    }
    guard let outgoing = unsafe catraca_bio_new_memory() else {
      unsafe BIO_free(incoming)
      unsafe SSL_free(handle)
      throw .unavailable(reason: takeOpenSSLReason())
    }
    // From here on, the session owns both BIOs.
    unsafe SSL_set_bio(handle, incoming, outgoing)
    unsafe self.handle = unsafe handle
    unsafe self.incoming = unsafe incoming
    unsafe self.outgoing = unsafe outgoing
  }

  deinit {
    unsafe SSL_free(handle)
  }

  // MARK: Ciphertext

  /// Takes ciphertext from the peer; returns the number of bytes taken. The caller must offer the
  /// rest again after reading.
  /// - Throws: `TLSError` if the session has failed.
  public func receive(_ ciphertext: UnsafeRawBufferPointer) throws(TLSError) -> Int {
    let room = unsafe TLSSession.bufferLimit - BIO_ctrl_pending(incoming)
    let count = min(ciphertext.count, room)
    guard count > 0 else { return 0 }
    let kept = unsafe BIO_write(incoming, ciphertext.baseAddress, CInt(count))
    guard kept == count else { throw fail(.unavailable(reason: takeOpenSSLReason())) }
    return count
  }

  /// The number of ciphertext bytes to send.
  public var pendingCiphertext: Int {
    unsafe BIO_ctrl_pending(outgoing)
  }

  /// Moves ciphertext to send into `buffer`; returns the number of bytes.
  public func takeCiphertext(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard buffer.count > 0, pendingCiphertext > 0 else { return 0 }
    let count = unsafe BIO_read(outgoing, buffer.baseAddress, CInt(clamping: buffer.count))
    return max(0, Int(count))
  }

  /// Releases the memory of each direction that is empty, for an idle connection.
  public func releaseBuffers() {
    if unsafe BIO_ctrl_pending(incoming) == 0, let fresh = unsafe catraca_bio_new_memory() {
      unsafe SSL_set0_rbio(handle, fresh)
      unsafe incoming = unsafe fresh
    }
    if unsafe BIO_ctrl_pending(outgoing) == 0, let fresh = unsafe catraca_bio_new_memory() {
      unsafe SSL_set0_wbio(handle, fresh)
      unsafe outgoing = unsafe fresh
    }
  }

  // MARK: Plaintext

  /// Continues the handshake as far as the received ciphertext allows. After a failure, an alert
  /// for the peer may be waiting to be sent.
  /// - Throws: `TLSError.handshakeFailed`.
  public func handshake() throws(TLSError) -> Handshake {
    if let failure { throw failure }
    guard !isEstablished else { return .complete }
    ERR_clear_error()
    let status = unsafe SSL_do_handshake(handle)
    if status == 1 {
      isEstablished = true
      return .complete
    }
    guard unsafe SSL_get_error(handle, status) == SSL_ERROR_WANT_READ else {
      throw fail(.handshakeFailed(reason: takeOpenSSLReason()))
    }
    return .incomplete
  }

  /// Reads at most `buffer.count` bytes of plaintext.
  /// - Throws: `TLSError.broken`, or the error with which the session failed earlier.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> Reading {
    if let failure { throw failure }
    // Reading can produce ciphertext (key updates). A peer that never reads it must not fill the
    // memory.
    guard isEstablished, buffer.count > 0, pendingCiphertext < TLSSession.bufferLimit else {
      return .incomplete
    }
    ERR_clear_error()
    let count = unsafe SSL_read(handle, buffer.baseAddress, CInt(clamping: buffer.count))
    if count > 0 { return .bytes(Int(count)) }
    switch unsafe SSL_get_error(handle, count) {
    case SSL_ERROR_WANT_READ: return .incomplete
    case SSL_ERROR_ZERO_RETURN: return .end
    default: throw fail(.broken(reason: takeOpenSSLReason()))
    }
  }

  /// Encrypts plaintext; returns the number of bytes taken. None are taken before the handshake is
  /// complete, and fewer than all if ciphertext must be taken first.
  /// - Throws: `TLSError.broken`, or the error with which the session failed earlier.
  public func write(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) -> Int {
    if let failure { throw failure }
    guard isEstablished, !isClosing else { return 0 }
    var written = 0
    while written < plaintext.count, pendingCiphertext < TLSSession.bufferLimit / 2 {
      let record = unsafe UnsafeRawBufferPointer(
        rebasing: plaintext[written...].prefix(Int(SSL3_RT_MAX_PLAIN_LENGTH)))
      ERR_clear_error()
      let count = unsafe SSL_write(handle, record.baseAddress, CInt(record.count))
      guard count > 0 else {
        // A write may have to wait for the peer during a key update.
        if unsafe SSL_get_error(handle, count) == SSL_ERROR_WANT_READ { break }
        throw fail(.broken(reason: takeOpenSSLReason()))
      }
      written += Int(count)
    }
    return written
  }

  /// Tells the peer that nothing more will be written (close_notify). Reading may continue.
  public func close() {
    guard isEstablished, !isClosing, failure == nil else { return }
    isClosing = true
    ERR_clear_error()
    // 0 means sent, with the peer's close_notify still to come. After a failure, no peer is left to
    // be told.
    if unsafe SSL_shutdown(handle) < 0 { ERR_clear_error() }
  }

  /// A failed session stays failed: OpenSSL forbids further calls, and the alert was already
  /// produced.
  private func fail(_ error: TLSError) -> TLSError {
    failure = error
    return error
  }

  // MARK: Results of the handshake

  /// The agreed application protocol; nil if the client asked for none.
  public var applicationProtocol: String? {
    var name: UnsafePointer<UInt8>?
    var length: CUnsignedInt = 0
    unsafe SSL_get0_alpn_selected(handle, &name, &length)
    guard let name = unsafe name, length > 0 else { return nil }
    return unsafe String(
      decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
  }

  /// The version in use, for example `TLSv1.3`.
  public var version: String {
    unsafe String(cString: SSL_get_version(handle))
  }
}
