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
      usage = forwarded.wholeHold
      charge = forwarded.chargeOfWholeHold
      source = .estimated
      toolCalls = nil
    }

    private init(reading completion: Completion, of forwarded: ForwardedRequest) {
      let report = completion.report.map { forwarded.withUnpaidSessions($0) }
      let (found, source) = RequestSettlement.usage(completion, report, of: forwarded)
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
    let (usage, source, charge) = (figures.usage, figures.source, figures.charge)
    let grant = forwarded.grant
    let texts = source == .estimated ? nil : RequestSettlement.texts(completion, of: forwarded)
    let check =
      source == .estimated ? nil : RequestSettlement.check(usage, completion, texts, of: forwarded)
    RequestSettlement.learn(from: usage, texts, source, of: forwarded)
    let pipeline = forwarded.pipeline
    let now = MonotonicInstant.now()
    let heldUSD = grant.bound.cost.roundedUp(in: .usd, rate: .one)?.nanoUnits ?? .max
    row = UsageRow(
      requestID: pipeline.id, clientID: forwarded.request.identity.client.id,
      keyName: forwarded.request.identity.key.name, userID: forwarded.request.user,
      conversationID: forwarded.request.conversation, agentID: forwarded.request.agent,
      provider: forwarded.quote.provider.name, model: forwarded.request.facts.model,
      responseModel: completion.report?.responseModel, operation: forwarded.request.facts.operation,
      endpoint: forwarded.request.endpoint.path, isStream: forwarded.request.facts.stream,
      status: completion.status, outcome: completion.outcome, usageSource: source, usage: usage,
      costNanoUSD: charge.nanoUSD, providerCostNanoUSD: charge.providerNanoUSD,
      cost: charge.billed, priceVersion: charge.bill?.version,
      heldTokens: grant.bound.tokens, heldNanoUSD: heldUSD,
      overrunTokens: max(0, usage.totalTokens - grant.bound.tokens),
      overrunNanoUSD: max(0, charge.nanoUSD - heldUSD),
      latencyMilliseconds: now.elapsed(since: pipeline.receivedAt).wholeMilliseconds,
      timeToFirstTokenMilliseconds: forwarded.firstByteAt.map {
        $0.elapsed(since: pipeline.receivedAt).wholeMilliseconds
      },
      overheadMicroseconds: forwarded.overhead.wholeMicroseconds,
      toolCalls: figures.toolCalls,
      metadata: forwarded.request.metadata, estimateCheck: check, createdAt: pipeline.startedAt,
      day: pipeline.day(in: forwarded.request.identity.client.timeZone))
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

  // MARK: Usage

  /// The usage that is charged: none for an error without a report, else the reported usage, else
  /// an estimate within the hold.
  private static func usage(
    _ completion: Completion, _ report: UsageReport?, of forwarded: ForwardedRequest
  ) -> (Usage, UsageSource) {
    let calls = report?.extraCalls.reduce(0) { $0 + $1.count } ?? 0
    if let reported = report?.usage {
      if let usage = usage(ofSound: reported, report, of: forwarded) {
        return (usage, .estimated)
      }
      return (
        reported.with(calls: calls) ?? reported, forwarded.isDraining ? .drained : .reported
      )
    }
    if completion.outcome == .providerError && completion.status >= 400 {
      return (.zero, .reported)
    }
    let estimate = estimate(
      report, generated: generatedTokens(before: completion, of: forwarded), of: forwarded)
    return (estimate.with(calls: calls) ?? estimate, .estimated)
  }

  /// The usage of a model that is priced by tokens, if the answer tells only the duration of the
  /// sound.
  ///
  /// - Returns: nil if the answer has the quantities that the model is priced by.
  private static func usage(
    ofSound reported: Usage, _ report: UsageReport?, of forwarded: ForwardedRequest
  ) -> Usage? {
    guard reported.audioMilliseconds > 0, reported.totalTokens == 0,
      let units = forwarded.quote.terms.model?.pricedUnits,
      units.contains(.token), !units.contains(.millisecond)
    else { return nil }
    var facts = forwarded.request.facts
    facts.estimatedAudioMilliseconds = reported.audioMilliseconds
    return estimate(report, facts, of: forwarded)
  }

  private static func estimate(
    _ report: UsageReport?, _ facts: RequestFacts? = nil, generated: Int64 = 0,
    of forwarded: ForwardedRequest
  ) -> Usage {
    Estimate.usage(
      for: facts ?? forwarded.request.facts, outputTextBytes: report?.outputTextBytes ?? 0,
      outputAudioTokens: report?.outputAudioTokens ?? 0, generatedTokens: generated,
      by: forwarded.quote.rates
    )
    .limited(to: forwarded)
  }

  /// The tokens that the model may have made in the provider's time. They count for an answer that
  /// was cut, because its last part never came, and for a whole answer of a model that reasons,
  /// because thoughts make no text. A transcript that was cut has as many tokens as its sound can
  /// hold.
  private static func generatedTokens(before completion: Completion, of forwarded: ForwardedRequest)
    -> Int64
  {
    if completion.isCut, forwarded.request.facts.isMedia {
      return forwarded.request.facts.usualTranscriptTokens
    }
    guard forwarded.request.growsWithTime, let time = forwarded.generationTime else { return 0 }
    let rate = forwarded.gateway.statistics.generation(
      provider: forwarded.quote.provider.name, model: forwarded.quote.modelName)
    guard completion.isCut || rate.reasons && completion.outcome != .providerError else { return 0 }
    if completion.showsAllText && rate.writesOnlyText { return 0 }
    let (tokens, overflow) = rate.tokens(in: time).multipliedReportingOverflow(
      by: forwarded.quote.demand.choices)
    return overflow ? .max : tokens
  }

  /// The estimate beside the reported usage. A restart learns from it, and reports show the error
  /// of estimates.
  private static func check(
    _ usage: Usage, _ completion: Completion, _ texts: MeasuredTexts?,
    of forwarded: ForwardedRequest
  ) -> EstimateCheck? {
    guard usage.totalTokens > 0 else { return nil }
    return EstimateCheck(
      estimatedTokens: estimate(completion.report, of: forwarded).totalTokens,
      inputTextBytes: texts?.inputBytes ?? 0, outputTextBytes: texts?.outputBytes ?? 0,
      choices: forwarded.quote.demand.choices)
  }

  private static func texts(_ completion: Completion, of forwarded: ForwardedRequest)
    -> MeasuredTexts?
  {
    completion.report.flatMap { MeasuredTexts(of: forwarded.request.facts, $0) }
  }

  // MARK: Learning

  private static func learn(
    from usage: Usage, _ texts: MeasuredTexts?, _ source: UsageSource,
    of forwarded: ForwardedRequest
  ) {
    guard source != .estimated else { return }
    // Sound that is charged by its duration has no tokens.
    forwarded.gateway.overhead.learn(from: usage, of: forwarded)
    guard usage.totalTokens > 0 else { return }
    let demand = forwarded.quote.demand
    let provider = forwarded.quote.provider.name
    let model = forwarded.quote.modelName
    forwarded.gateway.statistics.noteOutput(
      usage.outputTokens / demand.choices, in: forwarded.generationTime?.wholeMilliseconds,
      reasons: usage.reasoningTokens > 0, provider: provider, model: model)
    if let texts { forwarded.gateway.statistics.note(texts, provider: provider, model: model) }
  }
}

extension Usage {
  /// The same, cut to what the passage holds: an estimate never costs more than was set aside.
  func limited(to forwarded: ForwardedRequest) -> Usage {
    let demand = forwarded.quote.demand
    let input = min(inputTokens, demand.inputTokens)
    let output = max(0, min(outputTokens, forwarded.grant.bound.tokens - demand.inputTokens))
    return Usage(
      inputTokens: input, audioInputTokens: min(audioInputTokens, input), outputTokens: output,
      audioOutputTokens: min(audioOutputTokens, output),
      imageOutputTokens: min(imageOutputTokens, output - min(audioOutputTokens, output)),
      audioMilliseconds: audioMilliseconds, characters: characters, images: images) ?? .zero
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
