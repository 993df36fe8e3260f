/// Which leases the ledger knows of, or may: what is to be given back to it one day.
struct LeaseBook: Sendable {
  /// Accounts for whose present lease something was asked, whatever came of it, or that hold more
  /// than they have leased.
  var drawn: Set<Int> = []
  /// Leases of accounts that have begun another one while holds lived, by the accounts' indices:
  /// they end with the last of the account's holds.
  var former: [Int: [AccountKey]] = [:]
  /// Leases that nothing is held of any more.
  var ended: [LeaseSource] = []
  /// Credits of whose present lease the same is true as of accounts in `drawn`.
  var drawnCredits: Set<CreditKey> = []
  /// How often all leases were void.
  var epoch: UInt64 = 0
  private var count: UInt64 = 0

  mutating func nextID() -> LeaseID {
    count += 1
    return LeaseID(number: count)
  }
}
