/// When a call of our own that failed is made again: soon, then less and less often, hourly for a
/// day.
public enum RetrySchedule {
  private static let firstPauses: [Duration] = [
    .seconds(1), .seconds(5), .seconds(30), .seconds(120), .seconds(600),
  ]
  private static let hourlyAttempts = 24

  /// How long to wait after so many attempts have failed, at least one; nil: it is given up.
  public static func pause(after attempts: Int) -> Duration? {
    if attempts <= firstPauses.count { return firstPauses[max(attempts, 1) - 1] }
    return attempts <= firstPauses.count + hourlyAttempts ? .seconds(3600) : nil
  }
}
