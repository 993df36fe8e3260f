internal import Money
internal import Pricing
internal import Time

/// Charges clients for their use, in the transaction of the row that makes a charge due.
///
/// Each billed client has one open period, a month of its plan. Opening a period charges the fixed
/// fee. Every row is added to the use of its period, and each block that the use starts is charged
/// once: a charge is unique by client, period and block, across plans. A crash, a replayed row or a
/// change of plan therefore never charges anything twice.
///
/// If several servers share the database, only one counts at a time, from before its rows are
/// written until the commit. The IDs of rows are therefore in the order in which they were counted.
/// Each transaction reads the earlier use and charges again.
final class Biller {
  /// A period in which rows are counted.
  private struct OpenPeriod {
    var period: BillingPeriod
    var use: BillingPeriodStore.Use
    /// The last block that was charged.
    var chargedBlock: Int64

    var measured: Int64 { use.measured(by: period.billing.measure) }
  }

  private struct Name: Hashable {
    let clientID: String
    let period: String
  }

  private let connection: DatabaseConnection
  private let periods: BillingPeriodStore
  private let charges: BillingChargeStore
  private var standings: [String: StandingAgreement] = [:]
  /// Clients with any period, past or open.
  private var billedClients: Set<String> = []
  /// Whether the two properties above equal the recorded state.
  private var isLoaded = false
  /// The periods in which rows were counted. Cleared as a whole when there are many.
  private var open: [Name: OpenPeriod] = [:]
  /// The period of each client's last row.
  private var current: [String: Name] = [:]
  private var hasWritten = false
  private var hasTurn = false

  /// The most charges of one period; further use costs nothing more.
  static let largestBlock: Int64 = 10_000
  private static let largestOpenCount = 100_000

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    self.connection = connection
    periods = try BillingPeriodStore(connection)
    charges = try BillingChargeStore(connection)
  }

  private func load() throws(LedgerError) {
    guard !isLoaded else { return }
    standings = [:]
    for standing in try connection.all(StandingAgreement.self) {
      standings[standing.agreement.clientID] = standing
    }
    billedClients = try periods.clients()
    isLoaded = true
  }

  /// Returns whether charges were written since the last call.
  func takeWritten() -> Bool {
    defer { hasWritten = false }
    return hasWritten
  }

  /// Whether other servers count too.
  private var isShared: Bool { connection.dialect == .postgresql }

  // MARK: Rows

  /// Blocks other servers' counting until the commit. Call it before a row is written.
  func takeTurn() throws(LedgerError) {
    guard isShared, !hasTurn else { return }
    try load()
    guard !billedClients.isEmpty else { return }
    try connection.take(.billing)
    hasTurn = true
  }

  /// Counts a row that was just written.
  func count(_ row: UsageRow) throws(LedgerError) {
    try load()
    guard billedClients.contains(row.clientID) else { return }
    try passingOverUnreadable(row.clientID) { () throws(LedgerError) in try countBilled(row) }
  }

  private func countBilled(_ row: UsageRow) throws(LedgerError) {
    guard let name = try period(of: row), var counted = open[name] else { return }
    counted.use.tokens = counted.use.tokens.addingSaturated(row.usage.totalTokens)
    if counted.period.billing.measure == .cost {
      let cost = row.costNano(in: counted.period.billing.currency) ?? 0
      counted.use.cost = counted.use.cost.addingSaturated(cost)
    }
    open[name] = counted
    try charge(name, by: row.requestID, at: row.createdAt)
  }

  /// Subtracts a replaced row from its period's use. Charges that it caused stay.
  func discount(_ row: UsageRow) throws(LedgerError) {
    try takeTurn()
    try load()
    guard billedClients.contains(row.clientID), let name = try period(of: row),
      var counted = open[name]
    else { return }
    counted.use.tokens = counted.use.tokens.subtractingSaturated(row.usage.totalTokens)
    if counted.period.billing.measure == .cost {
      let cost = row.costNano(in: counted.period.billing.currency) ?? 0
      counted.use.cost = counted.use.cost.subtractingSaturated(cost)
    }
    open[name] = counted
  }

  /// Finds or opens the period of a row; nil if the row isn't billed.
  private func period(of row: UsageRow) throws(LedgerError) -> Name? {
    if let name = current[row.clientID], open[name]?.period.contains(row.day) == true {
      return name
    }
    let name: Name
    if let known = try periods.find(row.clientID, containing: row.day) {
      name = try take(known)
    } else if let standing = standings[row.clientID], row.day >= standing.since {
      name = try begin(standing, on: row.day, at: row.createdAt)
    } else {
      return nil
    }
    current[row.clientID] = name
    return name
  }

  // MARK: Periods

  /// Bills clients by these agreements from now on, and by no others. Opens the periods that have
  /// begun, including those that began while no server ran.
  func sync(_ given: [BillingAgreement], at now: Timestamp) throws(LedgerError) {
    try connection.take(.billing)
    if isShared { isLoaded = false }
    try load()
    // Rollups have the complete counts, and a period may now end earlier than planned.
    forgetOpen()
    let names = Set(given.map(\.clientID))
    for clientID in standings.keys where !names.contains(clientID) {
      try passingOverUnreadable(clientID) { () throws(LedgerError) in try end(clientID) }
    }
    for agreement in given where standings[agreement.clientID]?.agreement != agreement {
      try passingOverUnreadable(agreement.clientID) { () throws(LedgerError) in
        try sync(agreement, at: now)
      }
    }
  }

  /// Bills one client. If its periods can't be read, the failure is noted, and other clients are
  /// billed and served nevertheless.
  private func passingOverUnreadable(
    _ clientID: String, _ body: () throws(LedgerError) -> Void
  ) throws(LedgerError) {
    do throws(LedgerError) {
      try body()
    } catch {
      guard case .unreadable(let record) = error, let unreadable = connection.unreadable
      else { throw error }
      unreadable.note(
        UnreadableRow(clientID: clientID, record: record, effect: .isNotBilled))
    }
  }

  /// Ends an agreement. Use from now on costs nothing, and earlier charges stay.
  private func end(_ clientID: String) throws(LedgerError) {
    try connection.delete(StandingAgreement.self, clientID)
    standings[clientID] = nil
    guard var period = try periods.latest(of: clientID) else { return }
    let billing = period.billing
    period.billing = PlanBilling(
      fixedFee: billing.fixedFee, measure: billing.measure, included: billing.included,
      overage: nil)
    try periods.replace(period)
  }

  private func sync(_ agreement: BillingAgreement, at now: Timestamp) throws(LedgerError) {
    let clientID = agreement.clientID
    let former = standings[clientID]
    let keepsPeriods = former?.agreement.startDay == agreement.startDay
    let today = agreement.period(containing: agreement.today)
    let standing = StandingAgreement(
      agreement: agreement, since: keepsPeriods ? former?.since ?? today.firstDay : today.firstDay)
    try connection.replace(standing)
    standings[clientID] = standing
    billedClients.insert(clientID)
    let latest = try periods.latest(of: clientID)
    var day = max(standing.since, latest?.firstDay ?? standing.since)
    while day <= agreement.today {
      let period = agreement.period(containing: day)
      // Past periods stay as they were billed.
      let isPast = period.endDay <= agreement.today && period.name == latest?.name
      if !isPast, period != latest { _ = try begin(standing, on: day, at: now) }
      day = period.endDay
    }
  }

  /// Opens the period that contains a day, or applies the agreement to the open one.
  private func begin(
    _ standing: StandingAgreement, on day: CivilDate, at now: Timestamp
  ) throws(LedgerError) -> Name {
    let agreement = standing.agreement
    let period = agreement.period(containing: day)
    try periods.replace(period)
    open[Name(clientID: period.clientID, period: period.name)] = nil
    let name = try take(period)
    if period.billing.fixedFee.nanoUnits > 0, let use = open[name]?.use {
      // A subscription at the payment provider collects the fixed fee, so no payment is attempted
      // here.
      try write(
        BillingChargeStore.Draft(
          block: 0, money: period.billing.fixedFee, status: agreement.status, isDue: false,
          use: use, requestID: nil, createdAt: now), of: period)
    }
    try charge(name, by: nil, at: now)
    return name
  }

  /// Starts counting in a period, from its use so far.
  private func take(_ period: BillingPeriod) throws(LedgerError) -> Name {
    let name = Name(clientID: period.clientID, period: period.name)
    if open[name] != nil { return name }
    open[name] = OpenPeriod(
      period: period, use: try periods.use(in: period),
      chargedBlock: try charges.highestBlock(of: period) ?? 0)
    return name
  }

  // MARK: Charges

  /// Charges the blocks that have been started.
  private func charge(
    _ name: Name, by requestID: RequestID?, at now: Timestamp
  ) throws(LedgerError) {
    guard let counted = open[name], let overage = counted.period.billing.overage else { return }
    let begun = min(
      counted.period.billing.blocks(begunAt: counted.measured), Biller.largestBlock)
    guard begun > counted.chargedBlock else { return }
    let status = standings[name.clientID]?.agreement.status ?? .recorded
    for block in (counted.chargedBlock + 1)...begun {
      try write(
        BillingChargeStore.Draft(
          block: block, money: overage.charge, status: status, isDue: status == .pending,
          use: counted.use, requestID: requestID, createdAt: now), of: counted.period)
    }
    open[name]?.chargedBlock = begun
  }

  private func write(
    _ draft: BillingChargeStore.Draft, of period: BillingPeriod
  ) throws(LedgerError) {
    if try charges.insert(draft, of: period) { hasWritten = true }
  }

  // MARK: Transactions

  func didCommit() {
    hasTurn = false
    if isShared || open.count > Biller.largestOpenCount { forgetOpen() }
  }

  /// Forgets the open periods, because those of a failed transaction don't exist.
  func didRollBack() {
    hasTurn = false
    forgetOpen()
    isLoaded = false
  }

  private func forgetOpen() {
    open.removeAll()
    current.removeAll()
  }
}
