/// Wakes the worker of a queue: at once when it is rung, or after a pause.
///
/// Several rings during the work count as one ring after it. For work outside the event loops.
public final class WorkBell: Sendable {
  /// The rings. The sequence ends with `close`.
  public let rings: AsyncStream<Void>
  private let ringing: AsyncStream<Void>.Continuation
  private let alarm = Lock<Task<Void, Never>?>(nil)

  public init() {
    (rings, ringing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  public func ring() {
    ringing.yield()
  }

  /// Rings after a pause, in place of an earlier one; with nil, only `ring()` rings.
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
