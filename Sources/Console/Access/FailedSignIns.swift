internal import EventLoop
internal import Time

/// Counts failed sign-ins, so that guessing is slow. A valid credential always passes.
final class FailedSignIns: Sendable {
  private struct Window {
    var start = Timestamp(milliseconds: 0)
    var count = 0
  }

  /// How many a window allows.
  static let most = 100
  static let windowMilliseconds: Int64 = 60_000

  private let window = Lock(Window())

  /// Notes one more; returns in how many seconds to try again where there were too many.
  func note(at now: Timestamp) -> Int64? {
    window.withLock { window in
      let age = now.milliseconds - window.start.milliseconds
      if age < 0 || age >= FailedSignIns.windowMilliseconds {
        window = Window(start: now, count: 0)
      }
      window.count += 1
      guard window.count > FailedSignIns.most else { return nil }
      let end = window.start.milliseconds + FailedSignIns.windowMilliseconds
      return max(1, (end - now.milliseconds + 999) / 1000)
    }
  }
}
