internal import CCurl
public import EventLoop
internal import HTTP

/// One request under way and its response: bytes stream both ways, and each side holds the other
/// back.
///
/// Received bytes wait in `received` until the owner takes them. At the high-water mark libcurl is
/// paused, so the provider's socket fills up and it stops sending; taking the bytes resumes it.
/// Bytes to send wait in `upload`: while it is full `send` suspends, while it is empty libcurl's
/// sending half is paused. Pausing is the answer of a callback; resuming calls libcurl, so it
/// happens in the owner's calls, never within a callback.
///
/// All of it belongs to the loop's thread. One task may receive (`head`, `next`) and one may send;
/// any may cancel. Dropping a transfer cancels it.
public final class Transfer {
  /// With as many unread bytes the provider is held back. At most one buffer of libcurl's
  /// (`EasyHandle.receiveBufferBytes`) is received above it.
  public static let highWaterMark = 256 << 10

  /// How often the request may go out: a second time if it only reads, and the pooled connection
  /// turned out to be dead, which was closed without a byte of a response. The provider may have
  /// read the request before it closed: whatever makes something would be made twice, and paid
  /// once.
  private let maximumAttempts: Int

  public let startedAt = MonotonicInstant.now()
  /// When the connection was ready and the request left; the last time, if it was repeated.
  public private(set) var sentAt: MonotonicInstant?
  /// When the response's head was complete.
  public private(set) var respondedAt: MonotonicInstant?
  /// Whether the request went out on a connection that an earlier one had opened.
  public private(set) var isReused = false
  /// Whether bytes of the request may have reached the provider.
  public var wasSent: Bool { attempts > 0 }

  private enum Outcome {
    case complete
    case failed(UpstreamError)
  }

  private let client: UpstreamClient
  private let idleTimeout: Duration
  /// The turn of the loop whose instant the idle timer counts from: a turn brings many lines.
  private var idleSince: MonotonicInstant?
  private let isUpgrade: Bool
  /// Nil once libcurl is done with this transfer; then there is an outcome.
  private var handle: EasyHandle?
  private var outcome: Outcome?
  private var attempts = 0
  private var connectionsOpened = 0

  private var headReader: ResponseHeadReader
  private var isHeadInvalid = false
  /// Nil before it has come, and after it was handed over.
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

  /// Waits for the response's head, which is handed over once: a stream may last for minutes after
  /// it, and needs neither that nor the request's body.
  public func head() async throws(UpstreamError) -> UpstreamResponseHead {
    client.loop.preconditionOnLoop()
    while true {
      if let head = responseHead.take() {
        // libcurl ends no transfer whose sending is paused, not even one that it stopped sending.
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

  /// Whether something has arrived of the body that `next` gives at once.
  public var hasArrived: Bool { !received.isEmpty }

  /// Replaces the content of `buffer` by what has arrived of the body, waiting for at least one
  /// byte. Returns false, with an empty buffer, at the proper end of the body; throws when it was
  /// cut, after what came before the cut was handed over.
  ///
  /// The array is taken over, not copied, and its room is lent to others while this waits: who
  /// hands the same variable in each time has one of the loop's spare arrays in use.
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

  /// Hands over content of a `.stream` body, at most as much as was announced, and waits while much
  /// is unsent. Returns whether more is wanted: a provider may answer without reading all of it.
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

  /// Ends a `.stream` body. One that is shorter than announced can't be whole for the provider: the
  /// transfer is cancelled.
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

  /// Tells libcurl which halves are still paused. Calls `receiveBody` with what it has kept.
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

  /// Ends the transfer, if it hasn't ended: `head`, `next` and `send` throw `cancelled`, also where
  /// they are suspended now. The connection is closed unless it is shared.
  public func cancel() {
    client.loop.preconditionOnLoop()
    guard handle != nil else { return }
    responseHead = nil
    received = []
    end(.failed(.cancelled(wasSent: wasSent)))
  }

  /// The provider has ended its half of an upgraded connection: so does this side.
  func providerEnded() {
    guard handle != nil, isUploadWanted else { return }
    isUploadWanted = false
    upload.finish()
    sendWaiter.wake()
    resumeSending()
  }

  /// The connect or the idle timeout has passed.
  func timedOut() {
    end(.failed(.timeout(wasSent: wasSent)))
  }

  /// A stand-in has the transfer fail.
  func fail(_ error: UpstreamError) {
    end(.failed(error))
  }

  /// libcurl is done.
  func finish(_ result: CURLcode) {
    // For libcurl an upgrade after which nothing came is no answer at all.
    let isSilentUpgrade = isUpgrade && hasResponded && result == CURLE_GOT_NOTHING
    if isHeadInvalid {
      end(.failed(.invalidResponse))
    } else if isSilentUpgrade {
      end(.complete)
    } else if result == CURLE_OK {
      // Closed in the middle of the head, a connection is all right for libcurl.
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

  /// A silence is the provider's only while nothing waits for our owner; before an upgrade there is
  /// nothing to send yet.
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
  /// A connection is ready for the request; false forbids to send it.
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

  /// One line of the response's head; false when it isn't HTTP.
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
    // libcurl stops sending then.
    if head.status >= 300 { isUploadWanted = false }
    headWaiter.wake()
    sendWaiter.wake()
    return true
  }

  /// libcurl waits for nothing more from the connection. Where both halves are one connection's,
  /// that is all it says of the end of the provider's while ours is paused.
  func lostInterest() {
    guard isUpgrade, hasResponded, !isReceivingPaused else { return }
    client.noteHalfEnd(of: self)
  }

  /// Bytes of the body; false, with nothing taken, pauses.
  func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    isReceivingPaused = received.count >= Self.highWaterMark
    restartIdleTimer()
    guard !isReceivingPaused else { return false }
    client.loop.spareBytes.lend(to: &received)
    unsafe received.append(contentsOf: bytes)
    bodyWaiter.wake()
    return true
  }

  /// Fills `buffer` with content to send: 0 ends it, nil pauses.
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
