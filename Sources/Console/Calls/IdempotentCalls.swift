internal import EventLoop
internal import HTTP
internal import Ledger
internal import TLS
internal import Time

/// Answers a call that is repeated with the same `Idempotency-Key` as it was answered first.
///
/// Answers are remembered in the ledger for a day. One with a secret is remembered without its
/// body; that stays in memory, for ten minutes.
final class IdempotentCalls: Sendable {
  private struct Name: Hashable {
    let owner: String
    let key: String
  }

  private struct Secret {
    let body: [UInt8]
    let until: Timestamp
  }

  /// A call that is being carried out.
  private struct Running {
    let digest: String
    /// Repetitions of it that came meanwhile.
    var repetitions: [CheckedContinuation<Void, Never>] = []
  }

  private struct State {
    var running: [Name: Running] = [:]
    var secrets: [Name: Secret] = [:]
  }

  static let field: FieldName = "idempotency-key"
  private static let replayed: FieldName = "idempotent-replayed"
  private static let secretLifetime = Duration.seconds(600)
  private static let longestKey = 255

  private let state = Lock(State())

  /// Runs `perform`, unless the call has been answered before.
  ///
  /// - Parameters:
  ///   - key: the field's text.
  ///   - owner: among whose keys it counts.
  func answer(
    _ call: Call, key: String, owner: String, target: String,
    _ perform: (Call) async throws(APIError) -> Answer
  ) async throws(APIError) -> Answer {
    guard (1...IdempotentCalls.longestKey).contains(key.utf8.count),
      key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw .invalidValue("Idempotency-Key", allowed: "1 to 255 visible characters of ASCII")
    }
    let name = Name(owner: owner, key: key)
    let digest = SHA256.digest(of: Array("\(target)\n".utf8) + call.bodyBytes).hex
    try await begin(name, digest)
    defer { end(name) }
    let known = try call.read { reader throws(LedgerError) in
      try reader.rememberedAnswer(key, of: name.owner, at: call.now)
    }
    if let known { return try replay(known, name, digest, at: call.now) }
    let answer = try await perform(call)
    try remember(answer, name, digest, call)
    return answer
  }

  private static let isOfAnother =
    APIError.idempotencyConflict("This Idempotency-Key belongs to another call.")

  /// Returns once no other call with the key is being carried out.
  private func begin(_ name: Name, _ digest: String) async throws(APIError) {
    while true {
      let other = state.withLock { state in
        let other = state.running[name]?.digest
        if other == nil { state.running[name] = Running(digest: digest) }
        return other
      }
      guard let other else { return }
      guard other == digest else { throw IdempotentCalls.isOfAnother }
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

  private func replay(
    _ known: RememberedAnswer, _ name: Name, _ digest: String, at now: Timestamp
  ) throws(APIError) -> Answer {
    guard known.requestSHA256 == digest else { throw IdempotentCalls.isOfAnother }
    let secret = state.withLock { $0.secrets[name].flatMap { $0.until > now ? $0.body : nil } }
    guard let body = known.body.map({ Array($0.utf8) }) ?? secret else {
      throw .idempotencyConflict("The call was carried out, and its secret is shown no more.")
    }
    var answer = Answer(status: known.status, body: body)
    answer.fields = [(IdempotentCalls.replayed, "true")]
    return answer
  }

  private func remember(
    _ answer: Answer, _ name: Name, _ digest: String, _ call: Call
  ) throws(APIError) {
    let now = call.now
    if answer.hasSecret {
      let until = now.advanced(by: IdempotentCalls.secretLifetime)
      state.withLock { state in
        state.secrets = state.secrets.filter { $0.value.until > now }
        state.secrets[name] = Secret(body: answer.body, until: until)
      }
    }
    let remembered = RememberedAnswer(
      owner: name.owner, key: name.key, requestSHA256: digest, status: answer.status,
      body: answer.hasSecret ? nil : String(decoding: answer.body, as: UTF8.self),
      createdAt: now)
    try call.edit { editor throws(LedgerError) in try editor.remember(remembered) }
  }
}
