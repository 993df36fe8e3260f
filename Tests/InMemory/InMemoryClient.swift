package import EventLoop
internal import HTTP
package import HTTPServer
package import Logging

/// An HTTP client of a handler, on the handler's own loop and without a network: its connection is
/// a pair of sockets in the kernel's memory, and everything above that is the server's real code.
package final class InMemoryClient {
  private let socket: StreamSocket
  private let loop: EventLoop
  private let server: Task<Void, Never>
  /// Bytes that have arrived and belong to no answer that was returned.
  private var unread: [UInt8] = []
  private var isAtEnd = false

  /// Connects to a handler. The connection lives until `close`.
  ///
  /// - Parameter address: the client's, which the handler sees.
  /// - Throws: `SystemError` where no descriptors are left.
  package init(
    of handler: any HTTPHandler, on loop: EventLoop, limits: HTTPServerLimits = HTTPServerLimits(),
    address: String = "192.0.2.1", logger: Logger
  ) throws(SystemError) {
    let (near, far) = try StreamSocket.pair(on: loop)
    (socket, self.loop) = (near, loop)
    let bound = LoopBound(far, on: loop)
    server = Task(executorPreference: loop) {
      await HTTPServer.serve(
        bound.value, from: SocketAddress(host: address, port: 1_024), by: handler, limits: limits,
        logger: logger)
    }
  }

  /// Sends a request, whose fields get `Host` and, with a body, `Content-Length`.
  package func send(
    _ method: String, _ path: String, _ fields: [(String, String)] = [], _ body: String = ""
  ) async {
    var text = "\(method) \(path) HTTP/1.1\r\nhost: localhost\r\n"
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    if !body.isEmpty { text += "content-length: \(body.utf8.count)\r\n" }
    await send(Array((text + "\r\n" + body).utf8))
  }

  /// Sends bytes as they are, as far as the server takes them.
  package func send(_ bytes: [UInt8]) async {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch rest.withUnsafeBytes({ socket.write($0) }) {
      case .bytes(let count): rest = rest.dropFirst(count)
      case .wouldBlock: await socket.waitWritable()
      case .end, .broken: return
      }
    }
  }

  /// Waits until `text` has arrived; false where the connection ends before. The bytes stay unread.
  package func sees(_ text: String) async -> Bool {
    while !String(decoding: unread, as: UTF8.self).contains(text) {
      guard await receive() else { return false }
    }
    return true
  }

  /// Takes all bytes that have arrived, waiting for at least one; empty at the end.
  package func bytes() async -> [UInt8] {
    if unread.isEmpty { _ = await receive() }
    defer { unread = [] }
    return unread
  }

  /// Reads the next answer, or what comes of it until the connection ends.
  package func answer() async -> InMemoryAnswer {
    while true {
      let answer = InMemoryAnswer(unread)
      if let answer, answer.isWhole {
        unread.removeFirst(answer.size)
        return answer
      }
      guard await receive() else {
        unread = []
        return answer ?? InMemoryAnswer()
      }
    }
  }

  /// The answer as far as it has come already.
  package var whatCame: InMemoryAnswer { InMemoryAnswer(unread) ?? InMemoryAnswer() }

  /// Hangs up, as a client does that wants no answer any more.
  package func hangUp() {
    socket.close(reset: true)
  }

  /// Ends the connection, and returns when the server has ended it too.
  package func close() async {
    socket.close()
    await server.value
  }

  private func receive() async -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while !isAtEnd {
      switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
      case .bytes(let count):
        unread += buffer[..<count]
        return true
      case .wouldBlock: await socket.waitReadable()
      case .end, .broken: isAtEnd = true
      }
      if !socket.isOpen { isAtEnd = true }
    }
    return false
  }
}

/// Lets a loop go round: when this returns, whatever was ready before has been handed out.
package func goRound(_ loop: EventLoop) async {
  for _ in 0..<3 { await loop.sleep(for: .zero) }
}

/// An answer, as far as a client has got it.
package struct InMemoryAnswer {
  /// 0 where the connection ended before any answer came.
  package private(set) var status = 0
  /// By their names in small letters; of several of one name the last.
  package private(set) var fields: [String: String] = [:]
  package private(set) var body: [UInt8] = []
  /// Whether all of the body has come.
  package private(set) var isWhole = false
  /// Bytes of the answer on the connection.
  fileprivate private(set) var size = 0

  package var text: String { String(decoding: body, as: UTF8.self) }

  fileprivate init() {}

  /// Nil before the head is complete.
  fileprivate init?(_ bytes: [UInt8]) {
    let end = Array("\r\n\r\n".utf8)
    guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else {
      return nil
    }
    let head = String(decoding: bytes[..<start], as: UTF8.self)
    var lines = head.split(separator: "\r\n").map(String.init)
    let words = lines.removeFirst().split(separator: " ")
    status = words.count > 1 ? Int(words[1]) ?? 0 : 0
    for line in lines {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
    }
    readBody(bytes, from: start + end.count)
  }

  private mutating func readBody(_ bytes: [UInt8], from start: Int) {
    let rest = Array(bytes[start...])
    if fields["transfer-encoding"] == "chunked" {
      var decoder = ChunkedDecoder()
      let read = try? decoder.decode(rest.span, into: &body)
      isWhole = decoder.isFinished
      size = start + (read ?? 0)
    } else {
      let length = fields["content-length"].flatMap { Int($0) } ?? 0
      body = Array(rest.prefix(length))
      isWhole = body.count == length
      size = start + body.count
    }
  }
}
