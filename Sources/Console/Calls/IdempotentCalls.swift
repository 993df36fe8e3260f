internal import EventLoop
internal import HTTP
internal import Ledger
internal import TLS
internal import Time

/// Answers a repeated call with the same `Idempotency-Key` as it was answered the first time.
///
/// The ledger commits the key together with the call's change, and stores the answer afterwards. If
/// the answer was lost in between, the repeated call changes nothing and its answer shows the
/// current state. An answer with a secret is never stored in the ledger. This process keeps it for
/// ten minutes.
final class IdempotentCalls: Sendable {
  private struct Name: Hashable {
    let owner: String
    let key: String
  }

  private struct Secret {
    let answer: ClaimedKey.Answer
    let until: Timestamp
  }

  /// A call that is being carried out.
  private struct Running {
    let digest: String
    /// Repetitions that wait for the call to end.
    var repetitions: [CheckedContinuation<Void, Never>] = []
  }

  private struct State {
    var running: [Name: Running] = [:]
    var secrets: [Name: Secret] = [:]
    /// Keys of committed changes whose answers the ledger couldn't store yet, such as usage that
    /// waits in the spool.
    var unanswered: [Name: ClaimedKey] = [:]
  }

  static let field: FieldName = "idempotency-key"
  private static let replayed: FieldName = "idempotent-replayed"
  private static let secretLifetime = Duration.seconds(600)
  private static let longestKey = 255
  /// The most keys in `unanswered`. Beyond it, all are dropped; the ledger has the keys once it can
  /// be written.
  private static let mostUnanswered = 10_000

  private let state = Lock(State())

  /// Carries out a call, or answers as before if it was carried out already.
  ///
  /// - Parameters:
  ///   - key: The text of the field `Idempotency-Key`.
  ///   - target: The path and query of the call.
  /// - Throws: `idempotencyConflict` if the key belongs to another call, and the errors of the
  ///   call.
  func answer(
    _ call: Call, key: String, of route: APIRoute, target: String
  ) async throws(APIError) -> Answer {
    guard (1...IdempotentCalls.longestKey).contains(key.utf8.count),
      key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw .invalidValue("Idempotency-Key", allowed: "1 to 255 visible characters of ASCII")
    }
    let claim = IdempotencyClaim(
      owner: try route.idempotencyOwner(call), key: key,
      requestSHA256: SHA256.digest(of: Array("\(target)\n".utf8) + call.bodyBytes).hex,
      createdAt: call.now, hasSecret: route.showsSecret)
    let name = Name(owner: claim.owner, key: key)
    try await begin(name, claim.requestSHA256)
    defer { end(name) }
    let known = try known(name, call)
    if let known {
      guard known.requestSHA256 == claim.requestSHA256 else { throw APIError.keyOfAnotherCall }
      if let answer = try replay(known, name, at: call.now) { return answer }
    }
    call.take(claim, known: known)
    var answer = try await route.carryOut(call)
    if !answer.isPreliminary { answer = try finish(answer, name, call.claim ?? claim, call) }
    if call.isRepeated { answer.fields.append((IdempotentCalls.replayed, "true")) }
    return answer
  }

  /// Waits until no other call with the key is running.
  private func begin(_ name: Name, _ digest: String) async throws(APIError) {
    while true {
      let other = state.withLock { state in
        let other = state.running[name]?.digest
        if other == nil { state.running[name] = Running(digest: digest) }
        return other
      }
      guard let other else { return }
      guard other == digest else { throw APIError.keyOfAnotherCall }
      await withCheckedContinuation { repetition in
        let isOver = state.withLock { state in
          state.running[name]?.repetitions.append(repetition) == nil
        }
        if isOver { repetition.resume() }
      }
    }
  }

  private func end(_ name: Name) {
    let ended = state.withLock { $0.running.removeValue(forKey: name) }
    for repetition in ended?.repetitions ?? [] { repetition.resume() }
  }

  private func known(_ name: Name, _ call: Call) throws(APIError) -> ClaimedKey? {
    if let unanswered = state.withLock({ $0.unanswered[name] }) { return unanswered }
    return try call.read { reader throws(LedgerError) in
      try reader.claimedKey(name.key, of: name.owner, at: call.now)
    }
  }

  /// The stored answer; nil if it was lost and can be made again.
  private func replay(
    _ known: ClaimedKey, _ name: Name, at now: Timestamp
  ) throws(APIError) -> Answer? {
    if let stored = known.answer { return IdempotentCalls.replay(stored) }
    if known.outcome != nil { return nil }
    let secret = state.withLock { $0.secrets[name].flatMap { $0.until > now ? $0.answer : nil } }
    guard let secret else { throw APIError.secretIsShownNoMore }
    return IdempotentCalls.replay(secret)
  }

  private static func replay(_ stored: ClaimedKey.Answer) -> Answer {
    var answer = Answer(status: stored.status, body: Array(stored.body.utf8))
    answer.fields = [(replayed, "true")]
    return answer
  }

  /// Stores an answer for repetitions. Returns the answer that counts, which another server may
  /// have stored first.
  private func finish(
    _ answer: Answer, _ name: Name, _ claim: IdempotencyClaim, _ call: Call
  ) throws(APIError) -> Answer {
    let given = ClaimedKey.Answer(
      status: answer.status, body: String(decoding: answer.body, as: UTF8.self))
    if claim.hasSecret {
      keep(given, name, at: call.now)
      if call.hasChanged, claim.actsWithin == nil { return answer }
    }
    do throws(APIError) {
      guard let stored = try call.store(claim.hasSecret ? nil : given, of: claim) else {
        if let change = call.changeMade { remember(change, name) }
        return answer
      }
      _ = state.withLock { $0.unanswered.removeValue(forKey: name) }
      guard stored.requestSHA256 == claim.requestSHA256 else { throw APIError.keyOfAnotherCall }
      if let first = stored.answer, first != given { return IdempotentCalls.replay(first) }
    } catch {
      guard call.hasChanged, error.status == APIError.ledgerUnavailable.status else { throw error }
      if let change = call.changeMade { remember(change, name) }
    }
    return answer
  }

  private func keep(_ secret: ClaimedKey.Answer, _ name: Name, at now: Timestamp) {
    let until = now.advanced(by: IdempotentCalls.secretLifetime)
    state.withLock { state in
      state.secrets = state.secrets.filter { $0.value.until > now }
      state.secrets[name] = Secret(answer: secret, until: until)
    }
  }

  private func remember(_ change: ClaimedKey, _ name: Name) {
    state.withLock { state in
      if state.unanswered.count >= IdempotentCalls.mostUnanswered { state.unanswered.removeAll() }
      state.unanswered[name] = change
    }
  }
}
