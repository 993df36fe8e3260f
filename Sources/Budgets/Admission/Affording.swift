internal import Money
public import Time

// The size of a request that its budgets can pay for, if the request leaves its size open.

extension BudgetState {
  /// Finds the largest of several demands that every `hard` budget can pay for.
  ///
  /// The rule is that of the output clamp. A request takes an eighth of the remainder, or its usual
  /// size if that is larger and fits. If neither fits, the request takes the largest size that
  /// does.
  ///
  /// Example: the demands are for 8, 4, 2 and 1 calls at 1 USD a call; the usual demand is 4 calls.
  /// With 80 USD left, the first is chosen; with 10 USD the second; with 3 USD the third. With less
  /// than 1 USD, the last is chosen, and `hold` then refuses it or lets it wait.
  ///
  /// - Parameters:
  ///   - demands: Demands of the same request, the largest first; at least one.
  ///   - usual: The index of the usual demand.
  /// - Returns: The index of the demand to hold; nil if no `hard` budget applies.
  public mutating func affordableIndex(
    of demands: [Demand], usual: Int, for caller: Caller, at now: Timestamp
  ) -> Int? {
    defer { assertInvariants() }
    sweep(at: now)
    guard let last = demands.indices.last else { return nil }
    let portions = portions(for: caller, rates: demands[last].rates, at: now)
    guard portions.contains(where: { enforcement(on: $0) == .hard }) else { return nil }
    let fair = demands.firstIndex {
      canPay($0.repeated(Clamp.shareOfRemainder), on: portions, at: now)
    }
    if let fair, fair <= usual { return fair }
    let fitting = demands.indices.first {
      $0 >= usual && canPay(demands[$0], on: portions, at: now)
    }
    return fitting ?? last
  }

  private func canPay(_ demand: Demand, on portions: [Portion], at now: Timestamp) -> Bool {
    affordableOutput(for: demand, on: portions, within: .leasable, at: now) >= demand.leastOutput
  }
}

extension Demand {
  /// Returns the demand of `times` such requests.
  fileprivate func repeated(_ times: Int64) -> Demand {
    Demand(
      inputTokens: inputTokens.multipliedSaturating(by: times), fixedCost: fixedCost * times,
      outputTokenCost: outputTokenCost, choices: choices.multipliedSaturating(by: times),
      largestOutput: largestOutput, limitIsExplicit: limitIsExplicit, recentOutput: recentOutput,
      estimate: estimate, rates: rates)
  }
}
