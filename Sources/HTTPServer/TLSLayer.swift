internal import EventLoop
internal import TLS

/// Moves bytes between a TLS session and its socket.
///
/// Ciphertext that one side can't take yet waits in `incoming` or `outgoing`. One read of the
/// socket and the session's own limit bound both.
final class TLSLayer {
  enum Handshake: Equatable {
    case complete
    case needsRead
    case needsWrite
    case failed
  }

  private let session: TLSSession
  private let scratch: ReadScratch
  private var incoming = InputBuffer()
  private var outgoing: [UInt8] = []

  init(_ session: TLSSession, scratch: ReadScratch) {
    self.session = session
    self.scratch = scratch
  }

  func handshake(over socket: StreamSocket) -> Handshake {
    while true {
      do {
        let state = try session.handshake()
        switch writePending(to: socket) {
        case .wouldBlock: return .needsWrite
        case .end, .broken: return .failed
        case .bytes: break
        }
        if state == .complete { return .complete }
        switch receive(from: socket) {
        case .bytes: continue
        case .wouldBlock: return .needsRead
        case .end, .broken: return .failed
        }
      } catch {
        // The alert with the reason is sent if the socket accepts it.
        _ = writePending(to: socket)
        return .failed
      }
    }
  }

  func read(
    from socket: StreamSocket, into input: inout InputBuffer
  ) -> ConnectionTransport.Arrival {
    while true {
      do {
        switch try unsafe session.read(into: scratch.bytes) {
        case .bytes(let count):
          unsafe input.append(UnsafeRawBufferPointer(rebasing: scratch.bytes[..<count]))
          return .bytes
        case .end:
          return .end
        case .incomplete:
          switch receive(from: socket) {
          case .bytes: continue
          case .wouldBlock: return .wouldBlock
          case .end, .broken: return .end
          }
        }
      } catch {
        _ = writePending(to: socket)
        return .end
      }
    }
  }

  /// Gives the session more ciphertext, from the waiting bytes or from the socket.
  private func receive(from socket: StreamSocket) -> StreamSocket.Progress {
    // A session may have to send before it can continue reading, for example when keys change.
    if case .broken = writePending(to: socket) { return .broken }
    if incoming.isEmpty {
      let progress = unsafe socket.read(into: scratch.bytes)
      guard case .bytes(let count) = progress else { return progress }
      unsafe incoming.append(UnsafeRawBufferPointer(rebasing: scratch.bytes[..<count]))
    }
    do {
      let taken = try incoming.withUnread { ciphertext throws(TLSError) in
        try unsafe ciphertext.withUnsafeBytes { bytes throws(TLSError) in
          try unsafe session.receive(bytes)
        }
      }
      incoming.consume(taken)
      return taken > 0 ? .bytes(taken) : .broken
    } catch {
      return .broken
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, to socket: StreamSocket) -> StreamSocket.Progress {
    let before = writePending(to: socket)
    guard case .bytes = before else { return before }
    do {
      let taken = try unsafe session.write(bytes)
      switch writePending(to: socket) {
      case .end, .broken: return .broken
      case .bytes, .wouldBlock: return taken > 0 ? .bytes(taken) : .wouldBlock
      }
    } catch {
      return .broken
    }
  }

  /// Sends the session's ciphertext; returns `.bytes(0)` if none is left.
  func writePending(to socket: StreamSocket) -> StreamSocket.Progress {
    while true {
      if outgoing.isEmpty {
        let count = unsafe session.takeCiphertext(into: scratch.bytes)
        if count == 0 { return .bytes(0) }
        unsafe outgoing.append(contentsOf: scratch.bytes[..<count])
      }
      let progress = unsafe outgoing.withUnsafeBytes { unsafe socket.write($0) }
      guard case .bytes(let sent) = progress else { return progress }
      outgoing.removeFirst(sent)
    }
  }

  func endWriting(to socket: StreamSocket) {
    session.close()
    _ = writePending(to: socket)
  }
}
