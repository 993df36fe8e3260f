import Money
import Pricing
import Testing
import Time

@testable import Budgets
@testable import Ledger

/// One account of a ledger that replicas share, with a limit of tokens.
final class SharedAccount {
  let folder: TemporaryFolder
  private var looking: DatabaseConnection?

  let key = AccountKey(
    budget: BudgetID(client: "acme", name: "month"),
    subject: Subject(kind: .client, value: "acme"), period: "monthly",
    window: BudgetWindow(
      start: Timestamp(rfc3339: "2026-11-01T03:00:00Z")!,
      end: Timestamp(rfc3339: "2026-12-01T03:00:00Z")!), currency: Sample.brl)

  init(_ folder: TemporaryFolder = TemporaryFolder()) {
    self.folder = folder
  }

  /// A replica that has just been started.
  ///
  /// - Parameter lines: what an earlier life has left in its spool.
  func replica(_ spool: String, lines: [String] = []) throws -> OfflineReplica {
    try OfflineReplica(self, spool, lines)
  }

  /// For looking into the ledger, and for what only time would change.
  private func connection() throws -> DatabaseConnection {
    let connection = try looking ?? folder.connection()
    looking = connection
    return connection
  }

  func reader() throws -> LedgerReader { try LedgerReader(at: folder.location) }

  /// Settled and leased tokens of the account, and the sum of its leases and reserves.
  func figures() throws -> [Int64] {
    let select = try connection().prepare(
      """
      SELECT tokens, leased_tokens,
        (SELECT coalesce(sum(tokens), 0) FROM budget_leases)
          + (SELECT coalesce(sum(tokens), 0) FROM budget_reserves)
      FROM budget_accounts
      """)
    #expect(try select.step())
    return (0..<3).map { select.integer($0) ?? -1 }
  }

  func hasAccount() throws -> Bool {
    try connection().prepare("SELECT count(*) FROM budget_accounts").firstInteger() != 0
  }

  func reserved() throws -> Int64 {
    let select = try connection().prepare(
      "SELECT coalesce(sum(tokens), 0) FROM budget_reserves")
    return try select.firstInteger() ?? -1
  }

  func accountID() throws -> Int64? {
    try connection().prepare("SELECT id FROM budget_accounts").firstInteger()
  }

  /// As if nobody had heard of a replica for a minute.
  func silence(_ replica: ReplicaID) throws {
    let update = try connection().prepare(
      "UPDATE replicas SET heartbeat_ms = heartbeat_ms - 60000 WHERE id = ?")
    update.bind(replica.text, at: 1)
    try update.run()
  }
}

// MARK: - Requests

extension SharedAccount {
  func request(_ tokens: Int64, of limit: Int64) -> LeaseRequest {
    LeaseRequest(
      of: .account(key), limits: LimitsInForce(tokens: limit, nanoUnits: nil),
      least: Spend(tokens: tokens, nanoUnits: 0), wanted: Spend(tokens: tokens, nanoUnits: 0),
      lease: LeaseID(number: 1))
  }

  /// The intent of a request that may use `bound` tokens.
  func intent(_ number: Int, bound: Int64) -> Intent {
    let usage = Usage(inputTokens: bound, outputTokens: 0)!
    let cost = Sample.cost(usage)
    var intent = Sample.intent(number)
    intent.interrupted.row.heldTokens = bound
    intent.interrupted.row.usage = usage
    intent.interrupted.row.costNanoUSD = cost.nanoUSD
    intent.interrupted.row.providerCostNanoUSD = cost.nanoUSD
    intent.interrupted.row.cost = Money(nanoUnits: cost.nano, currency: Sample.brl)
    intent.interrupted.charges = [
      BudgetCharge(
        account: Sample.account(), tokens: bound, costNano: cost.nano,
        heldOfLease: Spend(tokens: bound, nanoUnits: 0))
    ]
    return intent
  }

  /// The row of a request that has used `used` tokens, which its lease pays.
  func settlement(_ number: Int, used: Int64) -> SettledRequest {
    let row = Sample.row(number, usage: Usage(inputTokens: used, outputTokens: 0)!)
    let charge = BudgetCharge(
      account: Sample.account(), tokens: used, costNano: row.cost.nanoUnits,
      takenOffLease: Spend(tokens: used, nanoUnits: 0))
    return SettledRequest(row: row, charges: [charge], priceRecord: Sample.prices)
  }
}

/// One life of a replica: its writer's view of the ledger, and what is in its spool.
final class OfflineReplica {
  let membership: Membership
  let database: LedgerDatabase
  let spool: String
  private(set) var lines: [String]
  private let account: SharedAccount

  init(_ account: SharedAccount, _ spool: String, _ lines: [String]) throws {
    self.account = account
    self.spool = spool
    self.lines = lines
    membership = Membership(name: spool)
    var options = account.folder.options()
    options.busyTimeoutMilliseconds = 10_000
    database = try LedgerDatabase(
      options, membership: membership,
      spool: SpoolAddress(id: SpoolID(text: spool), path: "/nowhere/\(spool)"))
  }

  /// How many tokens were drawn.
  func draw(_ tokens: Int64, of limit: Int64) throws -> Int64 {
    let request = account.request(tokens, of: limit)
    let answers = try database.lease([LeaseOrder(draws: [request]) { _ in }])
    return try #require(answers.first?.leases.first).added.tokens
  }

  func giveBack() throws {
    let back = LeaseReturn(of: .account(account.key), amount: .everything)
    _ = try database.lease([LeaseOrder(returns: [back]) { _ in }])
  }

  /// Another waits for what is left of the account.
  func heedWish() throws {
    try database.giveBackReserve(of: .account(try #require(try account.accountID())))
  }

  // MARK: While it is cut off

  func admitOffline(_ number: Int, bound: Int64) -> Bool {
    let request = account.intent(number, bound: bound).interrupted
    guard database.admitOffline(request) else { return false }
    toSpool(.openOffline(interrupted: request))
    return true
  }

  func settleOffline(_ number: Int, used: Int64) {
    toSpool(.settle(account.settlement(number, used: used)))
  }

  func discardOffline(_ number: Int) { toSpool(.discard(Sample.id(number))) }

  private func toSpool(_ entry: Entry) {
    database.didSpool(entry)
    lines.append(String(decoding: entry.line(of: membership.id), as: UTF8.self))
  }

  /// Writes what is in the spool, some lines in a transaction.
  func drain(atOnce count: Int = 256) throws {
    var rest = lines[...]
    while !rest.isEmpty {
      try database.replay(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    lines = []
  }

  /// Does as a start does; returns the number of requests that it has settled with all that they
  /// might use.
  func inherit() throws -> Int {
    let ended = try database.endLives(of: SpoolID(text: spool))
    try drain()
    return try database.endInherited() + ended.count(where: database.usageLogs.isInterrupted)
  }
}
