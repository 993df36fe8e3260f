/// Wakes whoever works off what others leave: at once when it is rung, or at a time.
///
/// Rings while the work is under way are one ring after it. For work off the event loops.
public final class WorkBell: Sendable {
  /// Ends with `close`.
  public let rings: AsyncStream<Void>
  private let ringing: AsyncStream<Void>.Continuation
  private let alarm = Lock<Task<Void, Never>?>(nil)

  public init() {
    (rings, ringing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  public func ring() {
    ringing.yield()
  }

  /// Rings after a pause, in place of an earlier time; nil: when it is rung.
  public func ring(after pause: Duration?) {
    let next = pause.map { pause in
      Task { [ringing] in
        do { try await Task.sleep(for: pause) } catch { return }
        ringing.yield()
      }
    }
    let former = alarm.withLock { alarm in
      defer { alarm = next }
      return alarm
    }
    former?.cancel()
  }

  public func close() {
    ring(after: nil)
    ringing.finish()
  }
}
