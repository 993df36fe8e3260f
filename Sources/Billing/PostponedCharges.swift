public import Time

/// Which charges that couldn't be tried get a line in the log.
///
/// While the payment provider is away, every charge that is due is tried again and again. At most
/// one line a minute is written, and it says how many others there were. Example: with 3 charges
/// that fail every 30 seconds, the first minute has one line, and the next line has 5 `others`.
public struct PostponedCharges: Sendable {
  private static let interval = Duration.seconds(60)
  private var lastLineAt: Timestamp?
  private var others: Int64 = 0

  public init() {}

  /// Notes a charge that couldn't be tried.
  ///
  /// - Returns: how many others there were since the last line, where one is to be written for this
  ///   charge; else nil.
  public mutating func note(at now: Timestamp) -> Int64? {
    guard isDue(at: now) else {
      others += 1
      return nil
    }
    return write(at: now)
  }

  /// How many had no line of their own, once a line is due for them; else nil.
  public mutating func rest(at now: Timestamp) -> Int64? {
    others > 0 && isDue(at: now) ? write(at: now) : nil
  }

  private func isDue(at now: Timestamp) -> Bool {
    // Where the clock was set back, too.
    lastLineAt.map { now < $0 || now >= $0.advanced(by: PostponedCharges.interval) } ?? true
  }

  private mutating func write(at now: Timestamp) -> Int64 {
    defer { others = 0 }
    lastLineAt = now
    return others
  }
}
