internal import Time

/// The stores that only a shared ledger has: the replicas, their leases, and their conversation
/// permits.
struct ReplicaStores {
  let membership: Membership
  let replicas: ReplicaStore
  let leases: LeaseStore
  let creditLeases: LeaseStore
  let conversations: ConversationPermitStore
  /// The offline reserve; nil if the replica keeps none.
  let reserve: OfflineReserve?
  private let spool: SpoolAddress?
  private let orphans: Statement
  private let connection: DatabaseConnection

  /// Registers this replica.
  init(
    _ connection: DatabaseConnection, _ membership: Membership, _ spool: SpoolAddress?
  ) throws(LedgerError) {
    self.membership = membership
    self.spool = spool
    replicas = try ReplicaStore(connection)
    leases = try LeaseStore(connection, .accounts, of: membership.id.text, replicas)
    creditLeases = try LeaseStore(connection, .credits, of: membership.id.text, replicas)
    if let spool {
      reserve = try OfflineReserve(connection, of: spool.id, replicas)
    } else {
      reserve = nil
    }
    conversations = try ConversationPermitStore(connection, of: membership.id)
    orphans = try connection.prepare(ReplicaStores.selectGone)
    self.connection = connection
    try register()
  }

  /// The ID under which this replica's transactions are made.
  var replica: ReplicaID { ReplicaID(text: leases.owner) }

  private func register() throws(LedgerError) {
    try replicas.register(
      membership.id, name: membership.name, spool: spool, at: .readSystemClock())
    try replicas.removeForgottenSpools()
  }

  /// Removes this replica from the ledger.
  func leave() throws(LedgerError) {
    try replicas.remove(replica)
    if let spool { try replicas.remove(spool.id) }
  }

  /// Call it first in every transaction: this replica's writes count only while no other replica
  /// has declared it dead.
  func begin() throws(LedgerError) {
    try replicas.checkStanding(of: replica)
    try leases.begin()
    try creditLeases.begin()
    try reserve?.begin()
  }

  /// Returns the lease store of a source, and the source's ID in it.
  func leases(of source: LeaseSourceID) -> (LeaseStore, Int64) {
    switch source {
    case .account(let id): (leases, id)
    case .credit(let id): (creditLeases, id)
    }
  }

  func didCommit() {
    leases.didCommit()
    creditLeases.didCommit()
    reserve?.didCommit()
  }

  func didRollBack(isUncertain: Bool) {
    leases.didRollBack(isUncertain: isUncertain)
    creditLeases.didRollBack(isUncertain: isUncertain)
    reserve?.didRollBack(isUncertain: isUncertain)
  }

  /// Ends all leases and permits of a replica, but not its offline reserve.
  func endLeases(of replica: ReplicaID) throws(LedgerError) {
    try leases.end(of: replica.text)
    try creditLeases.end(of: replica.text)
    try conversations.end(of: replica)
  }

  /// Registers under a new ID, without leases, after this replica was declared dead.
  func rejoin() throws(LedgerError) {
    let id = membership.renew()
    try register()
    leases.become(id.text)
    creditLeases.become(id.text)
    try conversations.become(id)
  }

  /// Returns the replicas that are gone but still have intents, leases, permits or deferred
  /// requests.
  func gone() throws(LedgerError) -> [ReplicaID] {
    var found: [ReplicaID] = []
    try orphans.forEachRow { () throws(LedgerError) in
      if let id = orphans.text(0) { found.append(ReplicaID(text: id)) }
    }
    return found
  }

  /// Asks other replicas, after the commit, to give back the unused part of their leases of a
  /// source.
  func want(_ source: LeaseSourceID) throws(LedgerError) {
    try connection.notify(ReplicaKeeper.Channel.wanted, payload: source.description)
  }

  private static let selectGone = """
    SELECT replica_id FROM (
      SELECT replica_id FROM in_flight WHERE replica_id IS NOT NULL
      UNION SELECT replica_id FROM budget_leases
      UNION SELECT replica_id FROM credit_leases
      UNION SELECT replica_id FROM conversation_permits WHERE replica_id <> ''
      UNION SELECT replica_id FROM deferred_requests WHERE replica_id IS NOT NULL
    ) AS named
    WHERE NOT EXISTS (SELECT 1 FROM replicas WHERE replicas.id = named.replica_id)
    ORDER BY replica_id
    """
}
