import Foundation
import Testing

@testable import TLS

@Suite struct TLSContextTests {
  private let files = TestCertificates.shared

  @Test("a key that belongs to another certificate is named with it")
  func mismatch() {
    #expect(
      throws: TLSError.keyMismatch(
        certificateFile: files.certificate, keyFile: files.otherKey)
    ) {
      try TLSContext(certificateFile: files.certificate, keyFile: files.otherKey)
    }
  }

  @Test("a missing file is named with the system's reason")
  func missing() {
    #expect(
      throws: TLSError.certificate(
        file: "/nowhere/server.crt", reason: "No such file or directory")
    ) {
      try TLSContext(certificateFile: "/nowhere/server.crt", keyFile: files.key)
    }
    #expect(throws: TLSError.key(file: "/nowhere/k", reason: "No such file or directory")) {
      try TLSContext(certificateFile: files.certificate, keyFile: "/nowhere/k")
    }
  }

  @Test("a file that holds no certificate is refused with OpenSSL's reason")
  func notACertificate() throws {
    let path = files.path("text.crt")
    try Data("hello".utf8).write(to: URL(filePath: path))
    #expect(throws: TLSError.certificate(file: path, reason: "no start line")) {
      try TLSContext(certificateFile: path, keyFile: files.key)
    }
  }

  @Test("authorities of clients that can't be read are named")
  func authorities() {
    #expect(
      throws: TLSError.authorities(file: "/nowhere/ca.crt", reason: "No such file or directory")
    ) {
      try TLSContext(
        certificateFile: files.certificate, keyFile: files.key,
        clientAuthoritiesFile: "/nowhere/ca.crt")
    }
  }

  @Test("a key with a passphrase is refused, not asked for on the terminal")
  func locked() {
    #expect(throws: TLSError.self) {
      try TLSContext(certificateFile: files.certificate, keyFile: files.lockedKey)
    }
  }

  @Test("an error's text names the file and the reason")
  func description() {
    let error = TLSError.key(file: "/etc/catraca/key.pem", reason: "no start line")
    #expect("\(error)" == "private key /etc/catraca/key.pem: no start line")
  }
}
