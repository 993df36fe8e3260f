internal import CLinux
internal import Glibc

/// One TCP connection of an event loop. Reads and writes never block, and waits suspend the task.
///
/// The socket is registered once, edge-triggered, for its whole life. `isReadable` and `isWritable`
/// store the last edge, so that a system call is made only if it can succeed.
public final class StreamSocket: ReadinessHandler {
  /// The result of a read or write.
  public enum Progress: Equatable {
    /// The number of bytes, at least one.
    case bytes(Int)
    /// No bytes now. Wait and retry.
    case wouldBlock
    /// The peer has ended its side.
    case end
    /// The connection is broken.
    case broken
  }

  public let loop: EventLoop
  private let descriptor: CInt
  private var registration: Registration?
  private var isReadable = true
  private var isWritable = true
  private let reader = Waiter<Void>()
  private let writer = Waiter<Void>()

  /// Whether the peer has closed its side or the connection broke. Unread bytes may remain.
  public private(set) var isHungUp = false
  /// Called once when the peer hangs up, even if no task reads.
  public var onHangup: (() -> Void)?

  init(adopting descriptor: CInt, on loop: EventLoop) throws(SystemError) {
    self.descriptor = descriptor
    self.loop = loop
    var on: CInt = 1
    unsafe setsockopt(
      descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on,
      socklen_t(MemoryLayout<CInt>.size))
    do {
      registration = try loop.register(
        descriptor, [.readable, .writable, .hangup], edgeTriggered: true, handler: self)
    } catch {
      CLinux.close(descriptor)
      throw error
    }
  }

  /// Creates the two ends of a stream in the kernel's memory, without an address or a listener. It
  /// is for tests that act as a client on the loop of the server.
  ///
  /// - Throws: `SystemError` if the process has no descriptors left.
  package static func pair(on loop: EventLoop) throws(SystemError) -> (StreamSocket, StreamSocket) {
    var ends: (CInt, CInt) = (-1, -1)
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let status = unsafe withUnsafeMutablePointer(to: &ends) { ends in
      unsafe ends.withMemoryRebound(to: CInt.self, capacity: 2) {
        unsafe socketpair(AF_UNIX, kind, 0, $0)
      }
    }
    guard status == 0 else { throw SystemError.last("socketpair") }
    return (
      try StreamSocket(adopting: ends.0, on: loop), try StreamSocket(adopting: ends.1, on: loop)
    )
  }

  deinit {
    precondition(registration == nil, "a connection is closed before it is dropped")
  }

  public var isOpen: Bool { registration != nil }

  /// The peer's address; nil if the connection no longer exists.
  public var peer: SocketAddress? {
    guard isOpen else { return nil }
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe getpeername(descriptor, address, &length)
      }
    }
    return status == 0 ? SocketAddress(kernel: storage) : nil
  }

  // MARK: Bytes

  /// Reads the available bytes, at most `buffer.count`.
  public func read(into buffer: UnsafeMutableRawBufferPointer) -> Progress {
    guard isOpen else { return .broken }
    guard isReadable else { return .wouldBlock }
    let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
    if count > 0 {
      // A short read has emptied the socket, and the next edge reports further bytes. After a
      // hang-up no edge follows, so the end must be read.
      if count < buffer.count && !isHungUp { isReadable = false }
      return .bytes(count)
    }
    if count == 0 { return .end }
    return failure { isReadable = false }
  }

  /// Writes as many bytes as the kernel takes.
  public func write(_ bytes: UnsafeRawBufferPointer) -> Progress {
    guard isOpen else { return .broken }
    guard isWritable else { return .wouldBlock }
    let count = unsafe send(
      descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
    return written(count, of: bytes.count)
  }

  /// Writes as many bytes of three pieces in turn as the kernel takes.
  public func write(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer,
    _ third: UnsafeRawBufferPointer
  ) -> Progress {
    guard isOpen else { return .broken }
    guard isWritable else { return .wouldBlock }
    var pieces = unsafe (iovec(sending: first), iovec(sending: second), iovec(sending: third))
    let count = unsafe withUnsafeMutablePointer(to: &pieces) { pieces in
      unsafe pieces.withMemoryRebound(to: iovec.self, capacity: 3) { pieces in
        var message = unsafe msghdr()
        unsafe message.msg_iov = pieces
        unsafe message.msg_iovlen = 3
        return unsafe sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL))
      }
    }
    return written(count, of: first.count + second.count + third.count)
  }

  private func written(_ count: Int, of total: Int) -> Progress {
    if count >= 0 {
      if count < total { isWritable = false }
      return count == 0 ? .wouldBlock : .bytes(count)
    }
    return failure { isWritable = false }
  }

  private func failure(_ wouldBlock: () -> Void) -> Progress {
    switch errno {
    case EAGAIN:
      wouldBlock()
      return .wouldBlock
    case EINTR:
      return .wouldBlock
    default:
      return .broken
    }
  }

  // MARK: Waiting

  /// Suspends until there are bytes to read, the peer hangs up, or the socket is closed.
  public func waitReadable() async {
    loop.preconditionOnLoop()
    guard isOpen, !isReadable else { return }
    await reader.wait()
  }

  /// Suspends until bytes can be written, the connection breaks, or the socket is closed.
  public func waitWritable() async {
    loop.preconditionOnLoop()
    guard isOpen, !isWritable else { return }
    await writer.wait()
  }

  public func becameReady(_ readiness: Readiness) {
    let hungUp = !readiness.isDisjoint(with: .hangup)
    if hungUp || readiness.contains(.readable) {
      isReadable = true
      reader.wake()
    }
    if readiness.contains(.writable) || hungUp {
      isWritable = true
      writer.wake()
    }
    if hungUp && !isHungUp {
      isHungUp = true
      onHangup?()
    }
  }

  /// Wakes the waiting tasks without an event, so that they can check for a timeout or a stop.
  public func interruptWaits() {
    loop.preconditionOnLoop()
    reader.wake()
    writer.wake()
  }

  // MARK: The end

  /// Tells the peer that nothing more will be written.
  public func shutdownWriting() {
    guard isOpen else { return }
    shutdown(descriptor, CInt(SHUT_WR))
  }

  /// Closes the connection. With `reset`, the peer sees it as broken (RST) instead of ended.
  public func close(reset: Bool = false) {
    loop.preconditionOnLoop()
    guard let registration else { return }
    if reset {
      var linger = linger(l_onoff: 1, l_linger: 0)
      unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }
    loop.deregister(registration)
    self.registration = nil
    onHangup = nil
    CLinux.close(descriptor)
    reader.wake()
    writer.wake()
  }
}

extension iovec {
  fileprivate init(sending bytes: UnsafeRawBufferPointer) {
    unsafe self.init(
      iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
  }
}
