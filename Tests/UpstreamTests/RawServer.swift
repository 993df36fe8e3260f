import EventLoop

/// A provider that does with each connection what a test says, byte by byte.
final class RawServer {
  let url: String
  private(set) var connectionCount = 0
  private var listener: ListeningSocket?

  /// `script` gets each connection with its number, from 1; the connection is closed after it.
  init(
    on loop: EventLoop,
    _ script: @escaping @Sendable (RawConnection, _ number: Int) async -> Void
  ) throws {
    let address = SocketAddress(host: "127.0.0.1", port: 0)!
    var accepted: (StreamSocket) -> Void = { _ in }
    let listener = try ListeningSocket(address, on: loop) { accepted($0) }
    url = "http://\(listener.address)"
    self.listener = listener
    accepted = { [unowned self] socket in
      connectionCount += 1
      let number = connectionCount
      nonisolated(unsafe) let connection = RawConnection(socket)
      // Handed to a task on the same loop, the one thread that ever touches it.
      Task(executorPreference: loop) {
        await script(connection, number)
        connection.close()
      }
    }
  }

  func close() {
    listener?.close()
  }
}

/// One connection to a `RawServer`.
final class RawConnection {
  private let socket: StreamSocket
  private var unread: [UInt8] = []

  init(_ socket: StreamSocket) {
    self.socket = socket
  }

  /// Waits for bytes and keeps them in `unread`; false when there are no more.
  private func fill() async -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
      case .bytes(let count):
        unread.append(contentsOf: buffer[..<count])
        return true
      case .wouldBlock: await socket.waitReadable()
      case .end, .broken: return false
      }
    }
  }

  /// The next head, up to and with its empty line; empty when the peer has closed.
  func readHead() async -> String {
    var start = 0
    while true {
      while start + 4 <= unread.count {
        if unread[start..<start + 4].elementsEqual("\r\n\r\n".utf8) {
          let head = String(decoding: unread[..<(start + 4)], as: UTF8.self)
          unread.removeFirst(start + 4)
          return head
        }
        start += 1
      }
      guard await fill() else { return "" }
    }
  }

  /// The next `count` bytes, or fewer when the peer has closed.
  func read(_ count: Int) async -> [UInt8] {
    while unread.count < count {
      guard await fill() else { break }
    }
    let bytes = Array(unread.prefix(count))
    unread.removeFirst(bytes.count)
    return bytes
  }

  /// Everything up to `end`, with it.
  func read(until end: String) async -> String {
    while true {
      let text = String(decoding: unread, as: UTF8.self)
      if text.hasSuffix(end) {
        unread = []
        return text
      }
      guard await fill() else { return text }
    }
  }

  /// Writes all of `text`; false when the peer is gone.
  @discardableResult
  func write(_ text: String) async -> Bool {
    await write(Array(text.utf8))
  }

  @discardableResult
  func write(_ bytes: [UInt8]) async -> Bool {
    var start = 0
    while start < bytes.count {
      switch bytes.withUnsafeBytes({ socket.write(.init(rebasing: $0[start...])) }) {
      case .bytes(let count): start += count
      case .wouldBlock: await socket.waitWritable()
      case .end, .broken: return false
      }
    }
    return true
  }

  func waitForHangup() async {
    while await fill() {}
  }

  func close(reset: Bool = false) {
    socket.close(reset: reset)
  }
}
