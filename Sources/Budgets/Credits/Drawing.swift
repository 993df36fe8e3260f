internal import Money
public import Time

// Uses up a hold in parts, for work whose use becomes known step by step.

extension BudgetState {
  /// Counts a part of a held request's use. The rest stays held until it is drawn or the hold ends.
  ///
  /// A hold with parts is drawn on where the user and the conversation of `caller` are. If no part
  /// has these names, the largest part that is left pays. An app that deletes the input file of a
  /// batch therefore takes no use out of its users' budgets.
  ///
  /// - Parameter caller: The names of the part that was used; nil if nobody knows them any more.
  /// - Returns: The charges for this part, in the form of `settle`.
  /// - Throws: `BudgetError.unknownHold` if the hold has already ended.
  public mutating func draw(
    _ consumption: Consumption, from hold: HoldID, for caller: Caller?, at now: Timestamp,
    events: inout [Event]
  ) throws(BudgetError) -> Settlement {
    defer { assertInvariants() }
    guard holds.contains(hold.handle) else { throw .unknownHold }
    let index = hold.handle.index
    var charges: [Charge] = []
    var draws: [CreditDraw] = []
    for position in positions(in: holds[index].portions, drawnOnBy: caller) {
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
      holds[index].portions[position].part = part.part?.remainder(after: consumption)
      charges.append(
        end(part, with: consumption, paidByCredits: paid, at: now, events: &events))
    }
    holds[index].bound = holds[index].bound.remainder(after: consumption)
    serve(queued(holds[index].portions), at: now, events: &events)
    return Settlement(charges: charges, draws: draws, tightest: nil)
  }

  /// Returns the positions of all portions without a part, and of one portion of each budget with
  /// parts.
  private func positions(in portions: [Portion], drawnOnBy caller: Caller?) -> [Int] {
    var positions: [Int] = []
    var chosen: [Int: Int] = [:]
    for (position, portion) in portions.enumerated() {
      guard let part = portion.part else {
        positions.append(position)
        continue
      }
      let budget = accounts[portion.account].budget
      let kind = budgets[budget].definition.per
      let name = caller.map {
        budgets[budget].definition.id.valueOfSubject(
          called: $0.value(per: kind), of: $0.client)
      }
      guard let other = chosen[budget] else {
        chosen[budget] = position
        continue
      }
      if let name, portions[other].part?.names.contains(name) ?? false { continue }
      if name.map(part.names.contains) ?? false
        || part.demand.isLarger(than: portions[other].part?.demand)
      {
        chosen[budget] = position
      }
    }
    return (positions + chosen.values).sorted()
  }
}

extension DemandPart {
  fileprivate func isLarger(than other: DemandPart?) -> Bool {
    guard let other else { return true }
    return (bound.tokens, bound.cost) > (other.bound.tokens, other.bound.cost)
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
