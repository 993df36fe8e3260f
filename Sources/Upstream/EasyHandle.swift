internal import CCurl
internal import EventLoop
internal import HTTP

/// Owns one easy handle of libcurl. It serves one transfer after the other, and options that all
/// requests share are set once.
@safe final class EasyHandle {
  /// The largest body, in bytes, that libcurl copies and sends in one system call with the head. A
  /// larger body is read from its array in pieces.
  static let copiedBodyBytes = 64 << 10
  /// The bytes of a response that libcurl reads at once. libcurl keeps a buffer of this size plus
  /// one byte during the transfer; the system provides memory only for the filled part.
  static let receiveBufferBytes = (16 << 10) - 1

  /// The bytes that libcurl takes at once of a body that it doesn't copy. libcurl keeps a buffer of
  /// this size too, and accepts no smaller one.
  private static let sendBufferBytes = 16 << 10

  let pointer: UnsafeMutableRawPointer
  /// The transfer that the callbacks serve. The reference is unowned, because a dropped transfer
  /// removes itself.
  unowned var transfer: Transfer?
  /// The stand-in's call that replaces libcurl for this transfer; nil without a stand-in.
  var standInCall: StandInCall?
  /// The timer of the transfer's connect timeout, and then of its idle timeout.
  private(set) lazy var timer = LoopTimer(on: loop) { [unowned self] in transfer?.timedOut() }
  private let loop: EventLoop
  /// The shared sessions, which must live as long as the handle.
  private let sessions: SharedSessions
  private let httpsVersion: Int
  private var headers: HeaderList?
  /// The URL of the last request, which is usually the next one's too.
  private var url: String?
  private var parsedURL: ParsedURL?
  private var authorities = Authorities()

  /// The authorities that verify certificates.
  private struct Authorities {
    var systemFile: String?
    var systemDirectory: String?
    /// The file that was added to the system's authorities; nil for none.
    var addedFile: String?
  }

  init(
    on loop: EventLoop, sockets: ConnectionSockets, sessions: SharedSessions,
    settings: UpstreamSettings
  ) {
    guard let pointer = unsafe curl_easy_init() else { preconditionFailure("out of memory") }
    unsafe self.pointer = pointer
    self.loop = loop
    self.sessions = sessions
    httpsVersion = settings.usesHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
    unsafe setCallbacks(sockets: Unmanaged.passUnretained(sockets).toOpaque())
    setConnectionOptions(settings)
    setTrustOptions()
    check(unsafe catraca_curl_set_share(self.pointer, sessions.pointer))
  }

  deinit {
    unsafe curl_easy_cleanup(pointer)
  }

  /// Returns the handle of a callback or message.
  static func at(_ context: UnsafeMutableRawPointer?) -> EasyHandle {
    guard let context = unsafe context else { preconditionFailure("libcurl lost our pointer") }
    return unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
  }

  // MARK: Options of all requests

  private func setCallbacks(sockets: UnsafeMutableRawPointer) {
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    for option in [
      CURLOPT_PRIVATE, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA,
      CURLOPT_PREREQDATA,
    ] {
      check(unsafe catraca_curl_set_pointer(pointer, option, own))
    }
    check(unsafe catraca_curl_set_pointer(pointer, CURLOPT_OPENSOCKETDATA, sockets))
    check(unsafe catraca_curl_set_pointer(pointer, CURLOPT_CLOSESOCKETDATA, sockets))
    check(unsafe catraca_curl_set_write_callback(pointer, CURLOPT_WRITEFUNCTION, receiveBody))
    check(unsafe catraca_curl_set_write_callback(pointer, CURLOPT_HEADERFUNCTION, receiveHeader))
    check(unsafe catraca_curl_set_read_callback(pointer, provideBody))
    check(unsafe catraca_curl_set_seek_callback(pointer, rewindBody))
    check(unsafe catraca_curl_set_prereq_callback(pointer, willSend))
    check(unsafe catraca_curl_set_open_callback(pointer, openSocket))
    check(unsafe catraca_curl_set_close_callback(pointer, closeSocket))
  }

  private func setConnectionOptions(_ settings: UpstreamSettings) {
    set(CURLOPT_NOSIGNAL, 1)
    // A transfer that ends during name resolution doesn't wait for the resolver's thread, which
    // would block the loop while a name server is silent.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    // No proxy is used, and the environment isn't searched for one.
    set(CURLOPT_NOPROXY, "*")
    set(CURLOPT_PATH_AS_IS, 1)
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    set(CURLOPT_HTTP09_ALLOWED, 0)
    set(CURLOPT_TCP_NODELAY, 1)
    set(CURLOPT_BUFFERSIZE, EasyHandle.receiveBufferBytes)
    set(CURLOPT_UPLOAD_BUFFERSIZE, EasyHandle.sendBufferBytes)
    // A model may think for minutes without sending a byte, which is longer than some address
    // translators remember a connection.
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_MAXAGE_CONN, Int(settings.idleConnectionAge.components.seconds))
    // Simultaneous first requests wait for one connection that they can share.
    set(CURLOPT_PIPEWAIT, 1)
  }

  private func setTrustOptions() {
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    authorities.systemFile = string(CURLINFO_CAINFO)
    authorities.systemDirectory = string(CURLINFO_CAPATH)
    trustSystem()
  }

  // MARK: Options of one request

  /// Sets the handle up for `request`.
  /// - Throws: `UpstreamError.unreachable(.address)` for a URL that libcurl refuses.
  func prepare(_ request: UpstreamRequest) throws(UpstreamError) {
    if request.url != url { try setURL(request.url) }
    // Over clear text, HTTP/2 isn't used.
    let isSecure = request.url.utf8.starts(with: "https:".utf8)
    let isUpgrade = if case .upgrade = request.body { true } else { false }
    set(
      CURLOPT_HTTP_VERSION, isSecure && !isUpgrade ? httpsVersion : CURL_HTTP_VERSION_1_1)
    // An upgraded connection serves nothing else, and it must not be a pooled one that may be dead.
    set(CURLOPT_FRESH_CONNECT, isUpgrade ? 1 : 0)
    set(CURLOPT_FORBID_REUSE, isUpgrade ? 1 : 0)
    let milliseconds =
      request.connectTimeout.components.seconds * 1_000
      + request.connectTimeout.components.attoseconds / 1_000_000_000_000_000
    set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, milliseconds)))
    if isSecure { trust(request.certificateAuthorities) }
    setBody(request.body, method: request.method)
    let list = HeaderList(request.fields, upgrades: isUpgrade)
    check(unsafe catraca_curl_set_headers(pointer, list.head))
    headers = consume list
  }

  private func setURL(_ text: String) throws(UpstreamError) {
    url = nil
    // If libcurl can't parse the URL, the transfer ends with that error.
    let parsed = ParsedURL(text)
    check(unsafe catraca_curl_set_url(pointer, parsed?.pointer))
    // The previous URL must live until here.
    parsedURL = parsed
    let isAccepted = unsafe catraca_curl_set_string(pointer, CURLOPT_URL, text)
    guard isAccepted == CURLE_OK, !text.utf8.contains(0) else { throw .unreachable(.address) }
    url = text
  }

  /// The number of bytes of the request's body that were sent.
  var sentBodyBytes: Int64 {
    Int64(unsafe catraca_curl_get_size(pointer, CURLINFO_SIZE_UPLOAD_T))
  }

  /// Releases libcurl's copy of the body, when it won't be sent again.
  func forgetBody() {
    check(unsafe catraca_curl_set_copied_body(pointer, nil))
  }

  /// Releases the request's fields and body, which are secrets. Must not be called while libcurl is
  /// working.
  func clear() {
    check(unsafe catraca_curl_set_headers(pointer, nil))
    headers = nil
    forgetBody()
  }

  private func setBody(_ body: UpstreamBody, method: Method) {
    // Resets the options of any other method.
    set(CURLOPT_HTTPGET, 1)
    var usual: Method = .get
    switch (method, body) {
    case (.head, _):
      set(CURLOPT_NOBODY, 1)
      usual = .head
    case (_, .stream(let length)):
      setPost(length: length ?? -1)
      usual = .post
    case (_, .upgrade):
      // For libcurl, the client's half is a body without a length. The fields forbid its framing.
      setPost(length: -1)
      usual = .post
    case (_, .bytes(let bytes)):
      setPost(length: Int64(bytes.count))
      if bytes.count <= EasyHandle.copiedBodyBytes { copyBody(bytes) }
      usual = .post
    case (.post, .none), (.put, .none), (.patch, .none):
      // These methods send `Content-Length: 0`.
      setPost(length: 0)
      copyBody([])
      usual = .post
    case (_, .none):
      break
    }
    set(CURLOPT_CUSTOMREQUEST, method == usual ? nil : method.name)
  }

  private func setPost(length: Int64) {
    set(CURLOPT_POST, 1)
    check(unsafe catraca_curl_set_copied_body(pointer, nil))
    check(unsafe catraca_curl_set_size(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(length)))
  }

  private func copyBody(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { bytes in
      check(unsafe catraca_curl_set_copied_body(pointer, bytes.baseAddress))
    }
  }

  private func trust(_ file: String?) {
    guard file != authorities.addedFile else { return }
    authorities.addedFile = file
    guard let file else { return trustSystem() }
    // libcurl accepts one file and one directory, so the system's authorities come from the
    // directory.
    set(CURLOPT_CAINFO, file)
    set(CURLOPT_CAPATH, authorities.systemDirectory)
  }

  /// Trusts the system's authorities from one file, which libcurl caches after parsing. With a
  /// directory in addition, libcurl would parse the file for each connection, which takes 10 ms and
  /// more.
  private func trustSystem() {
    set(CURLOPT_CAINFO, authorities.systemFile)
    set(CURLOPT_CAPATH, authorities.systemFile == nil ? authorities.systemDirectory : nil)
  }

  // MARK: Doors

  private func set(_ option: CURLoption, _ value: Int) {
    check(unsafe catraca_curl_set_long(pointer, option, value))
  }

  private func set(_ option: CURLoption, _ value: String?) {
    check(unsafe catraca_curl_set_string(pointer, option, value))
  }

  private func string(_ information: CURLINFO) -> String? {
    guard let text = unsafe catraca_curl_get_string(pointer, information) else { return nil }
    return unsafe String(cString: text)
  }

  private func check(_ status: CURLcode) {
    precondition(status == CURLE_OK, "libcurl refused an option with \(status.rawValue)")
  }
}

extension UpstreamRequest {
  var sendsBody: Bool {
    switch (method, body) {
    case (.head, _), (_, .none): false
    case (_, .bytes), (_, .stream), (_, .upgrade): true
    }
  }
}
