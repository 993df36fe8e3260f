package import Configuration
internal import EventLoop
internal import HTTPServer

/// The number of connections that the system's limit of open files allows.
///
/// The server answers a connection above this number with an error at once. Without a free file
/// descriptor it couldn't answer at all.
package struct ConnectionCeiling: Sendable {
  private let openFiles: Int

  /// One descriptor to the client and one to the provider.
  private static let openFilesOfConnection = 2
  /// Descriptors of the ledger, the log, the event loops and idle connections to providers.
  private static let otherOpenFiles = 200

  /// Raises the process's soft limit to its hard limit.
  package init() {
    let allowed = ProcessLimits.raiseOpenFiles()
    // If the system doesn't tell its limit, the configured number of connections counts.
    self.init(openFiles: allowed > 0 ? allowed : .max)
  }

  package init(openFiles: Int) {
    self.openFiles = openFiles
  }

  /// The most connections at a time, at least 1.
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

  /// A warning for the operator if the configuration allows more connections than the system; else
  /// nil.
  package func warning(_ limits: Limits) -> String? {
    guard connections < limits.connections else { return nil }
    return "limits.connections: \(limits.connections) are not possible with \(openFiles) open "
      + "files (ulimit -n), which are enough for \(connections)"
  }
}
