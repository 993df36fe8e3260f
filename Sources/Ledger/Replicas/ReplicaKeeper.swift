internal import Budgets
internal import EventLoop

/// Sends this replica's heartbeats, receives other replicas' messages, and finds dead replicas.
///
/// It has its own thread and connection, so that neither a long commit nor a slow report makes the
/// replica look dead.
final class ReplicaKeeper: Sendable {
  private let location: LedgerLocation
  private let membership: Membership
  private let queue: CommandQueue
  private let orphans: OrphanedSpools
  private let isStopping = Lock(false)
  private let thread = Lock<Thread?>(nil)

  /// The channels of messages between replicas. The payload of `wanted` is a `LeaseSourceID`.
  enum Channel {
    static let changed = "catraca_changed"
    static let wanted = "catraca_wanted"
  }

  /// The number of heartbeats between searches for the deferred requests of replicas that stopped
  /// cleanly.
  private static let heartbeatsPerSearch = 10
  /// The longest time that a heartbeat waits for the database.
  private static let patienceMilliseconds: Int32 = 2_000
  /// The interval at which the thread checks for a stop, and for changes if the database can't
  /// notify.
  private static let pollInterval = Duration.milliseconds(250)

  init(
    _ location: LedgerLocation, _ membership: Membership, _ queue: CommandQueue,
    orphans: OrphanedSpools
  ) throws(LedgerError) {
    self.location = location
    self.membership = membership
    self.queue = queue
    self.orphans = orphans
    do {
      let thread = try Thread(name: "replica") { [self] in keep() }
      self.thread.withLock { $0 = thread }
    } catch {
      throw .unavailable(reason: "no thread to keep a replica on: \(error)")
    }
  }

  /// Stops the thread and waits for its end.
  func stop() {
    isStopping.withLock { $0 = true }
    thread.withLock { $0.take() }?.join()
    orphans.stop()
  }

  private func keep() {
    var watch: ReplicaWatch?
    while !isStopping.withLock({ $0 }) {
      do throws(LedgerError) {
        if watch == nil {
          watch = try ReplicaWatch(location, patience: ReplicaKeeper.patienceMilliseconds)
        }
        guard let watch else { continue }
        try beat(watch)
        try listen(watch)
      } catch {
        watch = nil
        Thread.pause(for: ReplicaKeeper.pollInterval)
      }
    }
  }

  private func beat(_ watch: ReplicaWatch) throws(LedgerError) {
    let sent = MonotonicInstant.now()
    let id = membership.id
    guard try watch.replicas.beat(id) else {
      watch.heardSince = nil
      queue.notice(.takenForDead(id))
      return
    }
    watch.heartbeats += 1
    if watch.heartbeats.isMultiple(of: ReplicaKeeper.heartbeatsPerSearch) {
      queue.notice(.orphans)
    }
    membership.heartbeat.note(sentAt: sent)
    orphans.inherit(try watch.replicas.leftSpools())
    let since = watch.heardSince ?? sent
    watch.heardSince = since
    // After a database failure, all replicas look dead until they have had time to send a
    // heartbeat.
    guard sent.elapsed(since: since) >= Heartbeat.silenceOfTheDead else { return }
    for dead in try watch.replicas.silent(for: Heartbeat.silenceOfTheDead) where dead != id {
      queue.notice(.dead(dead))
    }
  }

  /// Passes on other replicas' messages until the next heartbeat is due.
  private func listen(_ watch: ReplicaWatch) throws(LedgerError) {
    let end = MonotonicInstant.now().advanced(by: Heartbeat.interval)
    while !isStopping.withLock({ $0 }) {
      let left = end.elapsed(since: .now())
      guard left > .zero else { return }
      let heard = try watch.connection.notifications(within: min(left, ReplicaKeeper.pollInterval))
      if heard.contains(where: { $0.channel == Channel.changed }) {
        membership.tell { $0.changed() }
      }
      let ids = heard.filter { $0.channel == Channel.wanted }
        .compactMap { LeaseSourceID($0.payload) }
      for id in ids { queue.notice(.wanted(id)) }
      let wanted = try watch.sources(Set(ids).sorted())
      if !wanted.isEmpty { membership.tell { $0.wanted(wanted) } }
    }
  }
}

/// A keeper's connection, and the time since which it has worked without a break.
private final class ReplicaWatch {
  let connection: DatabaseConnection
  let replicas: ReplicaStore
  var heardSince: MonotonicInstant?
  var heartbeats = 0
  private let findAccount: Statement
  private let findCredit: Statement

  init(_ location: LedgerLocation, patience: Int32) throws(LedgerError) {
    connection = try DatabaseConnection(
      location, access: .readWrite, busyTimeoutMilliseconds: patience)
    connection.setAnswerTimeout(milliseconds: patience)
    try connection.listen(to: [ReplicaKeeper.Channel.changed, ReplicaKeeper.Channel.wanted])
    replicas = try ReplicaStore(connection)
    findAccount = try connection.prepare("SELECT * FROM budget_accounts WHERE id = ?")
    findCredit = try connection.prepare("SELECT * FROM token_credits WHERE id = ?")
  }

  /// Returns the sources that exist.
  func sources(_ ids: [LeaseSourceID]) throws(LedgerError) -> [LeaseSource] {
    var found: [LeaseSource] = []
    for id in ids {
      switch id {
      case .account(let account):
        findAccount.bind(account)
        if let key = try findAccount.firstRow(BudgetAccountKey.init(from:))?.accountKey {
          found.append(.account(key))
        }
      case .credit(let credit):
        findCredit.bind(credit)
        if let key = try findCredit.firstRow(StoredCredit.table.read)?.key {
          found.append(.credit(key))
        }
      }
    }
    return found
  }
}
