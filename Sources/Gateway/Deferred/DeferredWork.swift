internal import Budgets
internal import Configuration
internal import EventLoop
internal import HTTP
internal import Ledger

/// Work that a provider goes on with after its answer, and what is held for it until somebody has
/// seen its end: the client that asks how it stands, or Catraca's own `Follower`.
final class DeferredWork: Sendable {
  struct ID: Hashable, Sendable {
    let provider: String
    /// As the provider names it.
    let object: String
  }

  /// Who asked for work, to tell a request that asks for the same work again from one that makes
  /// more: a provider answers the same client's repeat of an `Idempotency-Key` with the object that
  /// it has made already.
  struct Origin: Hashable, Sendable {
    let clientID: String
    /// Nil where the request had none, or one that is too long to be kept.
    let idempotencyKey: String?

    private static let longestKey = 256
    private static let field: FieldName = "idempotency-key"

    init(clientID: String, idempotencyKey: String?) {
      self.clientID = clientID
      self.idempotencyKey = idempotencyKey.flatMap { key in
        (1...Origin.longestKey).contains(key.utf8.count) ? key : nil
      }
    }

    init(of request: MeteredRequest, _ head: RequestHead) {
      self.init(
        clientID: request.identity.client.id, idempotencyKey: head.fields.first(Origin.field))
    }

    func isRepeated(by later: Origin) -> Bool {
      idempotencyKey != nil && self == later
    }
  }

  /// Whoever sees the end first claims the hold, and settles; who comes later waits for that.
  private enum State {
    case held(Grant, DeferredRequest.Progress)
    case claimed([CheckedContinuation<Void, Never>])
    case settled
  }

  let record: DeferredRequest
  /// Nil for work of an earlier process, which didn't write it down.
  let origin: Origin?
  /// Of a batch: whether the provider may keep answers to its lines, as far as this process knows.
  let keepsAnswers: Bool
  /// Of a batch: whether lines name users or conversations, as far as this process knows.
  let linesNameCallers: Bool
  private let place: DeferredPlace?
  private let state: Lock<State>

  /// - Parameter place: what the work takes of its client's share until it has ended.
  init(
    _ record: DeferredRequest, _ grant: Grant, place: DeferredPlace?, origin: Origin?,
    keepsAnswers: Bool = true, linesNameCallers: Bool = true
  ) {
    self.record = record
    self.keepsAnswers = keepsAnswers
    self.linesNameCallers = linesNameCallers
    self.place = place
    self.origin = origin
    state = Lock(.held(grant, record.progress))
  }

  var id: ID { ID(provider: record.provider, object: record.objectID) }
  var clientID: String { record.expected.row.clientID }

  /// Whether a request that is answered with this work asks for it again. For work of an earlier
  /// process the client and the presence of a key must do.
  func isRepeated(by later: Origin) -> Bool {
    if let origin { return origin.isRepeated(by: later) }
    return later.clientID == clientID && later.idempotencyKey != nil
  }

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
