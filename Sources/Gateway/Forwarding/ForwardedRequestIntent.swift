internal import Budgets
internal import Configuration
internal import Ledger
internal import Metering
internal import Money
internal import Pricing
internal import Time

extension ForwardedRequest {
  /// The intent, which the ledger keeps before anything is sent: enough to write the row if the
  /// process dies, with an estimate above zero and at most what is held.
  ///
  /// - Parameter isNamed: whether the provider has named work that outlives its answer, so that it
  ///   can be asked how that ends. Until then nobody would ever learn what the work used, and the
  ///   whole hold is expected.
  func intent(isNamed: Bool = false) -> Intent {
    let isUnseen = request.outlivesAnswer && !isNamed
    let usage = isUnseen ? measurement.wholeHold : expectedUsage()
    let charge = isUnseen ? chargeOfWholeHold : charge(for: usage, nil)
    let expected = gateway.controller.expectation(
      settling: grant.hold,
      with: Consumption(tokens: usage.totalTokens, cost: charge.exact))
    return Intent(
      requestID: pipeline.id, clientID: request.identity.client.id,
      keyName: request.identity.key.name, userID: request.user,
      conversationID: request.conversation, agentID: request.agent,
      provider: quote.provider.name, model: request.facts.model,
      operation: request.facts.operation, endpoint: request.endpoint.path,
      isStream: request.facts.stream, heldTokens: grant.bound.tokens,
      heldNanoUSD: grant.bound.cost.roundedUp(in: .usd, rate: .one)?.nanoUnits ?? .max,
      estimate: Intent.Estimate(
        usage: usage, costNanoUSD: charge.nanoUSD, providerCostNanoUSD: charge.providerNanoUSD,
        cost: charge.billed, priceVersion: charge.bill?.version, priceRecord: charge.bill?.record,
        charges: expected.charges.map(BudgetCharge.init), draws: expected.draws),
      metadata: request.metadata, createdAt: pipeline.startedAt,
      day: pipeline.day(in: request.identity.client.timeZone))
  }

  /// The charge of a usage at this request's prices.
  func charge(for usage: Usage, _ report: UsageReport?) -> UsageCharge {
    quote.terms.charge(
      for: usage, report, hold: grant.bound.cost, in: pipeline.rules
    ) { gap in
      gateway.note(gap, of: (request.identity.client.id, pipeline.startedAt)) {
        pipeline.writeMembers(of: request, quote, to: &$0)
      }
    }
  }

  /// The usual usage of a request like this, within its hold. If replicas share limits, the whole
  /// hold: a replica that is cut off may still forward the request when another one ends it, and
  /// the real usage comes later.
  private func expectedUsage() -> Usage {
    if request.facts.isMedia {
      return Estimate.usage(
        for: request.facts, outputTextBytes: 0,
        generatedTokens: request.facts.usualTranscriptTokens, by: quote.rates
      )
      .limited(to: grant.bound, quote.demand)
    }
    let demand = quote.demand
    if gateway.controller.leases != nil {
      return Usage(
        inputTokens: demand.inputTokens, outputTokens: grant.bound.tokens - demand.inputTokens)
        ?? .zero
    }
    let input = min(request.facts.estimatedInputTokens(by: quote.rates), demand.inputTokens)
    let output = min(
      max(1, demand.estimate.tokens - input), grant.bound.tokens - demand.inputTokens)
    return Usage(inputTokens: input, outputTokens: max(0, output)) ?? .zero
  }
}

extension RequestPipeline {
  /// The day on which the request came, in its client's time zone.
  func day(in zone: TimeZoneRules) -> CivilDate {
    zone.civilDate(of: startedAt)
  }
}
