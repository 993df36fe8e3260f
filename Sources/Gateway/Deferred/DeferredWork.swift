internal import Budgets
internal import Configuration
internal import EventLoop
internal import HTTP
internal import Ledger
internal import Metering
internal import Pricing

/// Work that a provider goes on with after its answer, and what is held for it until somebody has
/// seen its end: the client that asks how it stands, or Catraca's own `Follower`.
final class DeferredWork: Sendable {
  struct ID: Hashable, Sendable {
    let provider: String
    /// As the provider names it.
    let object: String
  }

  /// The origin of work. It tells a request for the same work from a request for more work: a
  /// provider answers the same client's repeat of an `Idempotency-Key` with the object that it has
  /// made already.
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

  /// The first task that sees the end claims the hold and settles. Later tasks wait for it.
  private enum State {
    case held(Grant, DeferredRequest.Progress)
    case claimed([CheckedContinuation<Void, Never>])
    case settled
  }

  let record: DeferredRequest
  /// Nil for work of an earlier process, which didn't write it down.
  let origin: Origin?
  /// The trace of the request that began the work, for the log; nil if nothing is traced, and for
  /// work of an earlier process.
  let traceID: String?
  /// Of a batch: whether the provider may keep answers to its lines, as far as this process knows.
  let keepsAnswers: Bool
  /// Of a batch: whether lines name users or conversations, as far as this process knows.
  let linesNameCallers: Bool
  private let place: DeferredPlace?
  private let state: Lock<State>

  /// - Parameter place: what the work takes of its client's share until it has ended.
  init(
    _ record: DeferredRequest, _ grant: Grant, place: DeferredPlace?, origin: Origin?,
    traceID: String? = nil, keepsAnswers: Bool = true, linesNameCallers: Bool = true
  ) {
    self.traceID = traceID
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

/// The charge of deferred work that ended without a report of its usage.
enum UnreportedWork: Hashable {
  /// All that is still held: nobody can learn what the work used. So it is with a response that the
  /// provider doesn't know any more, since a client may have deleted it, and with a batch whose
  /// results are gone.
  case rest
  /// At least what the model may have written until then, and at least the recorded estimate: the
  /// client has cancelled a response, perhaps after it had read nearly all of it.
  case written
  /// The estimate that was recorded when the provider answered: the work has failed.
  case recorded

  init(_ kind: DeferredRequest.Kind, _ completion: Completion) {
    guard let report = completion.report, kind == .response, !report.isAmbiguous else {
      self = .rest
      return
    }
    self = report.isError || completion.outcome == .providerError ? .recorded : .written
  }
}

extension DeferredRequest {
  /// All tokens that are still held.
  var restOfHold: Usage { usage(ofHeld: progress.heldTokens, outOf: 1) }

  /// The share of the hold for one line of a batch: an equal part, at most the rest of the hold. If
  /// the number of lines is unknown, the whole rest.
  ///
  /// Example: 300,000 tokens are held for a batch of 3 lines, so each of them has 100,000.
  func shareOfHold(amongLines count: Int64?) -> (usage: Usage, nanoUSD: Int64) {
    let lines = max(1, count ?? 1)
    let tokens = expected.row.heldTokens / lines
    return (
      usage(ofHeld: min(tokens, progress.heldTokens), outOf: lines),
      max(0, min(expected.row.heldNanoUSD / lines, progress.heldNanoUSD))
    )
  }

  private func usage(ofHeld tokens: Int64, outOf lines: Int64) -> Usage {
    let held = min(max(0, tokens), Usage.largestCount)
    let input = min(expected.row.usage.inputTokens / lines, held)
    return Usage(inputTokens: input, outputTokens: held - input) ?? .zero
  }

  /// The recorded estimate with at least `tokens` of output, and at most the held tokens.
  func estimate(withOutputAtLeast tokens: Int64) -> Usage {
    let recorded = expected.row.usage
    let most = max(0, progress.heldTokens - recorded.inputTokens)
    let output = max(recorded.outputTokens, min(tokens, most, Usage.largestCount))
    return Usage(inputTokens: recorded.inputTokens, outputTokens: output) ?? recorded
  }
}
