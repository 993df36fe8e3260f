public import Budgets
public import Time

/// The ledger as the one that lends its replicas what they may use of limits by themselves.
public protocol LeaseLender: Sendable {
  /// Draws leases from what is left of limits; returns when that is committed.
  ///
  /// - Returns: An answer for each request, in their order. Others are asked to give back where too
  ///   little was left for one.
  /// - Throws: `unavailable` where the ledger can't be asked now, `takenForDead` or `closed`.
  func draw(_ requests: [LeaseRequest]) async throws(LedgerError) -> [LeaseAnswer]

  /// Whether it can be asked, as far as is known: false also where nobody shares it.
  var isAtHand: Bool { get }

  /// Gives back what isn't used any more; returns when it is certain that it will be.
  func giveBack(_ returns: [LeaseReturn]) async throws(LedgerError)

  /// Whether a conversation may go on or begin; returns when that is committed.
  ///
  /// - Returns: Nil where nobody shares the ledger.
  /// - Throws: As `draw`.
  func permit(_ request: ConversationRequest) async throws(LedgerError) -> ConversationAnswer?

  /// Gives permits back that aren't used any more; returns when that is committed.
  func giveBack(_ returns: [ConversationReturn]) async throws(LedgerError)

  /// How accounts stand whose windows haven't ended at `now`, and credits that haven't: at most
  /// `limit` of those from `place` on.
  func standings(
    from place: StandingsPage.Place, limit: Int, at now: Timestamp
  ) async throws(LedgerError) -> StandingsPage
}
