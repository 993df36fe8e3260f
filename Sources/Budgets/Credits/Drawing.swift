internal import Money
public import Time

// How a hold is used up in parts, by work whose use becomes known piece by piece.

extension BudgetState {
  /// Counts a part of what a held request uses. The rest stays held until it is drawn or the hold
  /// ends.
  ///
  /// - Returns: What this part is charged, as `settle` would say.
  /// - Throws: `BudgetError.unknownHold` if the hold has been ended before.
  public mutating func draw(
    _ consumption: Consumption, from hold: HoldID, at now: Timestamp, events: inout [Event]
  ) throws(BudgetError) -> Settlement {
    defer { assertInvariants() }
    guard holds.contains(hold.handle) else { throw .unknownHold }
    let index = hold.handle.index
    var charges: [Charge] = []
    var draws: [CreditDraw] = []
    for position in holds[index].portions.indices {
      catchUp(holds[index].portions[position].account, with: now)
      var paid: Int64 = 0
      if budgets[accounts[holds[index].portions[position].account].budget].isPlan {
        draws = drawCredit(consumption, from: index, on: position, at: now)
        paid = draws.tokens
      }
      // What the part takes of the hold is ended as a hold of its own, and the rest stays.
      var part = holds[index].portions[position]
      let spend = consumption.spend(in: part.currency, at: part.rate)
      part.held = part.held.least(spend)
      holds[index].portions[position].held.subtract(part.held)
      charges.append(
        end(part, with: consumption, paidByCredits: paid, at: now, events: &events))
    }
    holds[index].bound = holds[index].bound.remainder(after: consumption)
    serve(queued(holds[index].portions), at: now, events: &events)
    return Settlement(charges: charges, draws: draws, tightest: nil)
  }
}

extension Consumption {
  /// What is left of this after `part`; nought where that is more.
  public func remainder(after part: Consumption) -> Consumption {
    Consumption(
      tokens: max(0, tokens - part.tokens),
      cost: part.cost < cost ? ExactAmount(units: cost.units - part.cost.units) : .zero)
  }
}
