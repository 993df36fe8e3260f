internal import JSON
internal import Ledger
internal import TLS
internal import Time

// Changes that calls make. A call commits one change together with its idempotency key. If the call
// runs again because its answer was lost, the change is skipped and has the same outcome.

extension Call {
  private static let anyone = "anyone"

  /// Whether the call's change is committed. From then on the call no longer fails for a temporary
  /// problem of the server.
  var hasChanged: Bool { changeMade != nil }

  /// Changes the ledger and returns the outcome once the change is in force.
  ///
  /// - Parameter actor: The author in the audit log, for a call without a credential.
  func change<Outcome: LosslessStringConvertible>(
    as actor: String = anyone, _ body: (LedgerEditor) throws(LedgerError) -> Outcome
  ) async throws(APIError) -> Outcome {
    let outcome = try edit(as: actor, body)
    closeReader()
    guard await server.takeOverLedger() else { throw .ledgerUnavailable }
    return outcome
  }

  func change(
    as actor: String = anyone, _ body: (LedgerEditor) throws(LedgerError) -> Void
  ) async throws(APIError) {
    _ = try await change(as: actor) { editor throws(LedgerError) -> Bool in
      try body(editor)
      return true
    }
  }

  /// Changes the ledger. The server doesn't reload its state.
  ///
  /// - Parameter actor: The author in the audit log, for a call without a credential.
  func edit<Outcome: LosslessStringConvertible>(
    as actor: String = anyone, _ body: (LedgerEditor) throws(LedgerError) -> Outcome
  ) throws(APIError) -> Outcome {
    claimsWithAnswer = false
    if changeMade == nil {
      let editor = try editor(as: actor)
      do throws(LedgerError) {
        try make(body, by: editor)
      } catch {
        throw APIError(error)
      }
    }
    guard let made = changeMade, made.requestSHA256 == claim?.requestSHA256 ?? made.requestSHA256
    else {
      changeMade = nil
      throw .keyOfAnotherCall
    }
    guard let text = made.outcome else { throw .secretIsShownNoMore }
    guard let outcome = Outcome(text) else { throw .ledgerUnavailable }
    return outcome
  }

  /// Claims the call's idempotency key, if it has one, before the call acts outside the ledger.
  ///
  /// If two such calls arrive at once, at the same server or at different ones, only one acts. If
  /// this server dies before the answer is stored, the call may be repeated a minute after
  /// `longest`.
  ///
  /// - Parameter longest: How long the call may act.
  /// - Throws: `idempotencyConflict` if another call has claimed the key.
  func claimKeyBeforeActing(for longest: Duration = .zero) throws(APIError) {
    guard claim != nil else { return }
    claim?.actsWithin = longest
    _ = try edit { (_: LedgerEditor) throws(LedgerError) in true }
    if isRepeated { throw .answerNotKnownYet }
  }

  private func make<Outcome: LosslessStringConvertible>(
    _ body: (LedgerEditor) throws(LedgerError) -> Outcome, by editor: LedgerEditor
  ) throws(LedgerError) {
    let claim = claim ?? Call.ownClaim(at: now, isShared: server.ledgerLocation.isShared)
    guard let claim else {
      let outcome = try editor.together { () throws(LedgerError) in try body(editor) }
      changeMade = ClaimedKey(requestSHA256: "", createdAt: now, outcome: outcome.description)
      return
    }
    var latest: String?
    var claimed = try editor.once(claim) { () throws(LedgerError) in
      let outcome = try body(editor).description
      latest = outcome
      return outcome
    }
    // Another server may have made the change first.
    isRepeated = claimed.createdAt != claim.createdAt || latest == nil
    if !isRepeated { claimed.outcome = latest }
    changeMade = claimed
  }

  /// A key for a call that has none. It tells whether a commit of unknown outcome succeeded. SQLite
  /// reports the outcome of every commit, so only PostgreSQL needs it.
  private static func ownClaim(at now: Timestamp, isShared: Bool) -> IdempotencyClaim? {
    guard isShared else { return nil }
    return IdempotencyClaim(
      owner: "call", key: Base64URL.encode(SecureRandom.bytes(16)), requestSHA256: "",
      createdAt: now)
  }

  /// Makes a further change after the call's change. It must be safe to repeat.
  func amend(
    _ body: (LedgerEditor) throws(LedgerError) -> Void
  ) throws(APIError) {
    let editor = try editor(as: Call.anyone)
    do throws(LedgerError) {
      try body(editor)
    } catch {
      throw APIError(error)
    }
  }

  /// Stores the call's answer. Returns its key with the answer that counts, which another server
  /// may have stored first; nil while the change waits to be written.
  func store(
    _ answer: ClaimedKey.Answer?, of claim: IdempotencyClaim
  ) throws(APIError) -> ClaimedKey? {
    let editor = try editor(as: Call.anyone)
    do throws(LedgerError) {
      return try editor.store(answer, of: claim, claiming: claimsWithAnswer)
    } catch {
      throw APIError(error)
    }
  }

  private func editor(as actor: String) throws(APIError) -> LedgerEditor {
    closeReader()
    do throws(LedgerError) {
      let author = LedgerEditor.Author(actor: credential?.actor ?? actor, now: now)
      let editor = try LedgerEditor(at: server.ledgerLocation, author: author)
      editor.expectAnswers(within: LedgerEditor.patienceWithCommit)
      return editor
    } catch {
      throw APIError(error)
    }
  }

  /// Counts and records usage that did not pass the proxy, once per idempotency key.
  ///
  /// - Parameter id: The ID of the new row.
  /// - Returns: The ID of the recorded row.
  func record(
    _ id: RequestID, _ usage: (RequestID) throws(APIError) -> ExternalUsage
  ) async throws(APIError) -> RequestID {
    if let known = changeMade?.outcome { return RequestID(known) ?? id }
    let claimed = ClaimedKey(
      requestSHA256: claim?.requestSHA256 ?? "", createdAt: now, outcome: id.description)
    if claim != nil {
      // An earlier release recorded the row without its key.
      let row = try read { reader throws(LedgerError) in try reader.usageRow(id) }
      isRepeated = row != nil
    }
    claimsWithAnswer = isRepeated
    if !isRepeated {
      var external = try usage(id)
      external.claim = claim
      closeReader()
      do throws(LedgerError) {
        try await server.record(external)
      } catch {
        throw APIError(error)
      }
    }
    changeMade = claimed
    return id
  }
}

extension APIRoute {
  /// How long the server tries to make the answer after the change is committed.
  private static let patience = Duration.seconds(20)
  private static let pause = Duration.milliseconds(200)

  /// Carries out a call.
  ///
  /// Once the change is committed, the call doesn't answer with a server error. If the ledger can't
  /// be read, the server retries for 20 seconds and then sends a preliminary answer.
  func carryOut(_ call: Call) async throws(APIError) -> Answer {
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: APIRoute.patience)
    while true {
      do throws(APIError) {
        return try await handler(call)
      } catch {
        guard call.hasChanged, error.status == APIError.ledgerUnavailable.status else {
          throw error
        }
        guard clock.now < deadline else { return .preliminary }
        call.closeReader()
        // If the task is cancelled, the pause ends at once; the deadline still ends the loop.
        try? await Task.sleep(for: APIRoute.pause)
      }
    }
  }
}

extension Answer {
  /// The answer to a change that is committed but can't be shown yet.
  fileprivate static var preliminary: Answer {
    Answer(status: preliminaryStatus) { body in
      body.object { body in
        body.member("success", true)
        body.member(
          "message", "The change is made. The ledger can't be read right now to show it.")
      }
    }
  }

  private static let preliminaryStatus = 202
  var isPreliminary: Bool { status == Answer.preliminaryStatus }
}
