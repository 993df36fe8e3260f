import Testing

@testable import TLS

@Suite struct TLSSessionTests {
  private let request = Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)

  @Test(
    "a handshake and a message come through however the ciphertext is cut",
    arguments: [1, 2, 3, 7, 100, 1_000, .max], [TLSVersion.tls12, TLSVersion.tls13])
  func pieces(size: Int, newest: Int32) throws {
    let pair = try SessionPair(pieceSize: size, newest: newest)
    try pair.shakeHands()
    #expect(try pair.deliver(request, from: pair.client, to: pair.server) == request)
    #expect(try pair.deliver(request, from: pair.server, to: pair.client) == request)
  }

  @Test("a record cut at any of its bytes is read once, when it is whole")
  func everySplit() throws {
    let pair = try SessionPair()
    try pair.shakeHands()
    var split = 1
    var recordSize = 2
    while split < recordSize {
      _ = try request.withUnsafeBytes { try pair.client.write($0) }
      recordSize = pair.client.pendingCiphertext
      var record = [UInt8](repeating: 0, count: recordSize)
      _ = record.withUnsafeMutableBytes { pair.client.takeCiphertext(into: $0) }
      _ = try record[..<split].withUnsafeBytes { try pair.server.receive($0) }
      #expect(try pair.server.readAll().bytes == [])
      _ = try record[split...].withUnsafeBytes { try pair.server.receive($0) }
      #expect(try pair.server.readAll().bytes == request)
      split += 1
    }
  }

  @Test("a megabyte passes while neither side keeps more than its limit")
  func bounded() throws {
    let pair = try SessionPair(pieceSize: 10_000)
    try pair.shakeHands()
    let message = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let taken = try message.withUnsafeBytes { try pair.server.write($0) }
    #expect(taken > 0 && taken < message.count)
    #expect(pair.server.pendingCiphertext <= TLSSession.bufferLimit)
    let rest = Array(message[taken...])
    #expect(try pair.deliver(rest, from: pair.server, to: pair.client).count >= rest.count)
  }

  @Test("ciphertext beyond the limit is given back")
  func refusesMore() throws {
    let pair = try SessionPair()
    let flood = [UInt8](repeating: 22, count: 2 * TLSSession.bufferLimit)
    #expect(try flood.withUnsafeBytes { try pair.server.receive($0) } == TLSSession.bufferLimit)
    #expect(try flood.withUnsafeBytes { try pair.server.receive($0) } == 0)
  }

  @Test("http/1.1 is agreed on when the client offers it, among others too")
  func applicationProtocol() throws {
    let pair = try SessionPair(protocols: ["h2", "http/1.1"])
    try pair.shakeHands()
    #expect(pair.server.applicationProtocol == "http/1.1")
    #expect(pair.client.applicationProtocol == "http/1.1")
    #expect(pair.server.version == "TLSv1.3")
  }

  @Test("a client that offers only other protocols is refused with an alert")
  func otherProtocols() throws {
    let pair = try SessionPair(protocols: ["h2"])
    #expect(throws: TLSError.self) { try pair.shakeHands() }
    #expect(pair.server.pendingCiphertext > 0)
    #expect(!pair.server.isEstablished)
  }

  @Test("TLS 1.1 is refused")
  func oldVersion() throws {
    let random = [UInt8](repeating: 7, count: 32)
    let ciphersAndCompression: [UInt8] = [0, 4, 0xC0, 0x09, 0xC0, 0x13, 1, 0]
    let body = [3, 2] + random + [0] + ciphersAndCompression
    let hello = [1, 0, 0, UInt8(body.count)] + body
    let record = [22, 3, 1, 0, UInt8(hello.count)] + hello
    let pair = try SessionPair()
    _ = try record.withUnsafeBytes { try pair.server.receive($0) }
    #expect(throws: TLSError.handshakeFailed(reason: "unsupported protocol")) {
      try pair.server.handshake()
    }
  }

  @Test("bytes that aren't TLS fail the handshake, for good")
  func garbage() throws {
    let pair = try SessionPair()
    _ = try request.withUnsafeBytes { try pair.server.receive($0) }
    let failure = #expect(throws: TLSError.self) { try pair.server.handshake() }
    #expect(failure == .handshakeFailed(reason: "http request"))
    #expect(throws: TLSError.handshakeFailed(reason: "http request")) {
      try pair.server.handshake()
    }
  }

  @Test("a record that was changed on the way breaks the session")
  func forged() throws {
    let pair = try SessionPair()
    try pair.shakeHands()
    _ = try request.withUnsafeBytes { try pair.client.write($0) }
    var record = [UInt8](repeating: 0, count: pair.client.pendingCiphertext)
    _ = record.withUnsafeMutableBytes { pair.client.takeCiphertext(into: $0) }
    record[record.count / 2] ^= 1
    _ = try record.withUnsafeBytes { try pair.server.receive($0) }
    #expect(throws: TLSError.self) { try pair.server.readAll() }
  }

  @Test("a certificate for another name is refused by the client")
  func otherName() throws {
    let pair = try SessionPair(serverName: "example.org")
    #expect(throws: TLSError.handshakeFailed(reason: "certificate verify failed")) {
      try pair.shakeHands()
    }
  }

  @Test("nothing is read or written before the handshake is complete")
  func early() throws {
    let pair = try SessionPair()
    #expect(try request.withUnsafeBytes { try pair.client.write($0) } == 0)
    #expect(try pair.client.readAll() == ([], false))
  }

  @Test("close tells the peer, who may still answer")
  func close() throws {
    let pair = try SessionPair()
    try pair.shakeHands()
    #expect(try pair.deliver(request, from: pair.client, to: pair.server) == request)
    pair.client.close()
    try pair.carry(from: pair.client, to: pair.server)
    #expect(try pair.server.readAll() == ([], true))
    #expect(try request.withUnsafeBytes { try pair.client.write($0) } == 0)
    #expect(try pair.deliver(request, from: pair.server, to: pair.client) == request)
  }

  @Test("a session goes on after its idle memory was released")
  func release() throws {
    let pair = try SessionPair()
    try pair.shakeHands()
    for _ in 0..<3 {
      pair.server.releaseBuffers()
      #expect(try pair.deliver(request, from: pair.client, to: pair.server) == request)
      pair.client.releaseBuffers()
      #expect(try pair.deliver(request, from: pair.server, to: pair.client) == request)
    }
  }

  @Test("unread ciphertext survives a release")
  func releaseKeepsBytes() throws {
    let pair = try SessionPair()
    try pair.shakeHands()
    _ = try request.withUnsafeBytes { try pair.client.write($0) }
    pair.client.releaseBuffers()
    try pair.carry(from: pair.client, to: pair.server)
    pair.server.releaseBuffers()
    #expect(try pair.server.readAll().bytes == request)
  }
}
