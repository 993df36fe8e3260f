internal import CLinux

/// Receives the readiness of a registered file descriptor. Called on the loop's thread.
public protocol ReadinessHandler: AnyObject {
  func becameReady(_ readiness: Readiness)
}

/// Identifies one registration of a descriptor with its loop. A stale registration is ignored.
public struct Registration: Hashable, Sendable {
  let slot: Int
  let generation: UInt32
  let descriptor: CInt

  var token: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

/// One thread with epoll that runs Swift tasks. It is the executor of all work on its connections.
///
/// A task started with `Task(executorPreference: loop)` never leaves the loop's thread. State that
/// only such tasks and this loop's handlers use therefore needs no lock. Functions that rely on
/// this begin with `preconditionOnLoop()`. No work on the loop may block.
///
/// One turn of the loop runs the ready jobs, then the end-of-turn actions, waits for descriptors
/// (without blocking while jobs remain), calls their handlers, and fires timers. While descriptors
/// are ready, the end-of-turn actions are put off for a few turns, to cover these events too.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
  // Sendable despite its mutable state: `inbox` is guarded by its lock, `stopping` is written
  // through it, and only the loop's own thread uses everything else, which `preconditionOnLoop`
  // checks.
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
  /// Spare arrays for tasks of this loop, only on its thread.
  public let spareBytes = SpareBytes()

  /// The time of the current turn, read once after each wait.
  public private(set) var now = MonotonicInstant.now()

  private struct Inbox {
    var jobs: [UnownedJob] = []
    var stop = false
  }

  private struct Slot {
    var handler: (any ReadinessHandler)?
    var generation: UInt32 = 0
  }

  /// The most turns for which end-of-turn actions are put off in favor of ready events.
  private static let longestGathering = 4

  /// The most rounds of jobs before descriptors are polled again. Jobs may make further jobs ready.
  private static let roundsPerTurn = 8

  /// Creates a loop that doesn't run yet.
  ///
  /// - Throws: `SystemError` if its poller can't be created, for example without descriptors.
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

  /// The loop on whose thread the caller runs; nil on any other thread.
  public static var current: EventLoop? {
    guard let pointer = unsafe catraca_current_loop() else { return nil }
    return unsafe Unmanaged<EventLoop>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Whether the caller runs on this loop's thread.
  public var isCurrent: Bool {
    unsafe catraca_current_loop() == Unmanaged.passUnretained(self).toOpaque()
  }

  /// Stops the process if the caller isn't on this loop's thread, because the loop's state would be
  /// corrupted.
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

  /// Waits for descriptors and calls their handlers; returns false if none was ready.
  private func takeEvents(within milliseconds: CInt) -> Bool {
    poller.wait(milliseconds: milliseconds) { token, readiness in dispatch(token, readiness) }
  }

  /// Fires at most as many timers as exist now. A timer that restarts itself without a delay waits
  /// for the next turn, after jobs and descriptors.
  private func fireTimers() {
    for _ in 0..<timers.count {
      guard let timer = timers.takeDue(at: now) else { return }
      timer.fire()
    }
  }

  /// Ends `run` after the current turn. Any thread may call it.
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

  /// Runs `action` once, after the jobs that are ready now and before the loop waits again. It
  /// suits work that covers all events of a turn.
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
    // Rounded up, because waking a little early would only spin.
    return nanoseconds <= 0 ? 0 : CInt(clamping: (nanoseconds + 999_999) / 1_000_000)
  }

  private func wake() {
    var one: UInt64 = 1
    // The write fails only if the counter is full, and a wake-up is then already pending.
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

  /// Calls `handler` whenever `descriptor` becomes ready for one of `interest`. An edge-triggered
  /// registration reports a change once; a level-triggered one reports it as long as it lasts.
  /// - Throws: `SystemError` if the kernel refuses the registration.
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

  /// Changes the interest of a level-triggered registration.
  /// - Throws: `SystemError` if the kernel refuses the change.
  public func change(_ registration: Registration, to interest: Readiness) throws(SystemError) {
    preconditionOnLoop()
    guard isLive(registration) else { return }
    try poller.change(registration.descriptor, interest, token: registration.token)
  }

  /// Ends a registration. Its handler isn't called any more, not even for a pending event.
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
      // The counter needn't be read, because each write is an edge of its own. It has room for a
      // thousand million writes a second for five centuries.
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
