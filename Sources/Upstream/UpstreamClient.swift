internal import CCurl
public import EventLoop

/// The connections of one event loop to providers: a libcurl multi handle that the loop drives.
///
/// libcurl names the sockets and the time that it waits for, and the loop reports them. No call
/// blocks. All code runs on the loop's thread. The client must be closed before it is dropped.
@safe public final class UpstreamClient {
  public let loop: EventLoop
  public let settings: UpstreamSettings
  /// The number of transfers that were started and haven't ended.
  public private(set) var transferCount = 0

  /// Replaces libcurl in tests; nil otherwise.
  private let standIn: (any UpstreamStandIn)?
  private let sockets: ConnectionSockets
  private let sessions = SharedSessions()
  private var multi: UnsafeMutableRawPointer?
  private var idleHandles: [EasyHandle] = []
  private lazy var timer = LoopTimer(on: loop) { [unowned self] in perform() }
  /// Upgraded transfers whose provider has ended its half.
  private var halfEnded: [Transfer] = []
  private lazy var halfEndTimer = LoopTimer(on: loop) { [unowned self] in endHalves() }

  /// The most easy handles that are kept for later transfers; further ones are freed.
  private static let maximumIdleHandles = 256

  public convenience init(on loop: EventLoop, settings: UpstreamSettings = UpstreamSettings()) {
    self.init(on: loop, settings: settings, standIn: nil)
  }

  package init(
    on loop: EventLoop, settings: UpstreamSettings = UpstreamSettings(),
    standIn: (any UpstreamStandIn)?
  ) {
    loop.preconditionOnLoop()
    CurlLibrary.initialize()
    guard let multi = unsafe curl_multi_init() else { preconditionFailure("out of memory") }
    self.loop = loop
    self.settings = settings
    self.standIn = standIn
    unsafe self.multi = multi
    sockets = ConnectionSockets(on: loop)
    sockets.becameReady = { [unowned self] in perform($0, $1) }
    unsafe configure(multi)
  }

  private func configure(_ multi: UnsafeMutableRawPointer) {
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    let table = unsafe Unmanaged.passUnretained(sockets).toOpaque()
    unsafe catraca_curl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, table)
    unsafe catraca_curl_multi_set_socket_callback(multi, interestChanged)
    unsafe catraca_curl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, own)
    unsafe catraca_curl_multi_set_timer_callback(multi, deadlineChanged)
    for (option, value) in [
      (CURLMOPT_MAXCONNECTS, settings.maximumIdleConnections),
      (CURLMOPT_MAX_HOST_CONNECTIONS, settings.maximumConnectionsPerHost),
      (CURLMOPT_MAX_TOTAL_CONNECTIONS, settings.maximumConnections),
      (CURLMOPT_PIPELINING, settings.usesHTTP2 ? Int(CURLPIPE_MULTIPLEX) : 0),
    ] {
      unsafe catraca_curl_multi_set_long(multi, option, value)
    }
  }

  /// Starts a request and returns its transfer.
  /// - Throws: `UpstreamError.tooManyTransfers`, or `UpstreamError.unreachable(.address)` for a
  ///   malformed URL.
  public func start(_ request: UpstreamRequest) throws(UpstreamError) -> Transfer {
    loop.preconditionOnLoop()
    guard let multi = unsafe multi, transferCount < settings.maximumTransfers else {
      throw .tooManyTransfers
    }
    let handle =
      idleHandles.popLast()
      ?? EasyHandle(on: loop, sockets: sockets, sessions: sessions, settings: settings)
    try handle.prepare(request)
    let transfer = Transfer(request, handle, self)
    transferCount += 1
    if let standIn {
      let call = StandInCall(request, transfer)
      handle.standInCall = call
      standIn.receive(call)
      return transfer
    }
    let status = unsafe curl_multi_add_handle(multi, handle.pointer)
    precondition(status == CURLM_OK, "libcurl refused a transfer with \(status.rawValue)")
    // The timer that libcurl has set to now would send the request one turn later.
    perform()
    return transfer
  }

  /// Closes the idle connections. No transfer may be in progress, and none can be started
  /// afterwards.
  public func close() {
    loop.preconditionOnLoop()
    precondition(transferCount == 0, "transfers end before their client")
    idleHandles = []
    timer.stop()
    halfEndTimer.stop()
    unsafe curl_multi_cleanup(multi)
    unsafe multi = nil
  }

  deinit {
    precondition(isClosed, "a client is closed before it is dropped")
  }

  private var isClosed: Bool {
    if case .none = unsafe multi { true } else { false }
  }

  // MARK: Driving libcurl

  /// Sets the time at which libcurl wants to be called without an event; a negative time means
  /// never.
  func schedule(milliseconds: Int) {
    if milliseconds < 0 {
      timer.stop()
    } else {
      timer.start(after: .milliseconds(milliseconds))
    }
  }

  /// Makes libcurl act on a socket's events, or on the time.
  private func perform(_ descriptor: CInt = CURL_SOCKET_TIMEOUT, _ events: CInt = 0) {
    guard let multi = unsafe multi else { return }
    var running: CInt = 0
    let status = unsafe curl_multi_socket_action(multi, descriptor, events, &running)
    precondition(status == CURLM_OK, "libcurl refused an event with \(status.rawValue)")
    unsafe finishTransfers(multi)
  }

  private func finishTransfers(_ multi: UnsafeMutableRawPointer) {
    var waiting: CInt = 0
    while let message = unsafe curl_multi_info_read(multi, &waiting) {
      guard let easy = unsafe message.pointee.easy_handle else { continue }
      // The message is invalid after its handle is removed, so its result is read first.
      let result = unsafe message.pointee.data.result
      let handle = unsafe EasyHandle.at(catraca_curl_get_private(easy))
      handle.transfer?.finish(result)
    }
  }

  private func endHalves() {
    let transfers = halfEnded
    halfEnded = []
    for transfer in transfers { transfer.providerEnded() }
  }

  // MARK: For transfers

  /// Returns the error of a transfer that ended with `result`, which isn't `CURLE_OK`.
  func error(for result: CURLcode, wasSent: Bool) -> UpstreamError {
    if result == CURLE_COULDNT_CONNECT, !wasSent, sockets.isOutOfDescriptors {
      return .tooManyTransfers
    }
    return UpstreamFailure.error(for: result, wasSent: wasSent)
  }

  /// Schedules a call of `providerEnded` outside libcurl's callback.
  func noteHalfEnd(of transfer: Transfer) {
    halfEnded.append(transfer)
    halfEndTimer.start(after: .zero)
  }

  /// Takes a transfer's handle back, and ends the handle's work.
  func release(_ handle: EasyHandle) {
    guard let multi = unsafe multi else { return }
    handle.transfer = nil
    handle.timer.stop()
    if let call = handle.standInCall.take() {
      call.ended()
    } else {
      let status = unsafe curl_multi_remove_handle(multi, handle.pointer)
      precondition(status == CURLM_OK, "libcurl kept a transfer with \(status.rawValue)")
    }
    handle.clear()
    transferCount -= 1
    if idleHandles.count < UpstreamClient.maximumIdleHandles { idleHandles.append(handle) }
  }
}
