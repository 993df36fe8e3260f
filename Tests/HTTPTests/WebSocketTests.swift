import Testing

@testable import HTTP

@Suite("WebSocket frames")
struct WebSocketTests {
  /// The result of a reader for `reads`.
  private struct Result: Equatable {
    var events: [WebSocketEvent] = []
    var messages: [[UInt8]] = []
    var error: WebSocketError?
  }

  private func read(
    _ reads: [[UInt8]], from sender: WebSocketRole = .server, largestMessage: Int = 1000
  ) -> Result {
    var reader = WebSocketReader(from: sender, largestMessage: largestMessage)
    var result = Result()
    do throws(WebSocketError) {
      for bytes in reads {
        reader.receive(bytes.span)
        while let event = try reader.next() {
          result.events.append(event)
          if case .message = event { result.messages.append(reader.message) }
        }
      }
    } catch {
      result.error = error
    }
    return result
  }

  /// The result of all at once, which must be that of one byte after the other.
  private func read(_ bytes: [UInt8], from sender: WebSocketRole = .server) -> Result {
    let whole = read([bytes], from: sender)
    #expect(read(bytes.map { [$0] }, from: sender) == whole)
    return whole
  }

  private static let hello = Array("Hello".utf8)

  @Test("The examples of RFC 6455, 5.7")
  func examples() {
    let unmasked: [UInt8] = [0x81, 0x05] + Self.hello
    #expect(read(unmasked) == Result(events: [.message(.text)], messages: [Self.hello]))
    let masked: [UInt8] = [
      0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58,
    ]
    #expect(
      read(masked, from: .client) == Result(events: [.message(.text)], messages: [Self.hello]))
    let fragments: [UInt8] = [0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f]
    #expect(read(fragments) == Result(events: [.message(.text)], messages: [Self.hello]))
    #expect(read([0x89, 0x05] + Self.hello) == Result(events: [.ping(Self.hello)]))
    let pong: [UInt8] = [0x8a, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]
    #expect(read(pong, from: .client) == Result(events: [.pong(Self.hello)]))
    let long = [UInt8](repeating: 7, count: 256)
    #expect(
      read([0x82, 0x7e, 0x01, 0x00] + long)
        == Result(events: [.message(.binary)], messages: [long]))
  }

  @Test("A control frame may come between the fragments of a message")
  func interleaved() {
    let bytes: [UInt8] = [0x01, 0x01, 0x61, 0x89, 0x00, 0x00, 0x01, 0x62, 0x80, 0x00]
    #expect(
      read(bytes)
        == Result(events: [.ping([]), .message(.text)], messages: [Array("ab".utf8)]))
  }

  @Test(
    "What the protocol forbids is refused",
    arguments: [
      ([0xc1, 0x00], .reservedBits), ([0xa1, 0x00], .reservedBits), ([0x91, 0x00], .reservedBits),
      ([0x83, 0x00], .reservedOpcode), ([0x8b, 0x00], .reservedOpcode),
      ([0x81, 0x80], .masked),
      ([0x09, 0x00], .fragmentedControl), ([0x08, 0x00], .fragmentedControl),
      ([0x89, 0x7e, 0x00, 0x7e], .controlTooLarge),
      ([0x81, 0x7e, 0x00, 0x7d], .invalidLength),
      ([0x81, 0x7f, 0, 0, 0, 0, 0, 0, 0xff, 0xff], .invalidLength),
      ([0x81, 0x7f, 0x80, 0, 0, 0, 0, 0, 0, 0], .invalidLength),
      ([0x80, 0x00], .unexpectedContinuation), ([0x00, 0x00], .unexpectedContinuation),
      ([0x01, 0x00, 0x81, 0x00], .interruptedMessage),
      ([0x81, 0x01, 0xff], .invalidUTF8), ([0x01, 0x01, 0xc3, 0x80, 0x00], .invalidUTF8),
      ([0x88, 0x01, 0x03], .invalidClose), ([0x88, 0x02, 0x03, 0xed], .invalidClose),
      ([0x88, 0x02, 0x03, 0xe7], .invalidClose), ([0x88, 0x02, 0x0b, 0xb7], .invalidClose),
      ([0x88, 0x03, 0x03, 0xe8, 0xff], .invalidUTF8),
      ([0x81, 0x7e, 0x03, 0xe9], .messageTooLarge(limit: 1000)),
    ] as [([UInt8], WebSocketError)])
  func refused(_ bytes: [UInt8], _ error: WebSocketError) {
    #expect(read(bytes).error == error)
  }

  @Test("A client's frame without a mask is refused")
  func unmasked() {
    #expect(read([0x81, 0x00], from: .client).error == .unmasked)
  }

  @Test("A message is too large by the sum of its fragments")
  func largeByFragments() {
    let fragments: [UInt8] = [0x01, 0x02, 0x61, 0x61, 0x80, 0x02]
    #expect(
      read([fragments], largestMessage: 3).error == .messageTooLarge(limit: 3))
  }

  @Test(
    "A character may be cut by fragments, but not by the end",
    arguments: [([0x01, 0x01, 0xc3, 0x80, 0x01, 0xa9], nil), ([0x81, 0x01, 0xc3], .invalidUTF8)]
      as [([UInt8], WebSocketError?)])
  func cutCharacter(_ bytes: [UInt8], _ error: WebSocketError?) {
    #expect(read(bytes).error == error)
  }

  @Test(
    "A close frame says why, or nothing",
    arguments: [
      ([0x88, 0x00], WebSocketClose(nil)),
      ([0x88, 0x02, 0x03, 0xe8], WebSocketClose(.normal)),
      (
        [0x88, 0x05, 0x03, 0xf0, 0x6f, 0x6e, 0x65], WebSocketClose(.policyViolation, reason: "one")
      ),
    ] as [([UInt8], WebSocketClose)])
  func close(_ bytes: [UInt8], _ close: WebSocketClose) {
    #expect(read(bytes) == Result(events: [.close(close)]))
  }

  @Test("A reason that doesn't fit into its frame is cut at a character")
  func longReason() {
    let close = WebSocketClose(.normal, reason: String(repeating: "é", count: 100))
    #expect(close.reason.utf8.count == 122)
  }

  @Test(
    "What is written is read as it was, at every form of a length",
    arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000], [WebSocketRole.client, .server])
  func roundTrip(_ count: Int, _ role: WebSocketRole) {
    let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    var writer = WebSocketWriter(as: role)
    var bytes: [UInt8] = []
    writer.append(.binary, payload.span, to: &bytes)
    writer.append(.close(WebSocketClose(.goingAway, reason: "bye")), to: &bytes)
    let result = read([bytes], from: role, largestMessage: 100_000)
    #expect(result.messages == [payload])
    #expect(
      result.events
        == [.message(.binary), .close(WebSocketClose(.goingAway, reason: "bye"))])
  }
}

@Suite("A request to go on as a WebSocket")
struct WebSocketUpgradeTests {
  private func upgrade(_ fields: String, _ line: String = "GET /v1/realtime HTTP/1.1") throws
    -> WebSocketUpgrade
  {
    let head = try #require(onlyHead("\(line)\r\nHost: a\r\n\(fields)\r\n"))
    return try WebSocketUpgrade(of: head)
  }

  private static let wellFormed = """
    Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 13\r
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n
    """

  @Test("A good one has its key, and the protocols in order")
  func good() throws {
    let fields =
      Self.wellFormed + "Sec-WebSocket-Protocol: realtime, x\r\nSec-WebSocket-Protocol: y\r\n"
    let upgrade = try upgrade(fields)
    #expect(upgrade.key == "dGhlIHNhbXBsZSBub25jZQ==")
    #expect(upgrade.protocols == ["realtime", "x", "y"])
  }

  @Test(
    "Any other is told apart",
    arguments: [
      ("", "GET / HTTP/1.1", .notAsked),
      ("Upgrade: websocket\r\n", "GET / HTTP/1.1", .notAsked),
      ("Connection: upgrade\r\nUpgrade: h2c\r\n", "GET / HTTP/1.1", .notAsked),
      (wellFormed, "POST / HTTP/1.1", .invalidRequest),
      (wellFormed, "GET / HTTP/1.0", .invalidRequest),
      (wellFormed + "Content-Length: 1\r\n", "GET / HTTP/1.1", .invalidRequest),
      (wellFormed.replacing("13", with: "8"), "GET / HTTP/1.1", .unsupportedVersion),
      (wellFormed + "Sec-WebSocket-Version: 13\r\n", "GET / HTTP/1.1", .unsupportedVersion),
      (wellFormed.replacing("==", with: "=A"), "GET / HTTP/1.1", .invalidKey),
      (wellFormed.replacing("dGhl", with: "dG l"), "GET / HTTP/1.1", .invalidKey),
      (wellFormed.replacing("dGhl", with: ""), "GET / HTTP/1.1", .invalidKey),
      (
        wellFormed + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "GET / HTTP/1.1",
        .invalidKey
      ),
    ] as [(String, String, WebSocketUpgradeError)])
  func bad(_ fields: String, _ line: String, _ error: WebSocketUpgradeError) {
    #expect(throws: error) { try upgrade(fields, line) }
  }
}
