internal import Budgets
internal import Configuration
internal import Metering
internal import Pricing

/// How often the model may do the work of one request over again: with several agents, in several
/// runs of which the best is answered, or to make its context shorter on the way.
///
/// Example: `metering.agents` is 4, and a request with `multi_agent` has 1,000 tokens of input and
/// `max_output_tokens: 500`. Catraca holds 4,000 tokens of input and 2,000 of output.
struct SeveralRuns {
  /// How often the whole request counts: input, output and calls.
  let runs: Int64
  /// How often its context is read besides.
  let compactions: Int64

  init(_ facts: RequestFacts, _ settings: MeteringSettings) {
    let agents = facts.asksForAgents ? settings.agents ?? 1 : 1
    runs = agents * (facts.asksForSeveralRuns ? SeveralRuns.runsOfPro : 1)
    compactions = facts.compactions
  }

  /// How many runs `reasoning.mode: pro` is held for. Nothing limits or tells their number; models
  /// that always work so have prices up to twelve times those of the same model with one run.
  private static let runsOfPro: Int64 = 12

  /// A bound of input, for all runs.
  func times(_ tokens: Int64) -> Int64 {
    tokens.multipliedClamped(by: runs * (1 + compactions))
  }

  /// Makes the bound of one run that of all.
  func raise(_ request: inout BoundRequest) {
    if runs == 1, compactions == 0 { return }
    request.textInputTokens = times(request.textInputTokens)
    request.imageInputTokens = times(request.imageInputTokens)
    request.audioInputTokens = times(request.audioInputTokens)
    request.choices = request.choices.multipliedClamped(by: runs)
    request.calls = request.calls.multipliedClamped(by: runs)
  }
}

extension RequestPipeline {
  /// Refuses agents that a hard budget would have to pay for, unless the operator says how many are
  /// held for: no member of a request limits their number.
  @inline(never)
  func checkAgents(of request: MeteredRequest, _ quote: Quote) throws(Refusal) {
    guard request.facts.asksForAgents, rules.settings.metering.agents == nil,
      gateway.controller.hasHardBudget(for: request.caller(for: quote), quote.demand)
    else { return }
    throw .unreadable(
      .unsupported(
        param: "multi_agent",
        reason: "Nothing limits how many agents work on a request, which a hard budget can't pay "
          + "for: leave 'multi_agent' out, or have the operator set metering.agents."))
  }
}
