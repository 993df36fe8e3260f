internal import EventLoop
internal import JSON
public import Logging

/// A limit that a listener applies to its clients, by the name of its setting.
public enum ListenerLimit: String, CaseIterable, Sendable {
  case connections
  case connectionsPerAddress = "connections_per_address"
  case connectionsPerKey = "connections_per_key"
  case bodyTimeout = "body_timeout"
  case bodyMemory = "body_memory"
  case bodyMemoryPerKey = "body_memory_per_key"
  case unfinishedBodiesPerKey = "unfinished_bodies_per_key"
}

/// Reports to operators the limits that clients have met, and the clients' addresses.
///
/// Each limit has at most one log line a second, which contains the number of times since the
/// previous line. A client can therefore not fill the log.
public final class ListenerReports: Sendable {
  private struct Count {
    var total: Int64 = 0
    /// The number that isn't in a log line yet.
    var unsaid: Int64 = 0
    var lineAt: MonotonicInstant?
  }

  private static let pause = Duration.seconds(1)

  private let counts = Lock<[ListenerLimit: Count]>([:])
  private let headerLineAt = Lock<MonotonicInstant?>(nil)
  private let logger: Logger

  public init(logger: Logger) {
    self.logger = logger
  }

  /// The number of times that each limit was met since the start, in the order of the limits.
  public var totals: [(limit: ListenerLimit, count: Int64)] {
    counts.withLock { counts in
      ListenerLimit.allCases.map { ($0, counts[$0]?.total ?? 0) }
    }
  }

  /// Counts that a client has met one of `limits`.
  ///
  /// - Parameter owner: The owner of the request's credential; nil if it isn't known.
  func note(
    _ limit: ListenerLimit, of limits: HTTPServerLimits, by client: SocketAddress?,
    _ owner: RequestOwner? = nil, at now: MonotonicInstant
  ) {
    let times = counts.withLock { counts -> Int64? in
      var count = counts[limit] ?? Count()
      count.total += 1
      count.unsaid += 1
      defer { counts[limit] = count }
      if let lineAt = count.lineAt, now.elapsed(since: lineAt) < ListenerReports.pause {
        return nil
      }
      defer { count.unsaid = 0 }
      count.lineAt = now
      return count.unsaid
    }
    guard let times else { return }
    logger.log(.warn, "limit_met") { line in
      line.member("limit", "limits.\(limit.rawValue)")
      line.member("allowed", limit.allowed(by: limits))
      line.member("address", client?.host)
      owner?.writeMembers(to: &line)
      line.member("times", times)
    }
  }

  /// Logs that a load balancer began a connection without a header, or with a wrong one; at most
  /// once a second.
  func noteProxyHeader(
    _ mistake: String, of peer: SocketAddress, at now: MonotonicInstant
  ) {
    let isDue = headerLineAt.withLock { lineAt in
      if let last = lineAt, now.elapsed(since: last) < ListenerReports.pause { return false }
      lineAt = now
      return true
    }
    guard isDue else { return }
    logger.log(.warn, "proxy_header_refused") { line in
      line.member("address", peer.host)
      line.member("reason", mistake)
    }
  }
}

extension ListenerLimit {
  /// The allowed amount, with its unit.
  fileprivate func allowed(by limits: HTTPServerLimits) -> String {
    switch self {
    case .connections: "\(limits.connections) connections"
    case .connectionsPerAddress: "\(limits.connectionsPerAddress) connections"
    case .connectionsPerKey: "\(limits.connectionsPerOwner) connections"
    case .bodyTimeout: "\(limits.bodyTimeout / .milliseconds(1)) ms"
    case .bodyMemory: "\(limits.bodyMemory) bytes"
    case .bodyMemoryPerKey: "\(limits.bodyMemoryPerOwner) bytes"
    case .unfinishedBodiesPerKey: "\(limits.unfinishedBodiesPerOwner) bodies"
    }
  }
}

extension RequestOwner {
  fileprivate func writeMembers(to line: inout JSONWriter) {
    switch self {
    case .key(let client, let name):
      line.member("client", client)
      line.member("key", name)
    case .token(let name): line.member("token", name)
    case .stranger: break
    }
  }
}
