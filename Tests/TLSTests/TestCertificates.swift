import Foundation
import Glibc

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

  /// Foundation's `Process` looks at all open descriptors, and reads past the end of their list
  /// where other tests have many.
  private func openssl(_ arguments: [String]) {
    var words = (["openssl"] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var process: pid_t = 0
    let spawned = posix_spawnp(&process, "openssl", &actions, nil, &words, environ)
    precondition(spawned == 0, "openssl can't be started: \(spawned)")
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    precondition(status == 0, "openssl \(arguments)")
  }
}
