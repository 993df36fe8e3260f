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
