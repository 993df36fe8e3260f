internal import Budgets
internal import EventLoop
internal import Time

/// Who waits for a command to be done.
typealias Waiter = CheckedContinuation<Result<Void, LedgerError>, Never>

/// What callers ask the writer for.
enum Command: Sendable {
  case write(Entry, Waiter)
  case syncBudgets([BudgetDefinition], at: Timestamp, Waiter)
}

/// What the writer finds when it looks.
struct Work: Sendable {
  var commands: [Command] = []
  var denials: [DenialRow] = []
  /// Nothing more will come.
  var isLast = false
}

/// Where callers leave their commands and the writer's thread picks them up.
///
/// It is bounded: an intent is refused when too many wait, a denial is dropped and counted.
/// Settlements are never refused; each belongs to an intent that was let in.
final class CommandQueue: Sendable {
  private struct State {
    var commands: [Command] = []
    var denials: [DenialRow] = []
    var droppedDenials = 0
    var isClosed = false
    var isFinished = false
    var isWriterAsleep = false
    var closers: [CheckedContinuation<Void, Never>] = []

    /// Whether the writer has to be woken; only the first who asks is told so.
    mutating func takeSleep() -> Bool {
      defer { isWriterAsleep = false }
      return isWriterAsleep
    }
  }

  static let largestCommandCount = 65_536
  static let largestDenialCount = 10_000

  private let state = Lock(State())
  private let wakeUp = WakeUp()

  /// Why a command was not taken.
  enum Refusal {
    case closed
    case full
  }

  /// Nil when the command was taken.
  func submit(_ command: Command) -> Refusal? {
    let (refusal, wakes) = state.withLock { state -> (Refusal?, Bool) in
      if state.isClosed { return (.closed, false) }
      if case .write(.open, _) = command,
        state.commands.count >= CommandQueue.largestCommandCount
      {
        return (.full, false)
      }
      state.commands.append(command)
      return (nil, state.takeSleep())
    }
    if wakes { wakeUp.signal() }
    return refusal
  }

  /// Dropped and counted when too many wait, or after the end.
  func submit(_ denial: DenialRow) {
    let wakes = state.withLock { state in
      guard !state.isClosed, state.denials.count < CommandQueue.largestDenialCount else {
        state.droppedDenials += 1
        return false
      }
      state.denials.append(denial)
      return state.takeSleep()
    }
    if wakes { wakeUp.signal() }
  }

  /// Lets nothing more in; `closer` is resumed when the writer has finished.
  func close(_ closer: CheckedContinuation<Void, Never>?) {
    let (isFinished, wakes) = state.withLock { state in
      state.isClosed = true
      if !state.isFinished, let closer { state.closers.append(closer) }
      return (state.isFinished, state.takeSleep())
    }
    if wakes { wakeUp.signal() }
    if isFinished { closer?.resume() }
  }

  /// The writer's last word.
  func finish() {
    let closers = state.withLock { state in
      state.isFinished = true
      defer { state.closers = [] }
      return state.closers
    }
    for closer in closers { closer.resume() }
  }

  var droppedDenials: Int { state.withLock { $0.droppedDenials } }

  /// Sleeps until there is work, at most so long; nothing when that has passed.
  ///
  /// - Parameter takesDenials: false while the writer has some that it could not write.
  func take(waitingAtMost limit: Duration?, takesDenials: Bool) -> Work {
    if let work = takeNow(takesDenials: takesDenials) { return work }
    wakeUp.wait(atMost: limit)
    return takeNow(takesDenials: takesDenials) ?? Work()
  }

  private func takeNow(takesDenials: Bool) -> Work? {
    state.withLock { state in
      let hasDenials = takesDenials && !state.denials.isEmpty
      guard !state.commands.isEmpty || hasDenials || state.isClosed else {
        state.isWriterAsleep = true
        return nil
      }
      state.isWriterAsleep = false
      var work = Work(isLast: state.isClosed)
      swap(&work.commands, &state.commands)
      if takesDenials { swap(&work.denials, &state.denials) }
      return work
    }
  }
}
