@testable import TLS

/// A client and a server back to back in memory, with ciphertext cut into pieces on the way.
final class SessionPair {
  let client: TLSSession
  let server: TLSSession
  /// The bytes of ciphertext that travel at once.
  let pieceSize: Int
  /// How much ciphertext has travelled.
  private(set) var travelled = 0

  init(
    pieceSize: Int = .max, newest: Int32 = TLSVersion.tls13,
    serverName: String = "localhost", protocols: [String] = ["http/1.1"],
    clientAuthorities: String? = nil,
    clientCertificate: (certificateFile: String, keyFile: String)? = nil
  ) throws {
    let certificates = TestCertificates.shared
    let serverContext = try TLSContext(
      certificateFile: certificates.certificate, keyFile: certificates.key,
      clientAuthoritiesFile: clientAuthorities)
    let clientContext = try TLSContext(
      authoritiesFile: certificates.certificate, newest: newest, own: clientCertificate)
    server = try TLSSession(server: serverContext)
    client = try TLSSession(
      client: clientContext, serverName: serverName, protocols: protocols)
    self.pieceSize = pieceSize
  }

  /// Runs both handshakes to their end.
  func shakeHands() throws {
    var rounds = 0
    while true {
      let clientIsDone = try client.handshake() == .complete
      let fromClient = try carry(from: client, to: server)
      let serverIsDone = try server.handshake() == .complete
      let fromServer = try carry(from: server, to: client)
      if clientIsDone && serverIsDone && fromClient + fromServer == 0 { return }
      rounds += 1
      precondition(rounds < 100_000, "the handshake doesn't end")
    }
  }

  /// Moves at most one piece; returns its size.
  @discardableResult
  func carry(from sender: TLSSession, to receiver: TLSSession) throws -> Int {
    var piece = [UInt8](repeating: 0, count: min(pieceSize, 100_000))
    let count = piece.withUnsafeMutableBytes { sender.takeCiphertext(into: $0) }
    var offset = 0
    while offset < count {
      let kept = try piece[offset..<count].withUnsafeBytes { try receiver.receive($0) }
      precondition(kept > 0, "the receiver has to read first")
      offset += kept
    }
    travelled += count
    return count
  }

  /// Sends `message` through and returns what arrives.
  func deliver(_ message: [UInt8], from sender: TLSSession, to receiver: TLSSession) throws
    -> [UInt8]
  {
    var arrived: [UInt8] = []
    var offset = 0
    while arrived.count < message.count {
      offset += try message[offset...].withUnsafeBytes { try sender.write($0) }
      try carry(from: sender, to: receiver)
      arrived += try receiver.readAll().bytes
    }
    return arrived
  }
}

enum TLSVersion {
  static let tls12: Int32 = 0x0303
  static let tls13: Int32 = 0x0304
}

extension TLSSession {
  /// Reads until nothing more comes; says whether the end was seen.
  func readAll() throws -> (bytes: [UInt8], ended: Bool) {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 5_000)
    while true {
      switch try buffer.withUnsafeMutableBytes({ try read(into: $0) }) {
      case .bytes(let count): all += buffer[..<count]
      case .incomplete: return (all, false)
      case .end: return (all, true)
      }
    }
  }
}
