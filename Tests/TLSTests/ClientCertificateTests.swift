import Testing

@testable import TLS

/// The certificate that a client shows to a server that asks for one.
enum ClientCertificate: CaseIterable {
  case none
  /// One that an authority signed which the server knows.
  case known
  case unknown
}

@Suite struct ClientCertificateTests {
  private static let files = TestCertificates.shared

  private func pair(_ certificate: ClientCertificate, newest: Int32) throws -> SessionPair {
    let files = Self.files
    return try SessionPair(
      newest: newest, clientAuthorities: files.otherCertificate,
      clientCertificate: {
        switch certificate {
        case .none: nil
        case .known: (files.otherCertificate, files.otherKey)
        case .unknown: (files.certificate, files.key)
        }
      }())
  }

  @Test(
    "a client with a certificate of a known authority is served, any other is not",
    arguments: ClientCertificate.allCases, [TLSVersion.tls12, TLSVersion.tls13])
  func mutual(certificate: ClientCertificate, newest: Int32) throws {
    let pair = try pair(certificate, newest: newest)
    guard certificate == .known else {
      #expect(throws: TLSError.self) { try pair.shakeHands() }
      #expect(!pair.server.isEstablished)
      return
    }
    try pair.shakeHands()
    let message = Array("hello".utf8)
    #expect(try pair.deliver(message, from: pair.client, to: pair.server) == message)
  }

  @Test("without authorities of clients, none is asked for a certificate")
  func notAsked() throws {
    let files = Self.files
    let pair = try SessionPair(clientCertificate: (files.otherCertificate, files.otherKey))
    try pair.shakeHands()
    #expect(pair.server.isEstablished)
  }
}
