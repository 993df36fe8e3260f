/// The leases that the ledger has granted, or may have granted. Each must be given back.
struct LeaseBook: Sendable {
  /// Accounts with a request for their current lease, whatever its result, or with holds beyond
  /// their lease.
  var drawn: Set<Int> = []
  /// Former leases of accounts that opened another lease while holds lived, by account index. They
  /// end with the last of the account's holds.
  var former: [Int: [AccountKey]] = [:]
  /// Leases without any holds.
  var ended: [LeaseSource] = []
  /// Credits with a request for their current lease, or with holds beyond their lease.
  var drawnCredits: Set<CreditKey> = []
  /// The number of times that all leases were voided.
  var epoch: UInt64 = 0
  private var count: UInt64 = 0

  mutating func nextID() -> LeaseID {
    count += 1
    return LeaseID(number: count)
  }
}
