/// How a request that reached its provider ended; `usage_logs.outcome`.
public enum Outcome: String, Sendable, Hashable, CaseIterable {
  case ok
  case providerError = "provider_error"
  case clientDisconnected = "client_disconnected"
  case upstreamBroken = "upstream_broken"
  /// Catraca was killed while the request was in flight.
  case interrupted
}

/// Where a row's usage came from; `usage_logs.usage_source`.
public enum UsageSource: String, Sendable, Hashable, CaseIterable {
  /// The provider said it.
  case reported
  /// The provider said it to Catraca alone: the app had gone, and the answer was read to its end.
  case drained
  case estimated
  /// It did not pass the proxy; somebody reported it.
  case external
}
