internal import CCurl
public import EventLoop
internal import HTTP

/// One request in progress, with its response. Bytes stream both ways, with back-pressure in each
/// direction.
///
/// Received bytes wait in `received` until the owner takes them. At the high-water mark, libcurl is
/// paused, so that the provider's socket fills and the provider stops sending. Taking the bytes
/// resumes it. Bytes to send wait in `upload`. While it is full, `send` suspends; while it is
/// empty, libcurl's sending half is paused. A callback pauses by its return value. Resuming calls
/// libcurl, so it happens only in the owner's calls and never within a callback.
///
/// A transfer belongs to its loop's thread. One task may receive (`head`, `next`) and one may send;
/// any task may cancel. Dropping a transfer cancels it.
public final class Transfer {
  /// The number of unread bytes at which the provider is paused. At most one of libcurl's buffers
  /// (`EasyHandle.receiveBufferBytes`) is received beyond it.
  public static let highWaterMark = 256 << 10

  /// The most times that the request may be sent. A request that only reads is repeated once, if
  /// its pooled connection was closed without a byte of a response. The provider may have read the
  /// request before it closed the connection, so a request that creates something isn't repeated:
  /// it might be done and billed twice.
  private let maximumAttempts: Int

  public let startedAt = MonotonicInstant.now()
  /// The time at which the connection was ready and the request was sent; for a repeated request,
  /// the last time.
  public private(set) var sentAt: MonotonicInstant?
  /// The time at which the response's head was complete.
  public private(set) var respondedAt: MonotonicInstant?
  /// Whether the request used a connection that an earlier request had opened.
  public private(set) var isReused = false
  /// Whether bytes of the request may have reached the provider.
  public var wasSent: Bool { attempts > 0 }

  private enum Outcome {
    case complete
    case failed(UpstreamError)
  }

  private let client: UpstreamClient
  private let idleTimeout: Duration
  /// The time of the loop's turn from which the idle timer counts. One turn may deliver many lines.
  private var idleSince: MonotonicInstant?
  private let isUpgrade: Bool
  /// The easy handle; nil once libcurl has finished this transfer, which then has an outcome.
  private var handle: EasyHandle?
  private var outcome: Outcome?
  private var attempts = 0
  private var connectionsOpened = 0

  private var headReader: ResponseHeadReader
  private var isHeadInvalid = false
  /// The head; nil before it has arrived and after it was returned.
  private var responseHead: UpstreamResponseHead?
  private var received: [UInt8] = []
  private var isReceivingPaused = false

  private var upload: UploadQueue
  private var isUploadWanted: Bool
  private var isSendingPaused = false

  private let headWaiter = Waiter<Void>()
  private let bodyWaiter = Waiter<Void>()
  private let sendWaiter = Waiter<Void>()

  init(_ request: UpstreamRequest, _ handle: EasyHandle, _ client: UpstreamClient) {
    self.client = client
    self.handle = handle
    idleTimeout = request.idleTimeout
    upload = UploadQueue(request.body, keeper: request.bodyKeeper)
    isUploadWanted = request.sendsBody
    isUpgrade = if case .upgrade = request.body { true } else { false }
    maximumAttempts = request.method == .get || request.method == .head ? 2 : 1
    headReader = ResponseHeadReader(allowsUpgrade: isUpgrade)
    handle.transfer = self
    handle.timer.start(after: request.connectTimeout)
  }

  deinit {
    if let handle { client.release(handle) }
  }

  // MARK: Receiving

  /// Waits for the response's head, which is returned once. A stream may last for minutes after it
  /// and needs neither the head nor the request's body, so both are released.
  /// - Throws: `UpstreamError` if the transfer ended without a head.
  public func head() async throws(UpstreamError) -> UpstreamResponseHead {
    client.loop.preconditionOnLoop()
    while true {
      if let head = responseHead.take() {
        // libcurl ends no transfer whose sending is paused, even if libcurl itself stopped the
        // sending.
        if !isUploadWanted { resumeSending() }
        forgetSentBody()
        return head
      }
      if case .failed(let error) = outcome { throw error }
      precondition(!hasResponded, "a response's head is handed over once")
      await headWaiter.wait()
    }
  }

  private func forgetSentBody() {
    guard let handle, upload.forget(sent: handle.sentBodyBytes) else { return }
    handle.forgetBody()
  }

  private var hasResponded: Bool { respondedAt != nil }

  /// Whether bytes of the body have arrived that `next` returns at once.
  public var hasArrived: Bool { !received.isEmpty }

  /// Replaces the content of `buffer` by the arrived bytes of the body, after waiting for at least
  /// one byte. Returns false, with an empty buffer, at the proper end of the body. If the body was
  /// cut off, throws after all bytes before the cut were returned.
  ///
  /// The array is moved instead of copied, and its capacity is lent to other transfers during the
  /// wait. A caller that passes the same variable each time uses one of the loop's spare arrays.
  /// - Throws: `UpstreamError`.
  public func next(into buffer: inout [UInt8]) async throws(UpstreamError) -> Bool {
    client.loop.preconditionOnLoop()
    buffer.removeAll(keepingCapacity: true)
    while received.isEmpty {
      switch outcome {
      case .complete: return false
      case .failed(let error): throw error
      case nil:
        client.loop.spareBytes.takeBack(&buffer)
        await bodyWaiter.wait()
      }
    }
    swap(&buffer, &received)
    if isReceivingPaused {
      isReceivingPaused = false
      resume()
    }
    return true
  }

  // MARK: Sending

  /// Sends content of a `.stream` body, at most as much as was announced, and waits while much is
  /// unsent. Returns false if the provider wants no more: it may answer without reading the whole
  /// body.
  /// - Throws: `UpstreamError` if the transfer has failed.
  public func send(_ bytes: [UInt8]) async throws(UpstreamError) -> Bool {
    client.loop.preconditionOnLoop()
    if isUploadWanted {
      upload.append(bytes)
      resumeSending()
    }
    while upload.isFull && isUploadWanted { await sendWaiter.wait() }
    if case .failed(let error) = outcome { throw error }
    return isUploadWanted
  }

  /// Ends a `.stream` body. If it is shorter than announced, the provider can't receive it whole,
  /// and the transfer is canceled.
  public func finishSending() {
    client.loop.preconditionOnLoop()
    guard isUploadWanted else { return }
    upload.finish()
    if upload.isShort {
      cancel()
    } else {
      resumeSending()
    }
  }

  private func resumeSending() {
    guard isSendingPaused else { return }
    isSendingPaused = false
    resume()
  }

  /// Tells libcurl which halves are still paused. libcurl then calls `receiveBody` with the bytes
  /// that it has kept.
  private func resume() {
    guard let handle else { return }
    restartIdleTimer()
    if let call = handle.standInCall { return call.resumed() }
    let paused =
      (isReceivingPaused ? CURLPAUSE_RECV : 0) | (isSendingPaused ? CURLPAUSE_SEND : 0)
    let status = unsafe curl_easy_pause(handle.pointer, paused)
    if status != CURLE_OK { finish(status) }
  }

  // MARK: The end

  /// Ends the transfer, if it hasn't ended. `head`, `next` and `send` throw `cancelled`, even if
  /// they are suspended. The connection is closed unless it is shared.
  public func cancel() {
    client.loop.preconditionOnLoop()
    guard handle != nil else { return }
    responseHead = nil
    received = []
    end(.failed(.cancelled(wasSent: wasSent)))
  }

  /// Ends the sending half of an upgraded connection, after the provider has ended its half.
  func providerEnded() {
    guard handle != nil, isUploadWanted else { return }
    isUploadWanted = false
    upload.finish()
    sendWaiter.wake()
    resumeSending()
  }

  /// Ends the transfer after its connect or idle timeout.
  func timedOut() {
    end(.failed(.timeout(wasSent: wasSent)))
  }

  /// Ends the transfer with a stand-in's error.
  func fail(_ error: UpstreamError) {
    end(.failed(error))
  }

  /// Ends the transfer with libcurl's result.
  func finish(_ result: CURLcode) {
    // libcurl reports an upgrade without later bytes as no answer.
    let isSilentUpgrade = isUpgrade && hasResponded && result == CURLE_GOT_NOTHING
    if isHeadInvalid {
      end(.failed(.invalidResponse))
    } else if isSilentUpgrade {
      end(.complete)
    } else if result == CURLE_OK {
      // libcurl accepts a connection that was closed in the middle of the head.
      end(hasResponded ? .complete : .failed(.broken(.truncated)))
    } else {
      end(.failed(client.error(for: result, wasSent: wasSent)))
    }
  }

  private func end(_ outcome: Outcome) {
    guard let handle else { return }
    self.handle = nil
    self.outcome = outcome
    isUploadWanted = false
    client.release(handle)
    headWaiter.wake()
    bodyWaiter.wake()
    sendWaiter.wake()
  }

  /// Restarts the idle timer. Silence counts only while the provider could act, and not while bytes
  /// wait for the owner. Before an upgrade, there is nothing to send yet.
  private func restartIdleTimer() {
    let waitsForContent = isSendingPaused && !(isUpgrade && !hasResponded)
    if isReceivingPaused || waitsForContent {
      idleSince = nil
      handle?.timer.stop()
    } else if idleSince != client.loop.now {
      idleSince = client.loop.now
      handle?.timer.start(after: idleTimeout)
    }
  }
}

// MARK: - Called by libcurl

extension Transfer {
  /// Called when a connection is ready for the request. Returning false prevents sending.
  func willSend() -> Bool {
    guard let handle, attempts < maximumAttempts else { return false }
    attempts += 1
    sentAt = .now()
    let opened = unsafe catraca_curl_get_long(handle.pointer, CURLINFO_NUM_CONNECTS)
    isReused = opened == connectionsOpened
    connectionsOpened = opened
    restartIdleTimer()
    return true
  }

  /// Takes one line of the response's head; returns false if it isn't HTTP.
  func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    restartIdleTimer()
    let head: UpstreamResponseHead?
    do throws(ResponseHeadReader.Invalid) {
      head = try headReader.read(line: unsafe line.bindMemory(to: UInt8.self).span)
    } catch {
      isHeadInvalid = true
      return false
    }
    guard let head else { return true }
    responseHead = head
    respondedAt = .now()
    restartIdleTimer()
    // libcurl then stops sending.
    if head.status >= 300 { isUploadWanted = false }
    headWaiter.wake()
    sendWaiter.wake()
    return true
  }

  /// Called when libcurl waits for nothing more from the connection. On an upgraded connection
  /// whose sending half is paused, this is libcurl's only sign that the provider has ended its
  /// half.
  func lostInterest() {
    guard isUpgrade, hasResponded, !isReceivingPaused else { return }
    client.noteHalfEnd(of: self)
  }

  /// Takes bytes of the body; returns false without taking any to pause.
  func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    isReceivingPaused = received.count >= Self.highWaterMark
    restartIdleTimer()
    guard !isReceivingPaused else { return false }
    client.loop.spareBytes.lend(to: &received)
    unsafe received.append(contentsOf: bytes)
    bodyWaiter.wake()
    return true
  }

  /// Fills `buffer` with content to send; 0 ends the content, nil pauses.
  func provideBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
    let count = unsafe upload.take(into: buffer)
    isSendingPaused = count == nil
    restartIdleTimer()
    if !upload.isFull { sendWaiter.wake() }
    return count
  }

  func rewindBody() -> Bool {
    upload.rewind()
  }
}
