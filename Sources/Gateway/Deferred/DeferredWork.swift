internal import Budgets
internal import EventLoop
internal import Ledger

/// Work that a provider goes on with after its answer, and what is held for it until somebody has
/// seen its end: the client that asks how it stands, or Catraca's own `Follower`.
final class DeferredWork: Sendable {
  struct ID: Hashable, Sendable {
    let provider: String
    /// As the provider names it.
    let object: String
  }

  /// Whoever sees the end first claims the hold, and settles; who comes later waits for that.
  private enum State {
    case held(Grant, DeferredRequest.Progress)
    case claimed([CheckedContinuation<Void, Never>])
    case settled
  }

  let record: DeferredRequest
  private let state: Lock<State>

  init(_ record: DeferredRequest, _ grant: Grant) {
    self.record = record
    state = Lock(.held(grant, record.progress))
  }

  var id: ID { ID(provider: record.provider, object: record.objectID) }

  var isSettled: Bool {
    state.withLock { if case .settled = $0 { true } else { false } }
  }

  /// The claim, for the first; nil when somebody else has settled the work.
  func claim() async -> Claim? {
    while true {
      let claim: Claim? = state.withLock { state in
        guard case .held(let grant, let progress) = state else { return nil }
        state = .claimed([])
        return Claim(grant: grant, progress: progress)
      }
      if let claim { return claim }
      if isSettled { return nil }
      await withCheckedContinuation { task in
        let isClaimed = state.withLock { state in
          guard case .claimed(let tasks) = state else { return false }
          state = .claimed(tasks + [task])
          return true
        }
        if !isClaimed { task.resume() }
      }
    }
  }

  /// The right to settle the work; ends in `settled` or `giveUp`.
  struct Claim {
    let grant: Grant
    var progress: DeferredRequest.Progress
  }

  /// The rows are safe: the claim has ended.
  func settled() {
    end(with: .settled)
  }

  /// Lets the claim go, for another attempt.
  func giveUp(_ claim: Claim) {
    end(with: .held(claim.grant, claim.progress))
  }

  private func end(with next: State) {
    let waiting: [CheckedContinuation<Void, Never>] = state.withLock { state in
      guard case .claimed(let tasks) = state else {
        preconditionFailure("a claim that nobody has was ended")
      }
      state = next
      return tasks
    }
    for task in waiting { task.resume() }
  }
}

/// All work that providers go on with.
final class DeferredWorks: Sendable {
  private let works = Lock<[DeferredWork.ID: DeferredWork]>([:])

  /// So much work may be under way; each is asked about once a minute at least.
  static let largestCount = 10_000

  var hasRoom: Bool { works.withLock { $0.count < DeferredWorks.largestCount } }

  /// False where this work is known already.
  func insert(_ work: DeferredWork) -> Bool {
    works.withLock { works in
      guard works[work.id] == nil else { return false }
      works[work.id] = work
      return true
    }
  }

  func find(_ id: DeferredWork.ID) -> DeferredWork? {
    works.withLock { $0[id] }
  }

  func remove(_ id: DeferredWork.ID) {
    works.withLock { $0[id] = nil }
  }
}
