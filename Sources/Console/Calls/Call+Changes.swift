internal import JSON
internal import Ledger
internal import TLS
internal import Time

// What calls change. A call makes one change, together with the claim of its idempotency key. When
// it is carried out again, because its answer was lost or couldn't be made, the change is skipped
// and comes to what it came to before.

extension Call {
  private static let anyone = "anyone"

  /// Whether the call's change is safe. From then on the call doesn't fail over what the server
  /// can't do right now.
  var hasChanged: Bool { changeMade != nil }

  /// Changes what the ledger keeps, and returns what the change came to when it is in force.
  ///
  /// - Parameter actor: who it is that changes it, where there is no credential.
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

  /// Changes what the ledger keeps, where the server doesn't have to know.
  ///
  /// - Parameter actor: who it is that changes it, where there is no credential.
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

  /// Claims the call's idempotency key, if it brings one, before the call acts without changing
  /// the ledger. So of two such calls at once, whichever servers they reach, one acts. If this
  /// server dies before the answer is stored, the call may be repeated a minute after `longest`.
  ///
  /// - Parameter longest: how long the call may act.
  /// - Throws: `idempotencyConflict` where another call has claimed the key.
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
    // Another server may have made the change while this one was about to.
    isRepeated = claimed.createdAt != claim.createdAt || latest == nil
    if !isRepeated { claimed.outcome = latest }
    changeMade = claimed
  }

  /// A key for a call that brings none. It tells whether a commit succeeded whose outcome wasn't
  /// told. A file tells the outcome of every commit.
  private static func ownClaim(at now: Timestamp, isShared: Bool) -> IdempotencyClaim? {
    guard isShared else { return nil }
    return IdempotencyClaim(
      owner: "call", key: Base64URL.encode(SecureRandom.bytes(16)), requestSHA256: "",
      createdAt: now)
  }

  /// Changes more, once the call's change is in force; it must be safe to do so again.
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

  /// Stores what the call answers; returns its key with the answer that counts. Nil while the
  /// change waits to be written.
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

  /// Counts and records usage that did not pass the proxy, once for the call's key; returns the id
  /// of its row.
  ///
  /// - Parameter id: of the row that is to be made.
  func record(
    _ id: RequestID, _ usage: (RequestID) throws(APIError) -> ExternalUsage
  ) async throws(APIError) -> RequestID {
    if let known = changeMade?.outcome { return RequestID(known) ?? id }
    let claimed = ClaimedKey(
      requestSHA256: claim?.requestSHA256 ?? "", createdAt: now, outcome: id.description)
    if claim != nil {
      // An earlier release made the row without its key.
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
  /// For how long an answer is tried whose change is safe.
  private static let patience = Duration.seconds(20)
  private static let pause = Duration.milliseconds(200)

  /// Carries a call out. Once its change is safe, it never answers that the server can't serve: the
  /// answer is made as soon as the ledger can be read, and after 20 seconds a preliminary one.
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
        // Cancelled, it goes on at once: there is a deadline.
        try? await Task.sleep(for: APIRoute.pause)
      }
    }
  }
}

extension Answer {
  /// Done, where it can't be said right now what came of it.
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
