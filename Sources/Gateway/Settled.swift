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

/// A request at its end: what it used and cost, and what it left of its budgets.
///
/// A class for the same reason as `MeteredRequest`.
final class Settled {
  /// What the ledger keeps.
  let entry: SettledRequest
  /// As budgets count it.
  let consumption: Consumption
  /// What is left of the tightest budget.
  var tightest: Remainder?

  /// What the request used and costs.
  struct Figures {
    let usage: Usage
    fileprivate let source: UsageSource
    fileprivate let charge: UsageCharge
    /// As a row keeps them; nil where there are none.
    fileprivate let toolCalls: String?

    init(_ ending: Ending, of passage: Passage) {
      if passage.mayWorkUnseen(after: ending) || ending.isUnread {
        usage = passage.wholeHold
        charge = passage.chargeOfWholeHold
        source = .estimated
        toolCalls = nil
        return
      }
      let report = ending.report.map { passage.withUnpaidSessions($0) }
      let (found, source) = Settled.usage(ending, report, of: passage)
      charge = passage.charge(for: found, report)
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

  /// - Parameter settlement: what budgets are charged for it.
  init(
    _ figures: Figures, _ settlement: Budgets.Settlement, _ ending: Ending, of passage: Passage
  ) {
    let (usage, source, charge) = (figures.usage, figures.source, figures.charge)
    let grant = passage.grant
    consumption = figures.consumption
    tightest = settlement.tightest
    let texts = source == .estimated ? nil : Settled.texts(ending, of: passage)
    let check = source == .estimated ? nil : Settled.check(usage, ending, texts, of: passage)
    Settled.learn(from: usage, texts, source, of: passage)
    let journey = passage.journey
    let now = MonotonicInstant.now()
    let heldUSD = grant.bound.cost.roundedUp(in: .usd, rate: .one)?.nanoUnits ?? .max
    let row = UsageRow(
      requestID: journey.id, clientID: passage.request.identity.client.id,
      keyName: passage.request.identity.key.name, userID: passage.request.user,
      conversationID: passage.request.conversation, agentID: passage.request.agent,
      provider: passage.offer.provider.name, model: passage.request.facts.model,
      responseModel: ending.report?.responseModel, operation: passage.request.facts.operation,
      endpoint: passage.request.endpoint.path, isStream: passage.request.facts.stream,
      status: ending.status, outcome: ending.outcome, usageSource: source, usage: usage,
      costNanoUSD: charge.nanoUSD, providerCostNanoUSD: charge.providerNanoUSD,
      cost: charge.billed, priceVersion: charge.bill?.version,
      heldTokens: grant.bound.tokens, heldNanoUSD: heldUSD,
      overrunTokens: max(0, usage.totalTokens - grant.bound.tokens),
      overrunNanoUSD: max(0, charge.nanoUSD - heldUSD),
      latencyMilliseconds: now.elapsed(since: journey.receivedAt).wholeMilliseconds,
      timeToFirstTokenMilliseconds: passage.firstByteAt.map {
        $0.elapsed(since: journey.receivedAt).wholeMilliseconds
      },
      overheadMicroseconds: passage.overhead.wholeMicroseconds,
      toolCalls: figures.toolCalls,
      metadata: passage.request.metadata, estimateCheck: check, createdAt: journey.startedAt,
      day: journey.day(in: passage.request.identity.client.timeZone))
    costUSD = figures.costUSD
    entry = SettledRequest(
      row: row, charges: settlement.charges.map(BudgetCharge.init), draws: settlement.draws,
      priceRecord: charge.bill?.record,
      upstreamMicroseconds: passage.upstreamTime?.wholeMicroseconds,
      objects: passage.objects(ending.madeObjects ?? ending.report?.madeObjects ?? []))
  }

  // MARK: Usage

  /// What is charged: nothing for an error that reports nothing; what was reported; else an
  /// estimate, at most what was held.
  private static func usage(
    _ ending: Ending, _ report: UsageReport?, of passage: Passage
  ) -> (Usage, UsageSource) {
    let calls = report?.extraCalls.reduce(0) { $0 + $1.count } ?? 0
    if let reported = report?.usage {
      if let usage = usage(ofSound: reported, report, of: passage) {
        return (usage, .estimated)
      }
      return (
        reported.with(calls: calls) ?? reported, passage.isDraining ? .drained : .reported
      )
    }
    if ending.outcome == .providerError && ending.status >= 400 { return (.zero, .reported) }
    let estimate = estimate(
      report, generated: generatedTokens(before: ending, of: passage), of: passage)
    return (estimate.with(calls: calls) ?? estimate, .estimated)
  }

  /// What a model of tokens has used for sound of which the answer says only how long it was.
  ///
  /// - Returns: nil where the answer has what the model is priced by.
  private static func usage(
    ofSound reported: Usage, _ report: UsageReport?, of passage: Passage
  ) -> Usage? {
    guard reported.audioMilliseconds > 0, reported.totalTokens == 0,
      let units = passage.offer.terms.model?.pricedUnits,
      units.contains(.token), !units.contains(.millisecond)
    else { return nil }
    var facts = passage.request.facts
    facts.estimatedAudioMilliseconds = reported.audioMilliseconds
    return estimate(report, facts, of: passage)
  }

  private static func estimate(
    _ report: UsageReport?, _ facts: RequestFacts? = nil, generated: Int64 = 0,
    of passage: Passage
  ) -> Usage {
    Estimate.usage(
      for: facts ?? passage.request.facts, outputTextBytes: report?.outputTextBytes ?? 0,
      outputAudioTokens: report?.outputAudioTokens ?? 0, generatedTokens: generated,
      by: passage.offer.rates
    )
    .limited(to: passage)
  }

  /// What the model may have made in the time that the provider had: of an answer that was cut,
  /// which says nothing of what was on its way, and of a whole one whose model reasons, since
  /// thoughts make no text. A transcript that was cut has as many tokens as its sound can hold.
  private static func generatedTokens(before ending: Ending, of passage: Passage) -> Int64 {
    if ending.isCut, passage.request.facts.isMedia {
      return passage.request.facts.usualTranscriptTokens
    }
    guard passage.request.growsWithTime, let time = passage.generationTime else { return 0 }
    let rate = passage.gateway.experience.generation(
      provider: passage.offer.provider.name, model: passage.offer.modelName)
    guard ending.isCut || rate.reasons && ending.outcome != .providerError else { return 0 }
    if ending.showsAllText && rate.writesOnlyText { return 0 }
    let (tokens, overflow) = rate.tokens(in: time).multipliedReportingOverflow(
      by: passage.offer.demand.choices)
    return overflow ? .max : tokens
  }

  /// What would have been estimated, beside what was reported: to learn from after a restart, and
  /// to tell how far estimates are off.
  private static func check(
    _ usage: Usage, _ ending: Ending, _ texts: MeasuredTexts?, of passage: Passage
  ) -> EstimateCheck? {
    guard usage.totalTokens > 0 else { return nil }
    return EstimateCheck(
      estimatedTokens: estimate(ending.report, of: passage).totalTokens,
      inputTextBytes: texts?.inputBytes ?? 0, outputTextBytes: texts?.outputBytes ?? 0)
  }

  private static func texts(_ ending: Ending, of passage: Passage) -> MeasuredTexts? {
    ending.report.flatMap { MeasuredTexts(of: passage.request.facts, $0) }
  }

  // MARK: What is learned

  private static func learn(
    from usage: Usage, _ texts: MeasuredTexts?, _ source: UsageSource, of passage: Passage
  ) {
    guard source != .estimated else { return }
    // Sound that is charged by its duration has no tokens.
    passage.gateway.overhead.learn(from: usage, of: passage)
    guard usage.totalTokens > 0 else { return }
    let demand = passage.offer.demand
    let provider = passage.offer.provider.name
    let model = passage.offer.modelName
    passage.gateway.experience.noteOutput(
      usage.outputTokens / demand.choices, in: passage.generationTime?.wholeMilliseconds,
      reasons: usage.reasoningTokens > 0, provider: provider, model: model)
    if let texts { passage.gateway.experience.note(texts, provider: provider, model: model) }
  }
}

extension Usage {
  /// The same, cut to what the passage holds: an estimate never costs more than was set aside.
  func limited(to passage: Passage) -> Usage {
    let demand = passage.offer.demand
    let input = min(inputTokens, demand.inputTokens)
    let output = max(0, min(outputTokens, passage.grant.bound.tokens - demand.inputTokens))
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
