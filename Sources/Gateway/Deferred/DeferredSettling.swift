internal import Budgets
internal import Configuration
internal import HTTP
internal import JSON
internal import Ledger
internal import Logging
internal import Metering
internal import Money
internal import Pricing
internal import Time

extension Gateway {
  /// Settles a response that was made in the background, once, whoever has seen its end first, and
  /// returns when its row is safe.
  func settle(_ work: DeferredWork, _ completion: Completion) async {
    guard let claim = await work.claim() else { return }
    let hold = Hold(claim.grant, keeper: controller)
    if claim.progress.isUsedUp {
      // The lines of a batch have taken all of it.
      hold.release()
      await record(nil, of: work)
    } else {
      let (entry, used) = await entry(of: work, claim, completion)
      let order = SettlementOrder(hold, with: used, in: controller)
      await record(entry.charged(by: order.charges), of: work)
      _ = order.finish(in: ledger)
    }
    work.settled()
    deferredWorks.remove(work.id)
  }

  private func record(_ entry: SettledRequest?, of work: DeferredWork) async {
    await record(
      DeferredSettlement(
        of: work.record.requestID, rows: entry.map { [$0] } ?? [], progress: nil), of: work)
  }

  /// The row, without what it charges, and what was used.
  ///
  /// A batch may report its usage, too. That stands for all of its lines, so it counts only while
  /// none of them has its row.
  private func entry(
    of work: DeferredWork, _ claim: DeferredWork.Claim, _ completion: Completion
  ) async -> (SettledRequest, used: Consumption) {
    var request = work.record
    request.progress = claim.progress
    var entry = request.expected
    entry.objects = work.objects(completion.report?.madeObjects ?? [], at: clock())
    entry.row.status = completion.status
    entry.row.outcome = completion.outcome
    entry.row.responseModel = completion.report?.responseModel
    entry.row.heldTokens = claim.progress.heldTokens
    entry.row.heldNanoUSD = claim.progress.heldNanoUSD
    entry.row.latencyMilliseconds =
      max(0, clock().milliseconds - entry.row.createdAt.milliseconds)
    var report = completion.report
    if let found = report { report = await withUnpaidSessions(found, of: entry.row) }
    if claim.progress.settledLines == 0, let usage = report?.chargedUsage {
      let charged = charge(usage, report, for: request, entry, within: claim.grant)
      guard completion.isUnread, charged.0.row.costNanoUSD < entry.row.heldNanoUSD else {
        statistics.noteOutput(
          usage.outputTokens, in: nil, reasons: usage.reasoningTokens > 0,
          provider: request.provider, model: request.pricedModel ?? entry.row.model)
        return charged
      }
    }
    switch UnreportedWork(request.kind, completion) {
    case .rest:
      entry.row.usage = request.restOfHold
      let rules = rules()
      entry.row.costNanoUSD = entry.row.heldNanoUSD
      entry.row.providerCostNanoUSD =
        request.terms(in: rules).markup.removed(from: entry.row.heldNanoUSD)
      let used = Consumption(estimateOf: entry.row, within: claim.grant.bound)
      entry.row.cost = used.cost.billed(at: rules.prices.rates)
      return (entry, used)
    case .recorded:
      return (entry, Consumption(estimateOf: entry.row, within: claim.grant.bound))
    case .written:
      let usage = request.estimate(
        withOutputAtLeast: writtenTokens(by: entry.row, completion, request))
      var charged = charge(usage, completion.report, for: request, entry, within: claim.grant)
      charged.0.row.usageSource = .estimated
      return charged
    }
  }

  private func charge(
    _ usage: Usage, _ report: UsageReport?, for request: DeferredRequest, _ entry: SettledRequest,
    within grant: Grant
  ) -> (SettledRequest, used: Consumption) {
    let rules = rules()
    let charge = request.terms(in: rules).charge(
      for: usage, report, hold: grant.bound.cost, in: rules
    ) { gap in
      let row = request.expected.row
      note(gap, of: (row.clientID, clock())) { row.writeMembers(to: &$0) }
    }
    var entry = entry
    entry.row.set(charge.bill?.usage ?? usage, charge)
    entry.row.toolCalls = report?.extraCalls.recorded
    entry.priceRecord = charge.bill?.record
    return (entry, Consumption(tokens: entry.row.usage.totalTokens, cost: charge.exact))
  }

  /// The tokens that the model may have written of a response until now: as many as the time
  /// allows, and at least those of the text seen.
  private func writtenTokens(
    by row: UsageRow, _ completion: Completion, _ request: DeferredRequest
  ) -> Int64 {
    let model = request.pricedModel ?? row.model
    let seen = Estimate.usage(
      for: request.facts, outputTextBytes: completion.report?.outputTextBytes ?? 0,
      by: statistics.expectation(provider: request.provider, model: model).rates)
    let rate = statistics.generation(provider: request.provider, model: model)
    let time = Duration.milliseconds(row.latencyMilliseconds ?? 0)
    return max(seen.outputTokens, rate.tokens(in: time))
  }

  /// Writes rows of deferred work, and says so in the log.
  func record(_ settlement: DeferredSettlement, of work: DeferredWork) async {
    for entry in settlement.rows { useRateLimit(entry.row) }
    do throws(LedgerError) {
      try await ledger.settle(settlement)
      for entry in settlement.rows { owners.note(entry.objects) }
    } catch {
      // The next start finds the work still deferred, and settles it.
      logger.log(.error, "usage_not_recorded") { line in
        line.member("request_id", "\(settlement.requestID)")
        line.member("reason", error.description)
      }
    }
    for entry in settlement.rows { logRequest(entry.row, traceID: work.traceID) }
  }

  private func useRateLimit(_ row: UsageRow) {
    let key = rules().clients.client(row.clientID)?.keys.first { $0.name == row.keyName }
    guard let key else { return }
    rateLimits.use(row.usage.totalTokens, by: key, of: row.clientID, at: clock())
  }
}

extension DeferredRequest {
  /// The request's prices, as far as the price book has them still, with the markup by which it was
  /// held.
  ///
  /// - Parameter operation: what the lines of a batch ask for; nil where it isn't known.
  func terms(in rules: RulesSnapshot, ofLines operation: Operation? = nil) -> BillingTerms {
    let client = expected.row.clientID
    let recorded = expected.priceRecord.map { Bill.markup(ofRecord: $0) }
    let markup = recorded ?? rules.clients.client(client).map { rules.clients.markup(of: $0) }
    return BillingTerms(
      clientID: client, markup: markup ?? .none, provider: provider,
      model: pricedModel.flatMap { rules.model($0, of: provider, for: client) },
      modelWithoutPrice: isModelWithoutPrice(in: rules, operation) ? expected.row.model : nil,
      instant: expected.row.createdAt, askedTier: serviceTier,
      completionWindow: completionWindow, askedImage: nil)
  }

  /// Whether the request passed though the price book doesn't have its model. Moderation needs no
  /// price, and of a batch without prices it may not be known whether its lines ask for that.
  private func isModelWithoutPrice(in rules: RulesSnapshot, _ operation: Operation?) -> Bool {
    let needsPrice = operation.map { $0 != .moderation } ?? (kind == .response)
    return (needsPrice || pricedModel != nil)
      && rules.prices.model(expected.row.model, of: provider) == nil
  }

  /// Where the provider shows how its work stands.
  var path: String {
    switch kind {
    case .response: "/v1/responses/\(objectID)"
    case .batch: "/v1/batches/\(objectID)"
    }
  }

  /// The facts of the request with which metering reads the state of its work.
  var facts: RequestFacts {
    var facts = RequestFacts(operation: expected.row.operation, model: expected.row.model)
    facts.isBackground = true
    facts.imageToolModel = imageModel
    return facts
  }
}

extension UsageReport {
  /// The reported usage, with the tool calls beside it; nil if none was reported.
  var chargedUsage: Usage? {
    usage.map { $0.with(calls: extraCalls.reduce(0) { $0 + $1.count }) ?? $0 }
  }
}

extension Consumption {
  /// The usage that an intent expects, from the cost of its row.
  init(estimateOf row: UsageRow, within bound: Consumption) {
    self.init(
      tokens: row.usage.totalTokens,
      cost: min(bound.cost, ExactAmount(nanoUSD: row.costNanoUSD)))
  }
}

extension DeferredRequest.Progress {
  /// Whether nothing is held any more.
  fileprivate var isUsedUp: Bool { settledLines > 0 && heldTokens <= 0 && heldNanoUSD <= 0 }
}

extension UsageRow {
  /// Replaces the estimate by the reported usage.
  mutating func set(_ reported: Usage, _ charge: UsageCharge) {
    usageSource = .reported
    usage = reported
    costNanoUSD = charge.nanoUSD
    providerCostNanoUSD = charge.providerNanoUSD
    cost = charge.billed
    priceVersion = charge.bill?.version
    overrunTokens = max(0, reported.totalTokens - heldTokens)
    overrunNanoUSD = max(0, charge.nanoUSD - heldNanoUSD)
  }
}
