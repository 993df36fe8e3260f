/// The most resources that one client, connection or provider can use.
public struct Limits: Hashable, Sendable {
  /// The body of a request.
  public var requestBody = ByteCount.mebibytes(64)
  /// The head of a request or of a provider's response.
  public var header = ByteCount.kibibytes(64)
  /// The connections of each listener.
  public var connections = 10_000
  /// The time from the first byte of a request's head to its last.
  public var headerTimeout = Duration.seconds(10)
  /// The time between requests, and between reads of a request's body.
  public var idle = Duration.seconds(75)
  /// The time from the first wait for bytes of a request's body to its last byte.
  public var bodyTimeout = Duration.seconds(60)
  /// The number of bytes that give a body one more second beyond `bodyTimeout`.
  public var bodyRate = ByteCount.kibibytes(16)
  /// Connections of one address that serve no request with a valid credential; nil for a share of
  /// all connections.
  public var connectionsPerAddress: Int?
  /// Simultaneous requests of one key; nil for half of all connections.
  public var connectionsPerKey: Int?
  /// The memory of all request bodies together; nil for a value derived from the largest body.
  public var bodyMemory: ByteCount?
  /// The memory of one key's request bodies; nil for half of all.
  public var bodyMemoryPerKey: ByteCount?
  /// One key's request bodies that are being received; nil for a share of all connections.
  public var unfinishedBodiesPerKey: Int?
  /// The time until a connection to a provider is established.
  public var upstreamConnect = Duration.seconds(10)
  /// The time without a byte from a provider.
  public var upstreamIdle = Duration.seconds(600)

  public init() {}
}

extension Limits: TabledSettings {
  /// Shorter timeouts would only cause failures.
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
        "Open connections of a listener (503 above)"),
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
        "The bytes that give one more second: to a body as they arrive, and to an answer, beyond "
          + "`limits.idle`, as the client takes them"),
      SettingRow(
        "connections_per_address", \.connectionsPerAddress, .integer(1...1_000_000),
        "Open connections of one address, those excepted that serve a request with a valid "
          + "credential (503 above); without it three quarters of `limits.connections`, at least "
          + "\(leastShare)"),
      SettingRow(
        "connections_per_key", \.connectionsPerKey, .integer(1...1_000_000),
        "Connections of one key or admin token that serve a request at once, resting streams "
          + "included (429 above); without it half of `limits.connections`, at least "
          + "\(leastShare)"),
      SettingRow(
        "body_memory", \.bodyMemory, .size(.kibibytes(64)...(.gibibytes(1024))),
        "The memory of all request bodies together, beyond 16 KiB each (503 above); without it "
          + "512MiB, or twice `limits.request_body` if that is more"),
      SettingRow(
        "body_memory_per_key", \.bodyMemoryPerKey, .size(.kibibytes(64)...(.gibibytes(1024))),
        "The same of one key or admin token (429 above); without it half of `limits.body_memory`"),
      SettingRow(
        "unfinished_bodies_per_key", \.unfinishedBodiesPerKey, .integer(1...1_000_000),
        "Request bodies of one key or admin token that are waited for at once (429 above); without "
          + "it three quarters of `limits.connections`, at least \(leastShare)"),
      SettingRow(
        "upstream_connect", \.upstreamConnect, .duration(shortestTimeout...(.seconds(300))),
        "How long a connection to a provider may take to stand (502 after)"),
      SettingRow(
        "upstream_idle", \.upstreamIdle, .duration(shortestTimeout...(.seconds(86400))),
        "How long a provider may be silent (504 after)"),
    ]
  }
}

extension Limits {
  /// The smallest share of connections, so that one client can use all of a small listener.
  static var leastShare: Int { 64 }

  /// Returns one client's share of `connections`: three quarters, so that a quarter stays for
  /// others.
  private static func share(of connections: Int) -> Int {
    max(leastShare, connections / 4 * 3)
  }

  /// Returns the limit of one address's connections, with `connections` in all.
  public func connectionsPerAddress(of connections: Int) -> Int {
    connectionsPerAddress ?? Limits.share(of: connections)
  }

  /// Returns the limit of one key's simultaneous requests, with `connections` in all.
  public func connectionsPerKey(of connections: Int) -> Int {
    connectionsPerKey ?? max(Limits.leastShare, connections / 2)
  }

  /// Returns the limit of one key's unfinished bodies, with `connections` in all.
  public func unfinishedBodiesPerKey(of connections: Int) -> Int {
    unfinishedBodiesPerKey ?? Limits.share(of: connections)
  }

  /// The memory of all request bodies together, in bytes.
  public var bodyMemoryBytes: Int {
    bodyMemory?.bytes ?? max(ByteCount.mebibytes(512).bytes, 2 * requestBody.bytes)
  }

  /// The memory of one key's request bodies, in bytes.
  public var bodyMemoryPerKeyBytes: Int {
    bodyMemoryPerKey?.bytes ?? bodyMemoryBytes / 2
  }
}

extension ValueFormat<Limits> {
  /// Reads the limits and checks them: an allowed body must fit into the memory, or no request of
  /// its size would ever pass, and a share must not exceed the whole.
  static var limits: ValueFormat {
    .section { section in
      var limits = Limits()
      for row in Limits.rows { row.read(&section, &limits) }
      let key = section.has("body_memory_per_key") ? "body_memory_per_key" : "body_memory"
      if limits.bodyMemoryPerKeyBytes < limits.requestBody.bytes {
        section.mistake(
          at: key,
          "\(key): the largest body of a request does not fit; allowed: at least "
            + (key == "body_memory" ? "twice " : "") + "limits.request_body")
      }
      limits.checkShares(in: &section)
      return limits
    }
  }
}

extension Limits {
  fileprivate func checkShares(in section: inout Section) {
    for (key, share) in [
      ("connections_per_address", connectionsPerAddress),
      ("connections_per_key", connectionsPerKey),
      ("unfinished_bodies_per_key", unfinishedBodiesPerKey),
    ] {
      guard let share, share > connections else { continue }
      section.mistake(
        at: key,
        "\(key): \(share) is not valid; allowed: at most limits.connections, \(connections)")
    }
    guard let share = bodyMemoryPerKey, share.bytes > bodyMemoryBytes else { return }
    section.mistake(
      at: "body_memory_per_key",
      "body_memory_per_key: \(sizeText(share)) is not valid; allowed: at most limits.body_memory, "
        + sizeText(ByteCount(bytes: bodyMemoryBytes)))
  }
}
