internal import HTTP
internal import JSON
internal import Logging
internal import Upstream

// A provider that fails: the one table from errors of a transfer to refusals, and the one log line.

extension Refusal {
  /// The answer to a client whose provider failed before the client got anything of an answer.
  ///
  /// | error | bytes may have reached the provider | refusal |
  /// | --- | --- | --- |
  /// | no connection, or none in time | no | 502 `upstream_unreachable` |
  /// | no answer in time | yes | 504 `upstream_timeout` |
  /// | broken off, or not HTTP | yes | 502 `upstream_invalid_response` |
  /// | too many transfers in this process | no | 503 `overloaded` |
  /// | canceled, because the client left | either | none: the connection ends |
  init(_ error: UpstreamError, provider: String) {
    self =
      switch error {
      case .cancelled: .clientLeft
      case .tooManyTransfers: .overloaded
      case .timeout(wasSent: true): .upstreamTimeout(provider: provider)
      case .unreachable, .timeout(wasSent: false): .upstreamUnreachable(provider: provider)
      case .broken, .invalidResponse: .upstreamInvalid(provider: provider)
      }
  }
}

extension RequestPipeline {
  /// The refusal of a request that has no row in the ledger. The operator is told more than the
  /// client: the log line has the reason.
  func refusal(for error: UpstreamError, of provider: String) -> Refusal {
    logUpstreamFailure(error) { line in
      line.member("request_id", "\(id)")
      line.member("provider", provider)
    }
    return Refusal(error, provider: provider)
  }

  /// Tells the operator that a provider failed.
  ///
  /// - Parameter writeMembers: writes what is known of the request before the reason.
  func logUpstreamFailure(_ error: UpstreamError, _ writeMembers: (inout JSONWriter) -> Void) {
    gateway.logger.log(.warn, "upstream_failed") { line in
      writeMembers(&line)
      line.member("reason", "\(error)")
    }
  }
}
