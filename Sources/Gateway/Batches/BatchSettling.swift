internal import Budgets
internal import HTTP
internal import JSON
internal import Ledger
internal import Metering
internal import Money
internal import Pricing
internal import Upstream

/// Settles a batch that has ended: a row for each line of its results, some lines at a time, each
/// time with the progress that they make. If a failure breaks it off, another attempt goes on
/// behind the last line that was recorded.
final class BatchSettling {
  private let work: DeferredWork
  private let gateway: Gateway
  private let parser: JSONParser
  private let endpoint: Endpoint
  private let facts: RequestFacts
  private let terms: BillingTerms
  private let rules: RulesSnapshot
  private let requestCount: Int64?
  private var claim: DeferredWork.Claim
  private var rows: [SettledRequest] = []
  /// The users and conversations that lines of the input name, by the lines' ids.
  private var callers: [String: (user: String?, conversation: String?)] = [:]
  /// Whether the users and conversations of all lines are known.
  private var knowsCallers: Bool
  /// Lines that were read, over all files.
  private var lineCount: Int64 = 0
  /// Lines that an earlier attempt has settled.
  private let settledBefore: Int64

  /// Rows that are written together.
  private static let rowsAtOnce = 64

  init(
    of work: DeferredWork, _ claim: DeferredWork.Claim, _ batch: BatchObject, gateway: Gateway,
    parser: JSONParser
  ) {
    self.work = work
    self.claim = claim
    settledBefore = claim.progress.settledLines
    knowsCallers = !work.linesNameCallers
    self.gateway = gateway
    self.parser = parser
    endpoint = batch.endpoint ?? Endpoints.chatCompletions
    let rules = gateway.rules()
    self.rules = rules
    requestCount = batch.requestCount
    terms = work.record.terms(in: rules, ofLines: endpoint.operation)
    var facts = RequestFacts(operation: endpoint.operation, model: work.record.expected.row.model)
    facts.serviceTier = BatchLine.tier
    facts.imageToolModel = work.record.imageModel
    facts.keepsObjects = work.keepsAnswers
    self.facts = facts
  }

  /// Reads the file of the requests to its end. Lines that can't be read name nobody.
  func readCallers(_ file: consuming DecodedBody) async throws {
    var splitter = LineSplitter(longest: BatchSubmission.longestLine)
    var piece: [UInt8] = []
    while try await file.next(into: &piece) {
      for line in try splitter.receive(piece) { noteCaller(of: line) }
    }
    if let last = splitter.finish() { noteCaller(of: last) }
    knowsCallers = true
  }

  private func noteCaller(of line: [UInt8]) {
    guard Int64(callers.count) < BatchSubmission.mostLines,
      let line = try? BatchLine(line, endpoint: endpoint, parser: parser), let id = line.id,
      line.facts.user != nil || line.facts.conversation != nil
    else { return }
    callers[id] = (line.facts.user, line.facts.conversation)
  }

  /// Reads a file of results to its end.
  func read(_ file: consuming DecodedBody) async throws {
    var splitter = LineSplitter(longest: BatchSubmission.longestLine)
    var piece: [UInt8] = []
    while try await file.next(into: &piece) {
      for line in try splitter.receive(piece) { await add(line) }
    }
    if let last = splitter.finish() { await add(last) }
  }

  /// All files were read: the rest of the hold is given back.
  func finish() async {
    await gateway.record(
      DeferredSettlement(of: work.record.requestID, rows: rows, progress: nil), of: work)
    Hold(claim.grant, keeper: gateway.controller).release()
    work.settled()
    gateway.deferredWorks.remove(work.id)
  }

  /// Ends an attempt that broke off. The lines read so far are recorded, and the rest stays held.
  func giveUp() async {
    await write()
    work.giveUp(claim)
  }

  private func add(_ line: [UInt8]) async {
    lineCount += 1
    guard lineCount > settledBefore, let row = await settle(line) else { return }
    rows.append(row)
    if rows.count == BatchSettling.rowsAtOnce { await write() }
  }

  private func write() async {
    guard !rows.isEmpty else { return }
    claim.progress.settledLines = lineCount
    // These conversations have begun already, so the plan counts them whatever its limit.
    let client = work.record.expected.row.clientID
    gateway.controller.recall([], conversations: [client: rows.compactMap(\.row.conversationID)])
    await gateway.record(
      DeferredSettlement(of: work.record.requestID, rows: rows, progress: claim.progress), of: work)
    rows = []
  }

  /// Nil for a request that was never made. A line that can't be read, or whose answer says nothing
  /// of its usage, is one that used something: it is charged its share of the hold.
  private func settle(_ line: [UInt8]) async -> SettledRequest? {
    let result = BatchResult(line, to: facts, endpoint: endpoint, parser: parser)
    if let result, result.status == nil, !result.report.isAmbiguous { return nil }
    var entry = work.record.expected
    entry.objects = work.objects(result?.report.madeObjects ?? [], at: gateway.clock())
    entry.row.requestID = work.record.requestID.part(lineCount)
    entry.row.endpoint = endpoint.path
    if let caller = result?.lineID.flatMap({ callers[$0] }) {
      // As with any other request, the header fields go before the body.
      entry.row.userID = entry.row.userID ?? caller.user
      entry.row.conversationID = entry.row.conversationID ?? caller.conversation
    }
    entry.row.status = result?.status ?? 0
    entry.row.responseModel = result?.report.responseModel
    let isError = result.map { $0.status ?? 0 >= 400 || $0.report.isError } ?? false
    entry.row.outcome = isError ? .providerError : .ok
    var report = result?.report
    if let found = report { report = await gateway.withUnpaidSessions(found, of: entry.row) }
    let isAmbiguous = report?.isAmbiguous == true
    guard let usage = report?.chargedUsage ?? (isError && !isAmbiguous ? .zero : nil) else {
      return takeShare(for: entry)
    }
    let held = claim.progress
    let charge = terms.charge(
      for: usage, report, hold: claim.grant.bound.cost, in: rules
    ) { gap in
      gateway.note(gap, of: (entry.row.clientID, gateway.clock())) {
        entry.row.writeMembers(to: &$0)
      }
    }
    if isAmbiguous, charge.nanoUSD < shareOfHold.nanoUSD {
      return takeShare(for: entry)
    }
    // Of the batch's hold a line takes what it uses, as long as there is any.
    entry.row.heldTokens = min(held.heldTokens, usage.totalTokens)
    entry.row.heldNanoUSD = min(held.heldNanoUSD, charge.nanoUSD)
    entry.row.set(charge.bill?.usage ?? usage, charge)
    entry.row.toolCalls = report?.extraCalls.recorded
    entry.priceRecord = charge.bill?.record
    return draw(Consumption(tokens: entry.row.usage.totalTokens, cost: charge.exact), for: entry)
  }

  /// A line's share of the batch's hold.
  private var shareOfHold: (usage: Usage, nanoUSD: Int64) {
    var request = work.record
    request.progress = claim.progress
    return request.shareOfHold(amongLines: requestCount)
  }

  /// The row keeps the prices that the hold was measured with.
  private func takeShare(for entry: SettledRequest) -> SettledRequest {
    var entry = entry
    let share = shareOfHold
    entry.row.usage = share.usage
    entry.row.heldTokens = share.usage.totalTokens
    entry.row.costNanoUSD = share.nanoUSD
    entry.row.providerCostNanoUSD = terms.markup.removed(from: share.nanoUSD)
    entry.row.heldNanoUSD = share.nanoUSD
    let used = Consumption(estimateOf: entry.row, within: claim.grant.bound)
    entry.row.cost = used.cost.billed(at: rules.prices.rates)
    return draw(used, for: entry)
  }

  private func draw(_ used: Consumption, for entry: SettledRequest) -> SettledRequest {
    claim.progress.heldTokens -= entry.row.heldTokens
    claim.progress.heldNanoUSD -= entry.row.heldNanoUSD
    return gateway.draw(
      used, from: claim.grant, for: entry, of: knowsCallers ? Caller(of: entry.row) : nil)
  }
}

extension Caller {
  fileprivate init(of row: UsageRow) {
    self.init(
      client: row.clientID, key: row.keyName, user: row.userID ?? "",
      conversation: row.conversationID ?? "", model: row.model)
  }
}
