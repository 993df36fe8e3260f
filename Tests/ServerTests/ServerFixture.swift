import Configuration
import EventLoop
import Foundation
import Logging

@testable import Server

/// A folder with a ledger, files in memory, and servers that start on both.
final class ServerFixture {
  let files: ServerFiles
  private let folder: URL

  var ledgerPath: String { folder.appendingPathComponent("catraca.db").path }
  var logPath: String { folder.appendingPathComponent("catraca.log").path }
  var log: String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    files = ServerFiles()
    files["catraca.yaml"] = main()
    files["clients.yaml"] = "clients: { acme: { name: ACME } }\n"
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The main file, for a proxy that listens at `proxy`.
  func main(proxy: String = "127.0.0.1:0") -> String {
    """
    proxy: { listen: ["\(proxy)"] }
    admin: { listen: ["127.0.0.1:0"] }
    providers: { openai: { base_url: "http://127.0.0.1:1/v1" } }
    clients: clients.yaml
    ledger: { url: "sqlite:\(ledgerPath)" }
    """
  }

  /// Starts a server and hands it to `body`; it has stopped when this returns.
  func withServer<Result>(_ body: (Server) async throws -> Result) async throws -> Result {
    let loader = ConfigurationLoader(
      folder: "config", files: files, environment: [:], missingSecrets: .refused)
    let logger = try Logger(.file(path: logPath), level: .info, format: .json)
    defer { logger.close() }
    let server = try await Server(try ConfigurationStore(loader), logger: logger, loops: 1)
    do {
      let result = try await body(server)
      await server.stop()
      return result
    } catch {
      await server.stop()
      throw error
    }
  }
}

/// Files by their names, which can be edited between two loads.
final class ServerFiles: FileSource {
  private let contents = Lock<[String: String]>([:])
  private let writes = Lock<Int64>(0)

  subscript(name: String) -> String? {
    get { contents.withLock { $0[name] } }
    set {
      contents.withLock { $0[name] = newValue }
      writes.withLock { $0 += 1 }
    }
  }

  func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
    guard let text = self[String(path.split(separator: "/").last ?? "")] else { throw .missing }
    return Array(text.utf8)
  }

  func stamp(of path: String) -> FileStamp? {
    FileStamp(inode: 1, nanoseconds: writes.withLock { $0 })
  }
}
