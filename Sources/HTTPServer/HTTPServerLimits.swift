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
  /// Bytes of a body that nobody wanted, read away so that the connection can be used again.
  public var discardedBody: Int

  public init(
    header: Int = 64 << 10, connections: Int = 10_000, headerTimeout: Duration = .seconds(10),
    idle: Duration = .seconds(75), discardedBody: Int = 64 << 10
  ) {
    self.header = header
    self.connections = connections
    self.headerTimeout = headerTimeout
    self.idle = idle
    self.discardedBody = discardedBody
  }
}
