/// How long to wait before a request to a receiver that may take it later is made again.
enum ExportBackoff {
  private static let firstMilliseconds: Int64 = 1_000
  private static let longestMilliseconds: Int64 = 16_000
  /// In seconds; beyond any export's time.
  private static let longestRetryAfter: Int64 = 86_400

  /// Twice as long each time; half of it is random, so that senders don't come back together.
  ///
  /// - Parameter attempts: so many have failed, at least one.
  static func pause(
    after attempts: Int, using generator: inout some RandomNumberGenerator
  ) -> Duration {
    let whole = min(longestMilliseconds, firstMilliseconds << Int64(min(attempts, 16) - 1))
    return .milliseconds(Int64.random(in: whole / 2...whole, using: &generator))
  }

  /// What `Retry-After` says in seconds; nil for a date, or where it says nothing.
  static func pause(retryAfter text: String?) -> Duration? {
    guard let seconds = text.flatMap({ Int64($0) }), seconds >= 0 else { return nil }
    return .seconds(min(seconds, longestRetryAfter))
  }
}
