/// What one client, connection or provider can take up at most.
public struct Limits: Hashable, Sendable {
  /// The body of a request.
  public var requestBody = ByteCount.mebibytes(64)
  /// The head of a request or of a provider's response.
  public var header = ByteCount.kibibytes(64)
  /// Connections of both listeners together.
  public var connections = 10_000
  /// From the first byte of a request's head to its last.
  public var headerTimeout = Duration.seconds(10)
  /// Between requests, and between reads of a request's body.
  public var idle = Duration.seconds(75)
  /// From the first wait for bytes of a request's body to its last byte.
  public var bodyTimeout = Duration.seconds(60)
  /// Each so many bytes give a body a second beyond `bodyTimeout`.
  public var bodyRate = ByteCount.kibibytes(16)
  /// Until a connection to a provider stands.
  public var upstreamConnect = Duration.seconds(10)
  /// Without a byte from a provider.
  public var upstreamIdle = Duration.seconds(600)

  public init() {}
}

extension Limits: TabledSettings {
  /// Shorter timeouts only break things.
  private static var shortestTimeout: Duration { .milliseconds(10) }

  static var rows: [SettingRow<Limits>] {
    [
      SettingRow(
        "request_body", \.requestBody, .size(.kibibytes(1)...(.gibibytes(4))),
        "The largest body of a request (413 above)"),
      SettingRow(
        "header", \.header, .size(.kibibytes(1)...(.mebibytes(1))),
        "The largest head of a request (431 above) or response"),
      SettingRow(
        "connections", \.connections, .integer(1...1_000_000),
        "Open connections of all listeners together"),
      SettingRow(
        "header_timeout", \.headerTimeout, .duration(shortestTimeout...(.seconds(300))),
        "How long the head of a request may take (408 after)"),
      SettingRow(
        "idle", \.idle, .duration(shortestTimeout...(.seconds(3600))),
        "How long a connection may be silent between requests or within a body"),
      SettingRow(
        "body_timeout", \.bodyTimeout, .duration(shortestTimeout...(.seconds(3600))),
        "How long the body of a request may take (408 after), besides the time that "
          + "`limits.body_rate` gives"),
      SettingRow(
        "body_rate", \.bodyRate, .size(ByteCount(bytes: 1)...(.gibibytes(1))),
        "Each so many bytes that arrive give a body one more second, and each so many bytes that "
          + "a client takes give an answer one more second than `limits.idle`"),
      SettingRow(
        "upstream_connect", \.upstreamConnect, .duration(shortestTimeout...(.seconds(300))),
        "How long a connection to a provider may take to stand (502 after)"),
      SettingRow(
        "upstream_idle", \.upstreamIdle, .duration(shortestTimeout...(.seconds(86400))),
        "How long a provider may be silent (504 after)"),
    ]
  }
}
