/// How much there is in a write-ahead log, and how much of that has been copied into the file. In
/// frames, each of which is a page.
struct LogProgress: Sendable, Hashable {
  var frames = 0
  var copied = 0
}

/// Says when a write-ahead log is copied into its file, and by whom.
///
/// The log begins anew after all of it was copied and before anything was added, which only the
/// writer can bring about while commits follow each other. It does so seldom, when there is little
/// left to copy.
struct LogWatch {
  enum Step: Hashable {
    case nothing
    /// By the checkpointer, beside the writer.
    case copyBeside
    /// By the writer itself.
    case copyNow
  }

  /// Whether there is a checkpointer.
  let hasHelper: Bool
  /// How long the log was when it was last to be copied.
  private var asked = 0
  private var lastFrames = 0

  init(hasHelper: Bool) {
    self.hasHelper = hasHelper
  }

  /// The step after a commit.
  ///
  /// - Parameters:
  ///   - frames: in the log.
  ///   - copied: how many of them have been, as far as is known.
  mutating func step(frames: Int, copied: Int) -> Step {
    if frames < lastFrames { asked = 0 }
    lastFrames = frames
    let isLong = frames >= LogWatch.long
    let interval =
      hasHelper ? (isLong ? LogWatch.few : LogWatch.interval) : LogWatch.intervalAlone
    guard frames - asked >= interval else { return .nothing }
    asked = frames
    guard hasHelper else { return .copyNow }
    // The count of an earlier log may exceed the length of this one.
    let rest = copied <= frames ? frames - copied : frames
    let isWritersTurn = rest <= 2 * LogWatch.few || frames >= LogWatch.longest
    return isLong && isWritersTurn ? .copyNow : .copyBeside
  }

  /// 4 MiB of pages.
  static let interval = 1_024
  /// A quarter of a MiB: the disk has it within a millisecond.
  static let few = 64
  /// 64 MiB: from here on the log is to begin anew.
  static let long = 16_384
  /// 128 MiB: from here on the writer waits for the disk, however much is left to copy.
  static let longest = 32_768
  /// 16 MiB.
  static let intervalAlone = 4_096
}
