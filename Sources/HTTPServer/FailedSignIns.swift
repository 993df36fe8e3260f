public import EventLoop

/// Counts failed sign-ins by the network that they come from, so that guessing is slow, and so is
/// filling the log. A valid credential always passes.
public final class FailedSignIns: Sendable {
  /// How many of a network are answered as such in a minute where operators sign in.
  public static let mostOfOperators = 100
  /// The same where apps do: many of them may stand behind one address, with an old key each.
  public static let mostOfApps = 1_000

  static let window = Duration.seconds(60)
  /// The most networks that are counted one by one; the rest share one count.
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

  /// - Parameter most: so many of a network are nothing special in a minute.
  public init(most: Int) {
    self.most = most
  }

  /// Notes one more; returns in how many whole seconds, at least 1, to try again where there were
  /// too many.
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
