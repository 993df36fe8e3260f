internal import CLinux
internal import Glibc

/// A listening TCP socket of one event loop. Several loops listen on one address (SO_REUSEPORT),
/// and the kernel distributes the connections.
public final class ListeningSocket: ReadinessHandler {
  /// The address, with the port that the kernel assigned.
  public let address: SocketAddress
  private let descriptor: CInt
  private let loop: EventLoop
  private let accepted: (StreamSocket) -> Void
  private var registration: Registration?
  private lazy var pause = LoopTimer(on: loop) { [unowned self] in listen(for: .readable) }

  /// The number of connections that the kernel queues before they are accepted.
  private static let backlog: CInt = 4096
  /// The most connections that are accepted before other descriptors get their turn.
  private static let acceptsPerTurn = 64
  /// The pause of accepting after the process has run out of descriptors.
  private static let pauseWithoutDescriptors = Duration.milliseconds(100)

  /// Binds and listens. `accepted` is called on `loop` with each new connection.
  /// - Throws: `SystemError` if the address can't be listened on.
  public init(
    _ address: SocketAddress, on loop: EventLoop, accepted: @escaping (StreamSocket) -> Void
  ) throws(SystemError) {
    loop.preconditionOnLoop()
    self.loop = loop
    self.accepted = accepted
    descriptor = try ListeningSocket.listen(address)
    do {
      self.address = try ListeningSocket.boundAddress(descriptor, asked: address)
      registration = try loop.register(descriptor, .readable, handler: self)
    } catch {
      CLinux.close(descriptor)
      throw error
    }
  }

  /// Checks that no other process listens on `address`.
  ///
  /// The loops of one process share an address (SO_REUSEPORT). Two processes of one user could
  /// share it too, and each would get some of the connections. An address is therefore bound
  /// exclusively once before it is shared.
  /// - Throws: `SystemError` if another process listens on it.
  public static func checkIsFree(_ address: SocketAddress) throws(SystemError) {
    guard address.port != 0 else { return }
    CLinux.close(try bound(to: address, isShared: false))
  }

  private static func listen(_ address: SocketAddress) throws(SystemError) -> CInt {
    let descriptor = try bound(to: address, isShared: true)
    guard CLinux.listen(descriptor, backlog) == 0 else {
      let error = SystemError.last("listen on \(address)")
      CLinux.close(descriptor)
      throw error
    }
    return descriptor
  }

  private static func bound(
    to address: SocketAddress, isShared: Bool
  ) throws(SystemError) -> CInt {
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.isIPv6 ? AF_INET6 : AF_INET, kind, 0)
    guard descriptor >= 0 else { throw SystemError.last("socket") }
    var on: CInt = 1
    let size = socklen_t(MemoryLayout<CInt>.size)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
    if isShared { unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, size) }
    let bound = unsafe address.withKernelAddress { unsafe CLinux.bind(descriptor, $0, $1) }
    guard bound == 0 else {
      let error = SystemError.last("listen on \(address)")
      CLinux.close(descriptor)
      throw error
    }
    return descriptor
  }

  private static func boundAddress(
    _ descriptor: CInt, asked: SocketAddress
  ) throws(SystemError) -> SocketAddress {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &length)
      }
    }
    guard status == 0, let bound = SocketAddress(kernel: storage) else {
      throw SystemError.last("getsockname")
    }
    return bound
  }

  public func becameReady(_ readiness: Readiness) {
    for _ in 0..<ListeningSocket.acceptsPerTurn where registration != nil {
      let flags = CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
      let connection = catraca_accept(descriptor, flags)
      guard connection >= 0 else { return refused(errno) }
      guard let socket = try? StreamSocket(adopting: connection, on: loop) else { continue }
      accepted(socket)
    }
  }

  /// Handles a failed accept. Without descriptors or memory, connections stay in the queue, and the
  /// kernel would report them repeatedly, so accepting pauses. Any other error means that there is
  /// no connection to accept, or that it broke in the queue.
  private func refused(_ code: CInt) {
    guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) else { return }
    listen(for: [])
    pause.start(after: ListeningSocket.pauseWithoutDescriptors)
  }

  private func listen(for interest: Readiness) {
    guard let registration else { return }
    do {
      try loop.change(registration, to: interest)
    } catch {
      preconditionFailure("a listening socket left its loop: \(error)")
    }
  }

  /// Stops listening. Accepted connections continue.
  public func close() {
    guard let registration else { return }
    loop.deregister(registration)
    self.registration = nil
    pause.stop()
    CLinux.close(descriptor)
  }

  deinit {
    precondition(registration == nil, "a listening socket is closed before it is dropped")
  }
}
