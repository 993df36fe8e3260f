/// The limits of one event loop's connections to providers.
public struct UpstreamSettings: Sendable {
  /// The most simultaneous transfers; further ones are refused.
  public var maximumTransfers = 10_000
  /// The most connections to one host, including idle ones; a transfer beyond it waits. The default
  /// equals `maximumTransfers`, so that no transfer waits for a connection.
  public var maximumConnectionsPerHost = 10_000
  /// The most connections to all hosts.
  public var maximumConnections = 10_000
  /// The most connections that stay open without a transfer.
  public var maximumIdleConnections = 256
  /// The idle time after which a connection isn't used again, because the provider may be closing
  /// it.
  public var idleConnectionAge: Duration = .seconds(60)
  /// Whether several transfers share one TLS connection if the provider supports HTTP/2.
  public var usesHTTP2 = true

  public init() {}
}
