internal import CLinux

/// A thread of the operating system, for work that waits for disks or descriptors.
public final class Thread: Sendable {
  private let handle: pthread_t

  private final class Start {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Starts a thread that runs `body` once. Tools show `name`, cut to 15 bytes.
  /// - Throws: `SystemError` if the thread can't be created.
  public init(name: String, body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = unsafe Unmanaged.passRetained(Start(name: String(name.prefix(15)), body: body))
    var handle = pthread_t()
    let status = unsafe pthread_create(
      &handle, nil,
      { context in
        guard let context = unsafe context else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        _ = unsafe catraca_name_thread(start.name)
        start.body()
        return nil
      }, start.toOpaque())
    guard status == 0 else {
      unsafe start.release()
      throw SystemError(call: "pthread_create", code: status)
    }
    self.handle = handle
  }

  /// Waits until the body has returned. Must be called at most once.
  public func join() {
    let status = pthread_join(handle, nil)
    precondition(status == 0, "a thread is joined once, by another thread")
  }
}

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
