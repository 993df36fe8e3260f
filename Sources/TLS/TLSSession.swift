internal import COpenSSL

/// One TLS connection as a machine: ciphertext goes in and comes out, plaintext likewise, and
/// every step is complete, incomplete or failed. It never touches a socket.
///
/// Its owner moves bytes between it and a socket, in this order and until nothing moves:
/// `receive` what the socket had, `handshake` until it is complete, `read`, `write`, and after
/// each of them send what `takeCiphertext` gives. It belongs to one event loop.
@safe public final class TLSSession {
  /// What a step came to.
  public enum Handshake: Hashable, Sendable {
    case complete
    /// The peer has to say more first; there may be ciphertext to send.
    case incomplete
  }

  public enum Reading: Hashable, Sendable {
    /// So many bytes of plaintext, at least one.
    case bytes(Int)
    /// The peer has to say more first, or ciphertext has to be taken before reading goes on.
    case incomplete
    /// The peer has ended its side as it should (close_notify).
    case end
  }

  /// So much ciphertext is kept in either direction: two records of the largest size. Whoever
  /// brings more gets the rest back.
  public static let bufferLimit = 2 * 17 * 1024

  private let handle: OpaquePointer
  private var incoming: OpaquePointer
  private var outgoing: OpaquePointer
  private var failure: TLSError?
  private var isClosing = false

  /// The handshake is over: plaintext may be read and written.
  public private(set) var isEstablished = false

  /// The server's side of a new connection.
  public convenience init(server context: TLSContext) throws(TLSError) {
    try self.init(context)
    unsafe SSL_set_accept_state(handle)
  }

  /// The client's side of a new connection to `serverName`, which the certificate has to name.
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
    // The session owns both from here on.
    unsafe SSL_set_bio(handle, incoming, outgoing)
    unsafe self.handle = unsafe handle
    unsafe self.incoming = unsafe incoming
    unsafe self.outgoing = unsafe outgoing
  }

  deinit {
    unsafe SSL_free(handle)
  }

  // MARK: Ciphertext

  /// Takes in what the peer has sent; returns how much of it was kept. When that is not all, the
  /// rest has to be offered again after reading.
  public func receive(_ ciphertext: UnsafeRawBufferPointer) throws(TLSError) -> Int {
    let room = unsafe TLSSession.bufferLimit - BIO_ctrl_pending(incoming)
    let count = min(ciphertext.count, room)
    guard count > 0 else { return 0 }
    let kept = unsafe BIO_write(incoming, ciphertext.baseAddress, CInt(count))
    guard kept == count else { throw fail(.unavailable(reason: takeOpenSSLReason())) }
    return count
  }

  /// How much ciphertext waits to be sent.
  public var pendingCiphertext: Int {
    unsafe BIO_ctrl_pending(outgoing)
  }

  /// Moves ciphertext that has to be sent into `buffer`; returns how much.
  public func takeCiphertext(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard buffer.count > 0, pendingCiphertext > 0 else { return 0 }
    let count = unsafe BIO_read(outgoing, buffer.baseAddress, CInt(clamping: buffer.count))
    return max(0, Int(count))
  }

  /// Gives back the memory of both directions where it is empty: for a connection that has become
  /// idle.
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

  /// Goes on with the handshake as far as the ciphertext received allows. On failure an alert for
  /// the peer may wait to be sent.
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

  /// Reads plaintext, at most `buffer.count` bytes.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> Reading {
    if let failure { throw failure }
    // Reading can make answers (key updates); a peer that never reads them must not fill memory.
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

  /// Encrypts plaintext; returns how much of it was taken: none before the handshake is complete,
  /// and less than all when ciphertext has to be taken first.
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
        // A write that waits for the peer is possible in the midst of its key update.
        if unsafe SSL_get_error(handle, count) == SSL_ERROR_WANT_READ { break }
        throw fail(.broken(reason: takeOpenSSLReason()))
      }
      written += Int(count)
    }
    return written
  }

  /// Tells the peer that nothing more will be written (close_notify). Reading may go on.
  public func close() {
    guard isEstablished, !isClosing, failure == nil else { return }
    isClosing = true
    ERR_clear_error()
    // 0: sent, the peer's is yet to come. A failure means that there is nobody to tell.
    if unsafe SSL_shutdown(handle) < 0 { ERR_clear_error() }
  }

  /// A failed session stays failed: OpenSSL forbids further calls, and the alert is already out.
  private func fail(_ error: TLSError) -> TLSError {
    failure = error
    return error
  }

  // MARK: What was agreed

  /// The application protocol that both sides agreed on, if the client asked for one.
  public var applicationProtocol: String? {
    var name: UnsafePointer<UInt8>?
    var length: CUnsignedInt = 0
    unsafe SSL_get0_alpn_selected(handle, &name, &length)
    guard let name = unsafe name, length > 0 else { return nil }
    return unsafe String(
      decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
  }

  /// The version spoken, such as `TLSv1.3`.
  public var version: String {
    unsafe String(cString: SSL_get_version(handle))
  }
}
