public import EventLoop

/// Counts failed sign-ins by their network, so that guessing is slow and can't fill the log. A
/// valid credential always passes.
public final class FailedSignIns: Sendable {
  /// The failures of one network in a minute that are answered normally, for operators' sign-ins.
  public static let mostOfOperators = 100
  /// The failures of one network in a minute that are answered normally, for apps. Many apps may
  /// share one address, each with an old key.
  public static let mostOfApps = 1_000

  static let window = Duration.seconds(60)
  /// The most networks that are counted separately; the others share one count.
  static let largestCount = 10_000

  private struct Window {
    let start: MonotonicInstant
    var count = 0

    func hasEnded(at now: MonotonicInstant) -> Bool {
      now.elapsed(since: start) >= FailedSignIns.window
    }
  }

  private let most: Int
  private let windows = Lock<[SocketAddress.Network?: Window]>([:])

  /// - Parameter most: The failures of one network in a minute that are answered normally.
  public init(most: Int) {
    self.most = most
  }

  /// Notes a failure. If there were too many, returns the time after which to retry, in whole
  /// seconds, at least 1; nil otherwise.
  public func note(from network: SocketAddress.Network?, at now: MonotonicInstant) -> Int64? {
    windows.withLock { windows in
      var network = network
      if windows[network] == nil, windows.count >= FailedSignIns.largestCount {
        windows = windows.filter { !$0.value.hasEnded(at: now) }
        if windows.count >= FailedSignIns.largestCount { network = nil }
      }
      var window = windows[network] ?? Window(start: now)
      if window.hasEnded(at: now) { window = Window(start: now) }
      window.count += 1
      windows[network] = window
      guard window.count > most else { return nil }
      let rest = FailedSignIns.window - now.elapsed(since: window.start)
      return max(1, rest.components.seconds + (rest.components.attoseconds > 0 ? 1 : 0))
    }
  }
}
