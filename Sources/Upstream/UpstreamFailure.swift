internal import CCurl

/// The only table from libcurl's result codes to errors.
enum UpstreamFailure {
  /// Returns the error of `code`, which isn't `CURLE_OK`.
  static func error(for code: CURLcode, wasSent: Bool) -> UpstreamError {
    if code == CURLE_OPERATION_TIMEDOUT { return .timeout(wasSent: wasSent) }
    return wasSent ? afterSending(code) : .unreachable(obstacle(code))
  }

  private static func obstacle(_ code: CURLcode) -> UpstreamError.Obstacle {
    switch code {
    // The last code means a user name in the URL.
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_LOGIN_DENIED: .address
    case CURLE_COULDNT_RESOLVE_HOST: .name
    case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: .connection
    // A reset in the middle of a handshake is reported as a failure to send or to receive.
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SEND_ERROR, CURLE_RECV_ERROR: .handshake
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: .certificate
    case CURLE_SSL_CACERT_BADFILE: .trustStore
    default: .other(code.rawValue)
    }
  }

  private static func afterSending(_ code: CURLcode) -> UpstreamError {
    switch code {
    // The second code is HTTP/0.9: bytes that don't begin with a status line.
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: .invalidResponse
    // An unknown transfer coding, or content that contradicts its coding.
    case CURLE_BAD_CONTENT_ENCODING: .invalidResponse
    // The second code is Catraca's own refusal of another attempt.
    case CURLE_GOT_NOTHING, CURLE_ABORTED_BY_CALLBACK: .broken(.noAnswer)
    case CURLE_PARTIAL_FILE: .broken(.truncated)
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM: .broken(.connection)
    // After a dead pooled connection, the repetition found no new one. The provider may still have
    // read the first attempt.
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR:
      .broken(.connection)
    default: .broken(.other(code.rawValue))
    }
  }
}

/// The schedule for retries of Catraca's own failed calls: soon at first, then less often, and
/// finally hourly for a day.
public enum RetrySchedule {
  private static let firstPauses: [Duration] = [
    .seconds(1), .seconds(5), .seconds(30), .seconds(120), .seconds(600),
  ]
  private static let hourlyAttempts = 24

  /// Returns the pause after this number of failed attempts, at least one; nil if no further
  /// attempt is made.
  public static func pause(after attempts: Int) -> Duration? {
    if attempts <= firstPauses.count { return firstPauses[max(attempts, 1) - 1] }
    return attempts <= firstPauses.count + hourlyAttempts ? .seconds(3600) : nil
  }
}
