/// The limits of one event loop's connections to providers.
public struct UpstreamSettings: Sendable {
  /// Transfers under way at once; more are refused.
  public var maximumTransfers = 10_000
  /// Connections to one host, idle ones included; a transfer that needs one more waits. As many as
  /// transfers: where each needs its own, none waits until it is broken off.
  public var maximumConnectionsPerHost = 10_000
  /// Connections to all hosts.
  public var maximumConnections = 10_000
  /// Connections kept open while no transfer uses them.
  public var maximumIdleConnections = 256
  /// Idle for longer, a connection isn't used again: the provider may be closing it.
  public var idleConnectionAge: Duration = .seconds(60)
  /// Whether several transfers share one TLS connection where the provider speaks HTTP/2.
  public var usesHTTP2 = true

  public init() {}
}
