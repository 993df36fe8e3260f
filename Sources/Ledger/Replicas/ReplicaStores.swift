internal import Time

/// What a ledger has beside the rest that replicas share: who they are, what each has leased,
/// and which conversations each may begin.
struct ReplicaStores {
  let membership: Membership
  let replicas: ReplicaStore
  let leases: LeaseStore
  let creditLeases: LeaseStore
  let conversations: ConversationPermitStore
  /// Nil where the replica keeps none.
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

  /// Under which name this replica's transactions are made.
  var replica: ReplicaID { ReplicaID(text: leases.owner) }

  private func register() throws(LedgerError) {
    try replicas.register(
      membership.id, name: membership.name, spool: spool, at: .readSystemClock())
    try replicas.removeForgottenSpools()
  }

  /// Is none of them any more.
  func leave() throws(LedgerError) {
    try replicas.remove(replica)
    if let spool { try replicas.remove(spool.id) }
  }

  /// Comes first in every transaction: what this replica writes counts only as long as nobody has
  /// taken it for dead.
  func begin() throws(LedgerError) {
    try replicas.checkStanding(of: replica)
    try leases.begin()
    try creditLeases.begin()
    try reserve?.begin()
  }

  /// Where a source's leases are, and its id there.
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

  /// Ends all leases of a replica, and what it was permitted; not its offline reserve.
  func endLeases(of replica: ReplicaID) throws(LedgerError) {
    try leases.end(of: replica.text)
    try creditLeases.end(of: replica.text)
    try conversations.end(of: replica)
  }

  /// Becomes another replica, with nothing leased, after this one was taken for dead.
  func rejoin() throws(LedgerError) {
    let id = membership.renew()
    try register()
    leases.become(id.text)
    creditLeases.become(id.text)
    try conversations.become(id)
  }

  /// Whose intents, leases, permits or deferred requests are there, and who are not.
  func gone() throws(LedgerError) -> [ReplicaID] {
    var found: [ReplicaID] = []
    try orphans.forEachRow { () throws(LedgerError) in
      if let id = orphans.text(0) { found.append(ReplicaID(text: id)) }
    }
    return found
  }

  /// Asks other replicas, once this is committed, to give back what they don't use of it.
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
