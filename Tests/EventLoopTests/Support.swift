import EventLoop
import Glibc
import Testing

/// Runs `body` as a task of a new event loop, and waits for it.
func onLoop(
  _ body: @escaping @Sendable (EventLoop) async throws -> Void
) async throws {
  let group = try EventLoopGroup(count: 1)
  let loop = group.loops[0]
  defer { group.stop() }
  try await Task(executorPreference: loop) { try await body(loop) }.value
}

/// Lets the loop go round: whatever is ready now is handed out before this returns.
func goRound(_ loop: EventLoop) async {
  for _ in 0..<3 { await loop.sleep(for: .zero) }
}

/// Two ends of a stream of the kernel's.
func socketPair() -> (CInt, CInt) {
  var pair: [CInt] = [-1, -1]
  let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
  precondition(socketpair(AF_UNIX, kind, 0, &pair) == 0)
  return (pair[0], pair[1])
}

/// Connects to a listener of 127.0.0.1, which takes the connection into its backlog at once.
func connectedDescriptor(to address: SocketAddress) -> CInt {
  let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
  var target = sockaddr_in()
  target.sin_family = sa_family_t(AF_INET)
  target.sin_port = address.port.bigEndian
  target.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  let status = withUnsafePointer(to: &target) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  precondition(status == 0)
  return descriptor
}

func setNonBlocking(_ descriptor: CInt) {
  let flags = fcntl(descriptor, F_GETFL)
  precondition(fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0)
}
