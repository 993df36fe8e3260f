internal import Time

/// Shows the progress of long work on standard error. It shows nothing in the first two seconds, or
/// if standard error is no terminal.
struct ProgressBar {
  private let label: String
  private let total: Int64
  private let surroundings: Surroundings
  private let begin: Timestamp
  private var done: Int64 = 0
  private var shownAt: Timestamp?

  /// Work that ends before this shows nothing.
  static let quietTime = Duration.seconds(2)
  /// The interval between two updates.
  static let interval = Duration.milliseconds(100)
  /// Steps between two looks at the clock, since steps may be short.
  private static let stepsPerLook: Int64 = 256
  private static let barWidth: Int64 = 30

  init(_ label: String, total: Int64, in surroundings: Surroundings) {
    self.label = label
    self.total = max(total, 1)
    self.surroundings = surroundings
    begin = surroundings.now()
  }

  /// One step is done.
  mutating func advance() {
    done += 1
    guard done % ProgressBar.stepsPerLook == 0, surroundings.errorOutput.isTerminal else { return }
    let now = surroundings.now()
    guard now.elapsed(since: begin) >= ProgressBar.quietTime else { return }
    if let shownAt, now.elapsed(since: shownAt) < ProgressBar.interval { return }
    shownAt = now
    surroundings.writeError("\r\(text)")
  }

  /// Takes the bar away.
  mutating func finish() {
    guard shownAt != nil else { return }
    shownAt = nil
    surroundings.writeError("\r\u{1B}[K")
  }

  /// The bar, such as `audit [##########                    ]  33 %`.
  var text: String {
    let share = min(done, total)
    let filled = Int(share * ProgressBar.barWidth / total)
    let bar =
      String(repeating: "#", count: filled)
      + String(repeating: " ", count: Int(ProgressBar.barWidth) - filled)
    let percent = String(share * 100 / total)
    return "\(label) [\(bar)] \(String(repeating: " ", count: 3 - percent.count))\(percent) %"
  }
}
