internal import CCurl
public import EventLoop

/// The connections of one event loop to providers: a libcurl multi handle driven by the loop.
///
/// libcurl says which sockets and which instant it waits for; the loop tells it when they come. No
/// call here blocks. Everything runs on the loop's thread. It must be closed before it is dropped.
@safe public final class UpstreamClient {
  public let loop: EventLoop
  public let settings: UpstreamSettings
  /// Transfers that were started and haven't ended.
  public private(set) var transferCount = 0

  /// Takes the requests in place of libcurl; nil but in tests.
  private let standIn: (any UpstreamStandIn)?
  private let sockets: ConnectionSockets
  private let sessions = SharedSessions()
  private var multi: UnsafeMutableRawPointer?
  private var idleHandles: [EasyHandle] = []
  private lazy var timer = LoopTimer(on: loop) { [unowned self] in perform() }
  /// Upgraded transfers whose provider has ended its half.
  private var halfEnded: [Transfer] = []
  private lazy var halfEndTimer = LoopTimer(on: loop) { [unowned self] in endHalves() }

  /// Easy handles kept for later transfers; more are freed.
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

  /// Starts a request; the transfer tells how it goes. Throws `tooManyTransfers`, or
  /// `unreachable(.address)` for a malformed URL.
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
    // Not by the timer that libcurl has set to now: the request would leave a turn later.
    perform()
    return transfer
  }

  /// Closes the idle connections. No transfer may be under way, and none can be started any more.
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

  /// When libcurl wants to be called without an event; negative: not at all.
  func schedule(milliseconds: Int) {
    if milliseconds < 0 {
      timer.stop()
    } else {
      timer.start(after: .milliseconds(milliseconds))
    }
  }

  /// Lets libcurl act on what a socket is ready for, or on the time.
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
      // The message is gone once the handle is taken out.
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

  /// Why a transfer ended with `result`, which isn't `CURLE_OK`.
  func error(for result: CURLcode, wasSent: Bool) -> UpstreamError {
    if result == CURLE_COULDNT_CONNECT, !wasSent, sockets.isOutOfDescriptors {
      return .tooManyTransfers
    }
    return UpstreamFailure.error(for: result, wasSent: wasSent)
  }

  /// Has `providerEnded` called, out of libcurl's callback.
  func noteHalfEnd(of transfer: Transfer) {
    halfEnded.append(transfer)
    halfEndTimer.start(after: .zero)
  }

  /// Takes a transfer's handle back, ending what it still does.
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
