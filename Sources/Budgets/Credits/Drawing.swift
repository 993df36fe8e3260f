internal import Money
public import Time

// Uses up a hold in parts, for work whose use becomes known step by step.

extension BudgetState {
  /// Counts a part of a held request's use. The rest stays held until it is drawn or the hold ends.
  ///
  /// - Returns: The charges for this part, in the form of `settle`.
  /// - Throws: `BudgetError.unknownHold` if the hold has already ended.
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
      // The part's share of the hold ends like a hold of its own, and the rest stays.
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
  /// Returns this consumption minus `part`; zero in a unit in which `part` is larger.
  public func remainder(after part: Consumption) -> Consumption {
    Consumption(
      tokens: max(0, tokens - part.tokens),
      cost: part.cost < cost ? ExactAmount(units: cost.units - part.cost.units) : .zero)
  }
}
