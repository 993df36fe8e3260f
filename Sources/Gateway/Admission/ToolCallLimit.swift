internal import Budgets
internal import Metering

/// Limits how often a provider may call its own tools (web search, code interpreter and so on) for
/// one answer, where the request leaves that open.
///
/// After each call the model reads its whole context again. Without a limit, no hold covers what an
/// answer can cost. A hard budget therefore sets `max_tool_calls`, as it sets an output limit; the
/// response says so in `x-catraca-clamped-tool-calls`. A request that sets a limit is never
/// changed, and neither is one that no hard budget pays for.
///
/// Example: one context of a model costs 0.05 USD, one search 0.01 USD. With N calls, Catraca holds
/// (N + 1) × 0.05 + N × 0.01 USD. If 4 USD are left, an eighth is 0.50 USD: 4 calls fit in it.
enum ToolCallLimit {
  /// The limits that may be set, the largest first.
  static let candidates: [Int64] = [64, 32, 16, 8, 4, 3, 2, 1]
  /// The place of the limit that suffices for most answers.
  static let usual = 4
}

extension RequestPipeline {
  /// The offer with the limit of calls that the budgets can pay for; the same offer where none of
  /// them is hard.
  @inline(never)
  func limitingCalls(
    of request: MeteredRequest, _ quote: Quote
  ) throws(Refusal) -> Quote {
    var offers: [Quote] = []
    for calls in ToolCallLimit.candidates {
      offers.append(try Quote(for: request, in: self, callLimit: calls))
    }
    let index = gateway.controller.affordableIndex(
      of: offers.map(\.demand), usual: ToolCallLimit.usual, for: request.caller(for: quote))
    return index.map { offers[$0] } ?? quote
  }
}

extension AdmissionController {
  /// As `BudgetState.affordableIndex`.
  func affordableIndex(of demands: [Demand], usual: Int, for caller: Caller) -> Int? {
    change { state, now, _ in
      state.budgets.affordableIndex(of: demands, usual: usual, for: caller, at: now)
    }
  }

  /// Whether a hard budget pays for a caller's demand.
  func hasHardBudget(for caller: Caller, _ demand: Demand) -> Bool {
    affordableIndex(of: [demand], usual: 0, for: caller) != nil
  }
}
