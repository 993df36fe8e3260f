internal import CCurl
internal import EventLoop

/// Sends messages to a mail server with libcurl.
///
/// Mail is rare and no request waits for it, so each message has its own thread instead of an event
/// loop.
public enum MailTransfer {
  /// Sends a message in the format of RFC 5322. Returns when the server has accepted it for all
  /// recipients.
  ///
  /// - Parameter timeout: The limit for the whole delivery. Positive.
  /// - Throws: `MailError` if the server can't be reached or refuses the message.
  public static func send(
    _ message: [UInt8], _ envelope: MailEnvelope, within timeout: Duration
  ) async throws(MailError) {
    let outcome = Lock<Result<Void, MailError>?>(nil)
    let thread = Lock<Thread?>(nil)
    await withCheckedContinuation { caller in
      do {
        let sending = try Thread(name: "mail") {
          let result = MailTransfer.perform(message, envelope, within: timeout)
          outcome.withLock { $0 = result }
          caller.resume()
        }
        thread.withLock { $0 = sending }
      } catch {
        outcome.withLock { $0 = .failure(MailError(reason: "\(error)", status: nil)) }
        caller.resume()
      }
    }
    thread.withLock { $0.take() }?.join()
    guard let result = outcome.withLock({ $0 }) else {
      preconditionFailure("a transfer of mail ended without an outcome")
    }
    try result.get()
  }

  private static func perform(
    _ message: [UInt8], _ envelope: MailEnvelope, within timeout: Duration
  ) -> Result<Void, MailError> {
    CurlLibrary.initialize()
    return MailHandle(message, envelope, within: timeout).perform()
  }
}

/// Owns the easy handle of one message.
@safe private final class MailHandle {
  private let pointer: UnsafeMutableRawPointer
  private let message: [UInt8]
  private var sentBytes = 0
  private var recipients: UnsafeMutablePointer<curl_slist>?
  /// The first option that libcurl refused.
  private var refusal = CURLE_OK

  init(_ message: [UInt8], _ envelope: MailEnvelope, within timeout: Duration) {
    guard let pointer = unsafe curl_easy_init() else { preconditionFailure("out of memory") }
    unsafe self.pointer = pointer
    self.message = message
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
    set(CURLOPT_URL, envelope.server)
    // No proxy is used, not even one from the environment.
    set(CURLOPT_PROXY, "")
    let (seconds, attoseconds) = timeout.components
    set(CURLOPT_TIMEOUT_MS, Int(seconds * 1_000 + attoseconds / 1_000_000_000_000_000))
    setTrustOptions(envelope)
    set(CURLOPT_USERNAME, envelope.username)
    set(CURLOPT_PASSWORD, envelope.password)
    set(CURLOPT_MAIL_FROM, "<\(envelope.from)>")
    for address in envelope.to { add(recipient: "<\(address)>") }
    note(unsafe catraca_curl_set_recipients(pointer, recipients))
    set(CURLOPT_UPLOAD, 1)
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    note(unsafe catraca_curl_set_pointer(pointer, CURLOPT_READDATA, own))
    note(unsafe catraca_curl_set_read_callback(pointer, provideMessage))
    note(unsafe catraca_curl_set_write_callback(pointer, CURLOPT_WRITEFUNCTION, ignoreAnswer))
  }

  deinit {
    unsafe curl_easy_cleanup(pointer)
    unsafe curl_slist_free_all(recipients)
  }

  private func setTrustOptions(_ envelope: MailEnvelope) {
    let level = envelope.encryption == .required ? CURLUSESSL_ALL : CURLUSESSL_TRY
    set(CURLOPT_USE_SSL, Int(level.rawValue))
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    guard let file = envelope.certificateAuthorities else { return }
    // libcurl accepts one file and one directory, so the system's authorities stay in the
    // directory.
    set(CURLOPT_CAINFO, file)
  }

  private func add(recipient: String) {
    guard let list = unsafe curl_slist_append(recipients, recipient) else {
      preconditionFailure("out of memory")
    }
    unsafe recipients = list
  }

  func perform() -> Result<Void, MailError> {
    let code = refusal == CURLE_OK ? unsafe curl_easy_perform(pointer) : refusal
    guard code != CURLE_OK else { return .success(()) }
    let status = unsafe Int(catraca_curl_get_long(pointer, CURLINFO_RESPONSE_CODE))
    let reason = unsafe String(cString: curl_easy_strerror(code))
    return .failure(MailError(reason: reason, status: status == 0 ? nil : status))
  }

  /// Fills `buffer` with the next bytes of the message; returns 0 at its end.
  func provide(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    let piece = message[sentBytes...].prefix(buffer.count)
    unsafe buffer.copyBytes(from: piece)
    sentBytes += piece.count
    return piece.count
  }

  private func set(_ option: CURLoption, _ value: Int) {
    note(unsafe catraca_curl_set_long(pointer, option, value))
  }

  private func set(_ option: CURLoption, _ value: String?) {
    note(unsafe catraca_curl_set_string(pointer, option, value))
  }

  private func note(_ status: CURLcode) {
    if refusal == CURLE_OK { refusal = status }
  }
}

private let provideMessage: curl_read_callback = { buffer, size, count, context in
  guard let context = unsafe context else { return catraca_curl_read_abort() }
  let handle = unsafe Unmanaged<MailHandle>.fromOpaque(context).takeUnretainedValue()
  return unsafe handle.provide(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
}

/// The server's text isn't used.
private let ignoreAnswer: curl_write_callback = { _, size, count, _ in size * count }

/// The delivery of a message: its server, sender and recipients.
public struct MailEnvelope: Sendable {
  /// The requirement for TLS. A server's certificate is always verified.
  public enum Encryption: Sendable, Hashable {
    /// TLS is used if the server offers it.
    case whereOffered
    /// Without TLS, nothing is sent.
    case required
  }

  /// `smtp://HOST:PORT`, or `smtps://HOST:PORT` for TLS from the start.
  public var server: String
  public var encryption: Encryption
  /// The user name; nil for no sign-in.
  public var username: String?
  public var password: String?
  public var from: String
  public var to: [String]
  /// A PEM file of certificate authorities in addition to the system's; nil for none.
  public var certificateAuthorities: String?

  public init(
    server: String, encryption: Encryption, username: String?, password: String?, from: String,
    to: [String], certificateAuthorities: String?
  ) {
    self.server = server
    self.encryption = encryption
    self.username = username
    self.password = password
    self.from = from
    self.to = to
    self.certificateAuthorities = certificateAuthorities
  }
}

/// The reason that a message wasn't accepted.
public struct MailError: Error, Hashable, Sendable, CustomStringConvertible {
  /// libcurl's message; never text of the mail or of the server.
  public let reason: String
  /// The last status that the server sent; nil for none.
  public let status: Int?

  public var description: String {
    status.map { "\(reason) (status \($0))" } ?? reason
  }
}
