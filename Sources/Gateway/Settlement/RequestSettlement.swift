internal import Budgets
internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Metering
internal import Money
internal import Pricing
internal import Time

/// The settlement of a request: its usage, its cost, and the rest of its budgets.
///
/// A class for the same reason as `MeteredRequest`.
final class RequestSettlement {
  let row: UsageRow
  private let priceRecord: String?
  private let upstreamMicroseconds: Int64?
  /// The objects that the answer has shown.
  let objects: [ProviderObject]
  /// The rest of the tightest budget, once the hold has ended; nil if no budget applies.
  var tightest: Remainder?

  /// The usage and the cost of a request.
  struct Figures {
    let usage: Usage
    fileprivate private(set) var source: UsageSource
    fileprivate let charge: UsageCharge
    /// As a row keeps them; nil where there are none.
    fileprivate let toolCalls: String?

    init(_ completion: Completion, of forwarded: ForwardedRequest) {
      guard forwarded.mayWorkUnseen(after: completion) || completion.isUnread else {
        self.init(reading: completion, of: forwarded)
        return
      }
      self.init(holdOf: forwarded)
      guard let report = completion.report, report.isAmbiguous, report.usage != nil else { return }
      // The provider may mean a usage above the hold.
      var read = Figures(reading: completion, of: forwarded)
      read.source = .estimated
      if read.charge.exact > charge.exact { self = read }
    }

    private init(holdOf forwarded: ForwardedRequest) {
      usage = forwarded.measurement.wholeHold
      charge = forwarded.chargeOfWholeHold
      source = .estimated
      toolCalls = nil
    }

    private init(reading completion: Completion, of forwarded: ForwardedRequest) {
      let report = completion.report.map { forwarded.withUnpaidSessions($0) }
      let (found, source) = forwarded.measurement.usage(completion, report)
      charge = forwarded.charge(for: found, report)
      usage = charge.bill?.usage ?? found
      self.source = source
      toolCalls = usage.calls > 0 ? report?.extraCalls.recorded : nil
    }

    /// Nine decimals, as in `usage_logs.cost_usd`.
    var costUSD: String { Money(nanoUnits: charge.nanoUSD, currency: .usd).decimalText }

    /// As budgets count it.
    var consumption: Consumption {
      Consumption(tokens: usage.totalTokens, cost: charge.exact)
    }
  }

  /// Nine decimals, as in `usage_logs.cost_usd`.
  let costUSD: String

  init(_ figures: Figures, _ completion: Completion, of forwarded: ForwardedRequest) {
    let (usage, charge) = (figures.usage, figures.charge)
    let (request, quote, pipeline) = (forwarded.request, forwarded.quote, forwarded.pipeline)
    let (facts, identity, held) = (request.facts, request.identity, forwarded.grant.bound)
    let heldUSD = held.cost.roundedUp(in: .usd, rate: .one)?.nanoUnits ?? .max
    row = UsageRow(
      requestID: pipeline.id, clientID: identity.client.id, keyName: identity.key.name,
      userID: request.user, conversationID: request.conversation, agentID: request.agent,
      provider: quote.provider.name, model: facts.model,
      responseModel: completion.report?.responseModel, operation: facts.operation,
      endpoint: request.endpoint.path, isStream: facts.stream, status: completion.status,
      outcome: completion.outcome, usageSource: figures.source, usage: usage,
      costNanoUSD: charge.nanoUSD, providerCostNanoUSD: charge.providerNanoUSD,
      cost: charge.billed, priceVersion: charge.bill?.version, heldTokens: held.tokens,
      heldNanoUSD: heldUSD, overrunTokens: max(0, usage.totalTokens - held.tokens),
      overrunNanoUSD: max(0, charge.nanoUSD - heldUSD),
      latencyMilliseconds: forwarded.latency.wholeMilliseconds,
      timeToFirstTokenMilliseconds: forwarded.timeToFirstByte?.wholeMilliseconds,
      overheadMicroseconds: forwarded.overhead.wholeMicroseconds, toolCalls: figures.toolCalls,
      metadata: request.metadata, estimateCheck: forwarded.learn(from: figures, completion.report),
      createdAt: pipeline.startedAt, day: pipeline.day(in: identity.client.timeZone))
    costUSD = figures.costUSD
    priceRecord = charge.bill?.record
    upstreamMicroseconds = forwarded.upstreamTime?.wholeMicroseconds
    objects = forwarded.objects(completion.madeObjects ?? completion.report?.madeObjects ?? [])
  }

  /// The entry for the ledger.
  func entry(charged settlement: Budgets.Settlement) -> SettledRequest {
    SettledRequest(
      row: row, charges: settlement.charges.map(BudgetCharge.init), draws: settlement.draws,
      priceRecord: priceRecord, upstreamMicroseconds: upstreamMicroseconds, objects: objects)
  }
}

extension ForwardedRequest {
  /// The rules that find its usage, as the request stands now.
  var measurement: UsageMeasurement {
    UsageMeasurement(
      facts: request.facts, quote: quote, bound: grant.bound, statistics: gateway.statistics,
      generationTime: generationTime, wasDrained: isDraining)
  }

  /// Learns what the model's answers use, for later bounds and estimates.
  ///
  /// - Returns: The estimate of the usage, which the row keeps beside the reported one; nil if
  ///   nothing was reported.
  fileprivate func learn(
    from figures: RequestSettlement.Figures, _ report: UsageReport?
  ) -> EstimateCheck? {
    guard figures.source != .estimated else { return nil }
    let usage = figures.usage
    gateway.overhead.learn(from: usage, of: self)
    // Sound that is charged by its duration has no tokens.
    guard usage.totalTokens > 0 else { return nil }
    let texts = report.flatMap { MeasuredTexts(of: request.facts, $0) }
    let (provider, model) = (quote.provider.name, quote.modelName)
    gateway.statistics.noteOutput(
      usage.outputTokens / quote.demand.choices, in: generationTime?.wholeMilliseconds,
      reasons: usage.reasoningTokens > 0, provider: provider, model: model)
    if let texts { gateway.statistics.note(texts, provider: provider, model: model) }
    return measurement.check(report, texts)
  }
}

extension [ExtraCall] {
  /// As a row keeps them: how many of each kind, such as `{"web_search":2}`; nil where there are
  /// none.
  var recorded: String? {
    guard !isEmpty else { return nil }
    var writer = JSONWriter()
    writer.object { object in
      var written: Set<String> = []
      // Sessions of one tool in containers of several sizes are one kind.
      for call in self where written.insert(call.name).inserted {
        let count = filter { $0.name == call.name }.reduce(0) { $0 + $1.count }
        object.member(call.name, count)
      }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension Duration {
  var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }

  var wholeMicroseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
