internal import Time

/// How far a long piece of work is, on standard error; silent in the first two seconds, and where
/// that is no terminal.
struct ProgressBar {
  private let label: String
  private let total: Int64
  private let surroundings: Surroundings
  private let begin: Timestamp
  private var done: Int64 = 0
  private var shownAt: Timestamp?

  /// Work that ends before this shows nothing.
  static let quietTime = Duration.seconds(2)
  /// How long what is shown stays.
  static let interval = Duration.milliseconds(100)
  /// The clock is asked once in so many steps, since steps may be short.
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

  /// Such as `audit [##########                    ]  33 %`.
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
