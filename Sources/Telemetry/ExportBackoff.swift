/// The pause before a request is repeated to a receiver that may accept it later.
enum ExportBackoff {
  private static let firstMilliseconds: Int64 = 1_000
  private static let longestMilliseconds: Int64 = 16_000
  /// The longest `Retry-After` in seconds; longer than any export may take.
  private static let longestRetryAfter: Int64 = 86_400

  /// Returns a pause that doubles each time. Half of it is random, so that senders don't return
  /// simultaneously.
  ///
  /// - Parameter attempts: The number of failed attempts, at least one.
  static func pause(
    after attempts: Int, using generator: inout some RandomNumberGenerator
  ) -> Duration {
    let whole = min(longestMilliseconds, firstMilliseconds << Int64(min(attempts, 16) - 1))
    return .milliseconds(Int64.random(in: whole / 2...whole, using: &generator))
  }

  /// Returns the pause of a `Retry-After` in seconds; nil for a date, or without a value.
  static func pause(retryAfter text: String?) -> Duration? {
    guard let seconds = text.flatMap({ Int64($0) }), seconds >= 0 else { return nil }
    return .seconds(min(seconds, longestRetryAfter))
  }
}
