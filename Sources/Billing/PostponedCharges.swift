public import Time

/// Decides which charges that couldn't be attempted get a log line.
///
/// While the payment provider can't be reached, every due charge is attempted repeatedly. At most
/// one line a minute is written, with the number of the others. Example: with 3 charges that fail
/// every 30 seconds, the first minute has one line, and the next line has 5 `others`.
public struct PostponedCharges: Sendable {
  private static let interval = Duration.seconds(60)
  private var lastLineAt: Timestamp?
  private var others: Int64 = 0

  public init() {}

  /// Notes a charge that couldn't be attempted.
  ///
  /// - Returns: The number of other charges since the last line, if a line is to be written for
  ///   this charge; nil otherwise.
  public mutating func note(at now: Timestamp) -> Int64? {
    guard isDue(at: now) else {
      others += 1
      return nil
    }
    return write(at: now)
  }

  /// Returns the number of charges without a line, once a line is due for them; nil otherwise.
  public mutating func rest(at now: Timestamp) -> Int64? {
    others > 0 && isDue(at: now) ? write(at: now) : nil
  }

  private func isDue(at now: Timestamp) -> Bool {
    // A line is also due after the clock was set back.
    lastLineAt.map { now < $0 || now >= $0.advanced(by: PostponedCharges.interval) } ?? true
  }

  private mutating func write(at now: Timestamp) -> Int64 {
    defer { others = 0 }
    lastLineAt = now
    return others
  }
}
