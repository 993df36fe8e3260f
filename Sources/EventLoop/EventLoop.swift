internal import CLinux

/// Is told when a registered file descriptor becomes ready. Called on the loop's thread.
public protocol ReadinessHandler: AnyObject {
  func becameReady(_ readiness: Readiness)
}

/// Names one registration of a descriptor with its loop; stale names are ignored.
public struct Registration: Hashable, Sendable {
  let slot: Int
  let generation: UInt32
  let descriptor: CInt

  var token: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

/// One thread with epoll that runs Swift tasks: the executor of everything that happens on its
/// connections.
///
/// A task that starts with `Task(executorPreference: loop)` never leaves the loop's thread, so
/// state that only such tasks and this loop's handlers touch needs no lock. Functions that rely
/// on it open with `preconditionOnLoop()`. Nothing that runs here may block.
///
/// One turn: run the jobs that are ready, do what is to be done once for all of them, wait for
/// descriptors (not at all while jobs remain), call their handlers, fire timers. While descriptors
/// are ready already, what is to be done once waits for theirs, too, for a few turns.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
  // Sendable although it has mutable state: `inbox` is behind its lock, `stopping` is written
  // through it, and everything else is touched by the loop's own thread alone, which
  // `preconditionOnLoop` checks.
  private let inbox = Lock(Inbox())
  private let wakeup: CInt
  private let poller: Poller
  private var ready: [UnownedJob] = []
  private var running: [UnownedJob] = []
  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var endOfTurn: [() -> Void] = []
  private var stopping = false
  var timers = TimerHeap()
  /// For tasks of this loop, and only on its thread.
  public let spareBytes = SpareBytes()

  /// The instant of the current turn, read once after each wait.
  public private(set) var now = MonotonicInstant.now()

  private struct Inbox {
    var jobs: [UnownedJob] = []
    var stop = false
  }

  private struct Slot {
    var handler: (any ReadinessHandler)?
    var generation: UInt32 = 0
  }

  /// For so many turns what is to be done once waits for what has come already.
  private static let longestGathering = 4

  /// Jobs may make other jobs ready; so many rounds run before descriptors are looked at again.
  private static let roundsPerTurn = 8

  public init() throws(SystemError) {
    poller = try Poller()
    wakeup = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    guard wakeup >= 0 else { throw SystemError.last("eventfd") }
    try poller.add(wakeup, [.readable, .edgeTriggered], token: UInt64.max)
  }

  deinit {
    close(wakeup)
  }

  // MARK: Executor

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isCurrent {
      ready.append(job)
      return
    }
    let first = inbox.withLock { inbox in
      inbox.jobs.append(job)
      return inbox.jobs.count == 1
    }
    if first { wake() }
  }

  /// The loop whose thread the caller runs on.
  public static var current: EventLoop? {
    guard let pointer = unsafe catraca_current_loop() else { return nil }
    return unsafe Unmanaged<EventLoop>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Whether the caller runs on this loop's thread.
  public var isCurrent: Bool {
    unsafe catraca_current_loop() == Unmanaged.passUnretained(self).toOpaque()
  }

  /// Stops the process when the caller isn't on this loop's thread: its state would be torn.
  public func preconditionOnLoop() {
    precondition(isCurrent, "called away from its event loop")
  }

  // MARK: Running

  /// Runs the loop on the calling thread until `stop`.
  public func run() {
    unsafe catraca_set_current_loop(Unmanaged.passUnretained(self).toOpaque())
    defer { catraca_set_current_loop(nil) }
    var gatheredTurns = 0
    while !stopping {
      runReadyJobs()
      if !endOfTurn.isEmpty, gatheredTurns < EventLoop.longestGathering, takeEvents(within: 0) {
        gatheredTurns += 1
      } else {
        gatheredTurns = 0
        runEndOfTurn()
        now = .now()
        _ = takeEvents(within: waitMilliseconds())
      }
      now = .now()
      fireTimers()
    }
    runReadyJobs()
    runEndOfTurn()
  }

  /// Waits for descriptors and calls their handlers; false where none was ready.
  private func takeEvents(within milliseconds: CInt) -> Bool {
    poller.wait(milliseconds: milliseconds) { token, readiness in dispatch(token, readiness) }
  }

  /// At most as many timers as there are now: one that starts itself again without a delay waits
  /// for the next turn, after jobs and descriptors.
  private func fireTimers() {
    for _ in 0..<timers.count {
      guard let timer = timers.takeDue(at: now) else { return }
      timer.fire()
    }
  }

  /// Ends `run` after the current turn. May be called from anywhere.
  public func stop() {
    inbox.withLock { $0.stop = true }
    wake()
  }

  private func runReadyJobs() {
    for _ in 0..<EventLoop.roundsPerTurn where !ready.isEmpty {
      swap(&ready, &running)
      for job in running {
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
      }
      running.removeAll(keepingCapacity: true)
    }
  }

  /// Runs `action` once, after the jobs that are ready now and before the loop waits again: for
  /// what is done at once for everything that happened in a turn.
  public func atEndOfTurn(_ action: @escaping () -> Void) {
    preconditionOnLoop()
    endOfTurn.append(action)
  }

  private func runEndOfTurn() {
    let count = endOfTurn.count
    for index in 0..<count { endOfTurn[index]() }
    endOfTurn.removeFirst(count)
  }

  private func waitMilliseconds() -> CInt {
    if !ready.isEmpty || !endOfTurn.isEmpty { return 0 }
    guard let next = timers.next else { return -1 }
    let nanoseconds = next.nanoseconds - now.nanoseconds
    // Rounded up: waking a little early would only spin.
    return nanoseconds <= 0 ? 0 : CInt(clamping: (nanoseconds + 999_999) / 1_000_000)
  }

  private func wake() {
    var one: UInt64 = 1
    // Fails only when the counter is full, and then a wake-up is already under way.
    _ = unsafe write(wakeup, &one, MemoryLayout<UInt64>.size)
  }

  private func takeInbox() {
    let stop = inbox.withLock { inbox in
      ready.append(contentsOf: inbox.jobs)
      inbox.jobs.removeAll(keepingCapacity: true)
      return inbox.stop
    }
    if stop { stopping = true }
  }

  // MARK: Descriptors

  /// Calls `handler` whenever `descriptor` becomes ready for one of `interest`. Edge-triggered
  /// registrations report a change once; the others as long as it lasts.
  public func register(
    _ descriptor: CInt, _ interest: Readiness, edgeTriggered: Bool = false,
    handler: any ReadinessHandler
  ) throws(SystemError) -> Registration {
    preconditionOnLoop()
    let slot = freeSlots.popLast() ?? slots.count
    if slot == slots.count { slots.append(Slot()) }
    let registration = Registration(
      slot: slot, generation: slots[slot].generation, descriptor: descriptor)
    do {
      try poller.add(
        descriptor, edgeTriggered ? interest.union(.edgeTriggered) : interest,
        token: registration.token)
    } catch {
      freeSlots.append(slot)
      throw error
    }
    slots[slot].handler = handler
    return registration
  }

  /// Changes what the handler of a level-triggered registration is called for.
  public func change(_ registration: Registration, to interest: Readiness) throws(SystemError) {
    preconditionOnLoop()
    guard isLive(registration) else { return }
    try poller.change(registration.descriptor, interest, token: registration.token)
  }

  /// The handler is not called any more, not even for an event that is already under way.
  public func deregister(_ registration: Registration) {
    preconditionOnLoop()
    guard isLive(registration) else { return }
    poller.remove(registration.descriptor)
    slots[registration.slot].handler = nil
    slots[registration.slot].generation &+= 1
    freeSlots.append(registration.slot)
  }

  private func isLive(_ registration: Registration) -> Bool {
    slots[registration.slot].generation == registration.generation
      && slots[registration.slot].handler != nil
  }

  private func dispatch(_ token: UInt64, _ readiness: Readiness) {
    if token == UInt64.max {
      // The counter needn't be read: each write is an edge of its own, and it has room for a
      // thousand million of them a second for five centuries.
      takeInbox()
      return
    }
    let slot = Int(token & 0xFFFF_FFFF)
    guard slots[slot].generation == UInt32(token >> 32) else { return }
    slots[slot].handler?.becameReady(readiness)
  }

  // MARK: Waiting

  /// Suspends the calling task of this loop for `duration`.
  public func sleep(for duration: Duration) async {
    preconditionOnLoop()
    await withCheckedContinuation { continuation in
      LoopTimer(on: self) { continuation.resume() }.start(after: duration)
    }
  }
}
