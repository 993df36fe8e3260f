/// What a listener allows a client to use; nothing it buffers or waits for is unbounded.
public struct HTTPServerLimits: Sendable {
  /// Bytes of a request line and its header fields.
  public var header: Int
  /// Connections open at once, over all loops.
  public var connections: Int
  /// From the first byte of a request to the end of its header.
  public var headerTimeout: Duration
  /// How long a connection may rest: between requests, within a body, or while it takes no bytes
  /// of an answer.
  public var idle: Duration
  /// From the first wait for bytes of a body to its last byte; `bodyRate` extends it.
  public var bodyTimeout: Duration
  /// Bytes, at least 1, each of which give a body one second beyond `bodyTimeout`, and an answer
  /// that a client takes slowly one second beyond `idle`.
  public var bodyRate: Int
  /// Connections of one address that serve no request of a valid credential.
  public var connectionsPerAddress: Int
  /// Requests of one key or token that are under way at once.
  public var connectionsPerOwner: Int
  /// Bytes of all request bodies of the process together.
  public var bodyMemory: Int
  /// The same of one key, token or address.
  public var bodyMemoryPerOwner: Int
  /// Bodies of one key, token or address that are waited for at once.
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

  /// How long a client may take for a refusal that it gets in place of a connection.
  private static let refusalTimeout = Duration.seconds(2)

  /// The same for a connection that is only told that there is no room for it. No limit counts
  /// such connections, so they end soon.
  var ofRefusedConnection: HTTPServerLimits {
    var limits = self
    limits.headerTimeout = min(headerTimeout, Self.refusalTimeout)
    limits.idle = min(idle, Self.refusalTimeout)
    return limits
  }
}
