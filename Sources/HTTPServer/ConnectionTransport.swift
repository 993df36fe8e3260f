internal import EventLoop
internal import TLS

/// The bytes of one connection, in clear text or through TLS.
///
/// Reads use a scratch buffer that all connections of a loop share, so that an idle connection
/// needs no buffer of its own.
final class ConnectionTransport {
  enum Arrival: Equatable {
    case bytes
    case wouldBlock
    case end
  }

  let socket: StreamSocket
  private let scratch: ReadScratch
  private let tls: TLSLayer?

  init(_ socket: StreamSocket, session: TLSSession?, scratch: ReadScratch) {
    self.socket = socket
    self.scratch = scratch
    tls = session.map { TLSLayer($0, scratch: scratch) }
  }

  /// Reads the available bytes into `input`, without waiting.
  func read(into input: inout InputBuffer) -> Arrival {
    if let tls { return tls.read(from: socket, into: &input) }
    switch unsafe socket.read(into: scratch.bytes) {
    case .bytes(let count):
      unsafe input.append(UnsafeRawBufferPointer(rebasing: scratch.bytes[..<count]))
      return .bytes
    case .wouldBlock: return .wouldBlock
    case .end, .broken: return .end
    }
  }

  /// Reads at most `count` bytes that precede TLS, without waiting.
  func readBeforeTLS(into bytes: inout [UInt8], atMost count: Int) -> Arrival {
    let part = unsafe UnsafeMutableRawBufferPointer(
      rebasing: scratch.bytes[..<min(count, scratch.bytes.count)])
    switch unsafe socket.read(into: part) {
    case .bytes(let count):
      unsafe bytes.append(contentsOf: part[..<count])
      return .bytes
    case .wouldBlock: return .wouldBlock
    case .end, .broken: return .end
    }
  }

  /// Writes as much of `bytes` as possible without waiting.
  func write(_ bytes: UnsafeRawBufferPointer) -> StreamSocket.Progress {
    if let tls { return unsafe tls.write(bytes, to: socket) }
    return unsafe socket.write(bytes)
  }

  /// Whether bytes reach the socket unencrypted.
  var isInTheClear: Bool { tls == nil }

  /// Writes as much as possible of three pieces in turn. Only for connections without TLS.
  func writeInTheClear(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer,
    _ third: UnsafeRawBufferPointer
  ) -> StreamSocket.Progress {
    precondition(isInTheClear, "what goes through TLS is written in one piece")
    return unsafe socket.write(first, second, third)
  }

  /// Sends bytes that were accepted and haven't reached the kernel, which only TLS keeps. Returns
  /// `.bytes(0)` if none are left.
  func writePending() -> StreamSocket.Progress {
    tls?.writePending(to: socket) ?? .bytes(0)
  }

  /// Continues the TLS handshake as far as possible without waiting.
  func handshake() -> TLSLayer.Handshake {
    tls?.handshake(over: socket) ?? .complete
  }

  /// Announces that nothing more will be written. Reading may continue.
  func endWriting() {
    tls?.endWriting(to: socket)
    socket.shutdownWriting()
  }
}

/// The buffers of a loop through which its connections' bytes pass.
@safe final class ReadScratch {
  let bytes: UnsafeMutableRawBufferPointer

  /// The most bytes that one read takes from a socket.
  static let size = 64 << 10

  init() {
    unsafe bytes = .allocate(byteCount: ReadScratch.size, alignment: 16)
  }

  deinit {
    unsafe bytes.deallocate()
  }
}
