/// The resources that a listener allows a client to use. Every buffer and every wait has a limit.
public struct HTTPServerLimits: Sendable {
  /// The bytes of a request line and its header fields.
  public var header: Int
  /// Simultaneously open connections, over all loops.
  public var connections: Int
  /// The time from the first byte of a request to the end of its header.
  public var headerTimeout: Duration
  /// The time that a connection may be idle: between requests, within a body, or while it takes no
  /// bytes of an answer.
  public var idle: Duration
  /// The time from the first wait for bytes of a body to its last byte; `bodyRate` extends it.
  public var bodyTimeout: Duration
  /// The number of bytes, at least 1, that extends `bodyTimeout` by one second for a body, and
  /// `idle` by one second for an answer that a client takes slowly.
  public var bodyRate: Int
  /// Connections of one address that serve no request with a valid credential.
  public var connectionsPerAddress: Int
  /// Simultaneous requests of one key or token.
  public var connectionsPerOwner: Int
  /// The bytes of all request bodies of the process together.
  public var bodyMemory: Int
  /// The bytes of the request bodies of one key, token or address.
  public var bodyMemoryPerOwner: Int
  /// Incomplete bodies of one key, token or address.
  public var unfinishedBodiesPerOwner: Int

  public init(
    header: Int = 64 << 10, connections: Int = 10_000, headerTimeout: Duration = .seconds(10),
    idle: Duration = .seconds(75), bodyTimeout: Duration = .seconds(60),
    bodyRate: Int = 16 << 10, connectionsPerAddress: Int = 7_500,
    connectionsPerOwner: Int = 5_000, bodyMemory: Int = 512 << 20,
    bodyMemoryPerOwner: Int = 256 << 20, unfinishedBodiesPerOwner: Int = 7_500
  ) {
    self.header = header
    self.connections = connections
    self.headerTimeout = headerTimeout
    self.idle = idle
    self.bodyTimeout = bodyTimeout
    self.bodyRate = bodyRate
    self.connectionsPerAddress = connectionsPerAddress
    self.connectionsPerOwner = connectionsPerOwner
    self.bodyMemory = bodyMemory
    self.bodyMemoryPerOwner = bodyMemoryPerOwner
    self.unfinishedBodiesPerOwner = unfinishedBodiesPerOwner
  }

  /// The time that a client may take for a refusal in place of a connection.
  private static let refusalTimeout = Duration.seconds(2)

  /// The limits of a connection that is only told that there is no room for it. No limit counts
  /// such connections, so they end soon.
  var ofRefusedConnection: HTTPServerLimits {
    var limits = self
    limits.headerTimeout = min(headerTimeout, Self.refusalTimeout)
    limits.idle = min(idle, Self.refusalTimeout)
    return limits
  }
}
