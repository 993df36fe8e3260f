import Glibc
import Server
import Testing

@testable import catraca

/// Behavior that only the built program shows: streams and exit status.
@Suite struct BinaryTests {
  @Test(
    "Results go to standard output, mistakes to standard error, and the shell is told",
    arguments: [
      ("version", "catraca \(Server.version)\n", 0),
      ("version 2>/dev/null", "catraca \(Server.version)\n", 0),
      ("price 2>/dev/null", "", 2), ("check --config /nowhere 2>/dev/null", "", 1),
      (
        "check --config /nowhere 2>&1 >/dev/null", "/nowhere/catraca.yaml:1:1: no such file\n", 1
      ),
      ("version >/dev/full", "", 1),
    ])
  func obeysTheShell(line: String, output: String, status: Int32) throws {
    let result = try shell("exec \(try binaryPath()) \(line)")
    #expect(result.output == output)
    #expect(result.status == status)
  }

  /// The program stands beside the tests.
  private func binaryPath() throws -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    try #require(count > 0)
    let own = String(decoding: buffer.prefix(count), as: UTF8.self)
    let testFolder = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? own
    return String(testFolder[..<testFolder.lastIndex(of: "/")!]) + "/catraca"
  }

  private func shell(_ line: String) throws -> (output: String, status: Int32) {
    let stream = try #require(popen(line, "r"))
    var bytes: [UInt8] = []
    while true {
      let byte = fgetc(stream)
      if byte == EOF { break }
      bytes.append(UInt8(truncatingIfNeeded: byte))
    }
    let status = pclose(stream)
    return (String(decoding: bytes, as: UTF8.self), status >> 8 & 0xFF)
  }
}
