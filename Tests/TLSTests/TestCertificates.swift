import Foundation

/// Keys and certificates made by the `openssl` command, once for all tests.
struct TestCertificates {
  let folder: URL

  static let shared = TestCertificates()

  var certificate: String { path("server.crt") }
  var key: String { path("server.key") }
  var otherCertificate: String { path("other.crt") }
  var otherKey: String { path("other.key") }
  var lockedKey: String { path("locked.key") }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  private init() {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "catraca-tls-\(ProcessInfo.processInfo.processIdentifier)")
    try! FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let selfSigned = [
      "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost",
      "-addext", "subjectAltName=DNS:localhost", "-newkey", "ec", "-pkeyopt",
      "ec_paramgen_curve:P-256",
    ]
    openssl(selfSigned + ["-keyout", key, "-out", certificate])
    openssl(selfSigned + ["-keyout", otherKey, "-out", otherCertificate])
    openssl(["pkey", "-in", key, "-aes256", "-passout", "pass:secret", "-out", lockedKey])
  }

  private func openssl(_ arguments: [String]) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardError = FileHandle.nullDevice
    try! process.run()
    process.waitUntilExit()
    precondition(process.terminationStatus == 0, "openssl \(arguments)")
  }
}
