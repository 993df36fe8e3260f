package import Configuration
internal import EventLoop
internal import HTTPServer

/// How many connections the system's limit of open files allows a server. Whoever comes beyond is
/// told so at once; without a descriptor left, nobody could be told anything.
package struct ConnectionCeiling: Sendable {
  private let openFiles: Int

  /// One to the client, one to the provider.
  private static let openFilesOfConnection = 2
  /// For the ledger, the log, the loops, and connections that wait for another request.
  private static let otherOpenFiles = 200

  /// Raises the limit to the most that is allowed.
  package init() {
    let allowed = ProcessLimits.raiseOpenFiles()
    // What can't be asked for is taken as it was configured.
    self.init(openFiles: allowed > 0 ? allowed : .max)
  }

  package init(openFiles: Int) {
    self.openFiles = openFiles
  }

  /// How many connections there can be.
  package var connections: Int {
    max(1, (openFiles - ConnectionCeiling.otherOpenFiles) / ConnectionCeiling.openFilesOfConnection)
  }

  func limits(_ limits: Limits) -> HTTPServerLimits {
    let connections = min(limits.connections, connections)
    return HTTPServerLimits(
      header: limits.header.bytes, connections: connections, headerTimeout: limits.headerTimeout,
      idle: limits.idle, bodyTimeout: limits.bodyTimeout, bodyRate: limits.bodyRate.bytes,
      connectionsPerAddress: limits.connectionsPerAddress(of: connections),
      connectionsPerOwner: limits.connectionsPerKey(of: connections),
      bodyMemory: limits.bodyMemoryBytes, bodyMemoryPerOwner: limits.bodyMemoryPerKeyBytes,
      unfinishedBodiesPerOwner: limits.unfinishedBodiesPerKey(of: connections))
  }

  /// What to mend where fewer connections are possible than configured.
  package func warning(_ limits: Limits) -> String? {
    guard connections < limits.connections else { return nil }
    return "limits.connections: \(limits.connections) are not possible with \(openFiles) open "
      + "files (ulimit -n), which are enough for \(connections)"
  }
}
