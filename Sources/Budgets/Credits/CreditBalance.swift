internal import Money
internal import Time

/// The credits of one client, and what is held of each.
///
/// They are drawn in one order: the soonest to expire first, of those tokens before money, of those
/// the oldest first. A credit in money pays a request's tokens at the average price of that
/// request. What is held stays held when its credit expires meanwhile: it was there when the
/// request was let through.
struct CreditBalance: Sendable {
  private(set) var entries: [CreditBalanceEntry] = []

  /// Takes new credits in; those that are known stay as they have been drawn.
  ///
  /// - Parameter leased: credits that this replica has yet to give back.
  /// - Returns: Whether there was a new one.
  mutating func take(
    _ credits: [Credit], keeping leased: Set<CreditKey> = [], at now: Timestamp
  ) -> Bool {
    let known = Set(entries.map(\.key.id))
    for credit in credits where !known.contains(credit.id) {
      entries.append(CreditBalanceEntry(credit))
    }
    entries.removeAll { $0.isUsedUp(at: now) && !leased.contains($0.key) }
    entries.sort { $0.isDrawnBefore($1) }
    return credits.contains { !known.contains($0.id) }
  }

  /// Tokens that credits in tokens could still pay.
  func freeTokens(within scope: LimitScope, at now: Timestamp) -> Int64 {
    entries.reduce(0) { sum, entry in
      guard entry.currency == nil else { return sum }
      return sum.addingSaturating(entry.free(within: scope, at: now))
    }
  }

  /// Whether credits in money could still pay for anything.
  func hasFreeMoney(within scope: LimitScope, at now: Timestamp) -> Bool {
    entries.contains { $0.currency != nil && $0.free(within: scope, at: now) > 0 }
  }

  /// What each credit would pay of `tokens`, which are a part of `whole`; nil where all of them
  /// together can't.
  ///
  /// - Parameter afterHolds: whether what is held of them now will be free again.
  func draws(
    _ tokens: Int64, of whole: Consumption, rates: ExchangeRates, within scope: LimitScope,
    afterHolds: Bool = false, at now: Timestamp
  ) -> [CreditDraw]? {
    let (draws, missing) = draws(tokens, of: whole, rates: rates, rounding: .down) { entry in
      afterHolds && !entry.hasExpired(at: now)
        ? entry.amount(within: scope) : entry.free(within: scope, at: now)
    }
    return missing == 0 ? draws : nil
  }

  /// Sets aside what `draws` has named.
  mutating func hold(_ draws: [CreditDraw], at now: Timestamp) {
    for draw in draws { change(draw) { $0.hold(draw.amount, at: now) } }
  }

  /// Ends a hold, and takes `tokens` of `whole` from the credits.
  ///
  /// - Returns: What each has paid. Less than `tokens` where a request used more than was held.
  mutating func settle(
    _ held: [CreditDraw], tokens: Int64, of whole: Consumption, rates: ExchangeRates,
    beyondHold: Bool, at now: Timestamp
  ) -> [CreditDraw] {
    let expected = self.expected(
      held, tokens: tokens, of: whole, rates: rates, beyondHold: beyondHold, at: now)
    for draw in held { change(draw) { $0.held -= draw.amount } }
    for draw in expected { change(draw) { $0.pay(draw.amount) } }
    return expected
  }

  /// What settling so would draw. Nothing changes.
  ///
  /// - Parameter beyondHold: whether what nobody holds pays too.
  func expected(
    _ held: [CreditDraw], tokens: Int64, of whole: Consumption, rates: ExchangeRates,
    beyondHold: Bool, at now: Timestamp
  ) -> [CreditDraw] {
    draws(tokens, of: whole, rates: rates, rounding: .up) { entry in
      let own = held.first { $0.credit == entry.key.id }?.amount ?? 0
      return own.addingSaturating(beyondHold ? entry.free(within: .leased, at: now) : 0)
    }.draws
  }

  private enum Rounding {
    case up, down
  }

  /// - Parameter rounding: of the tokens that the rest of a credit in money pays. A hold rounds
  ///   down and a settlement up, so that what was held is always enough.
  private func draws(
    _ tokens: Int64, of whole: Consumption, rates: ExchangeRates, rounding: Rounding,
    available: (CreditBalanceEntry) -> Int64
  ) -> (draws: [CreditDraw], missing: Int64) {
    var draws: [CreditDraw] = []
    var missing = tokens
    for entry in entries where missing > 0 {
      let available = available(entry)
      guard available > 0 else { continue }
      guard let currency = entry.currency else {
        let paid = min(missing, available)
        draws.append(
          CreditDraw(
            credit: entry.key.id, tokens: paid, cost: nil, isLeased: entry.lease != nil))
        missing -= paid
        continue
      }
      guard let rate = rates.rate(of: currency) else { continue }
      let price = whole.spend(in: currency, at: rate)
      let cost = price.share(of: missing)
      let paid = cost <= available ? missing : price.tokens(for: available, rounding == .up)
      guard paid > 0 else { continue }
      draws.append(
        CreditDraw(
          credit: entry.key.id, tokens: min(paid, missing),
          cost: Money(nanoUnits: min(cost, available), currency: currency),
          isLeased: entry.lease != nil))
      missing -= min(paid, missing)
    }
    return (draws, missing)
  }

  private mutating func change(_ draw: CreditDraw, _ body: (inout CreditBalanceEntry) -> Void) {
    guard draw.amount > 0 else { return }
    guard change(draw.credit, body) != nil else {
      preconditionFailure("credit \(draw.credit) was forgotten while it was held")
    }
  }

  /// Nil for a credit that isn't known.
  mutating func change<Result>(
    _ credit: Int64, _ body: (inout CreditBalanceEntry) -> Result
  ) -> Result? {
    guard let index = entries.firstIndex(where: { $0.key.id == credit }) else { return nil }
    return body(&entries[index])
  }

  func entry(of credit: Int64) -> CreditBalanceEntry? { entries.first { $0.key.id == credit } }

  /// Gives each credit a lease that has none.
  mutating func openLeases(_ open: () -> Lease) {
    for index in entries.indices where entries[index].lease == nil { entries[index].lease = open() }
  }

  /// Names everything that is wrong: nothing, unless there is a defect.
  func checkInvariants(held: [Int64: Int64]) -> [String] {
    entries.compactMap { entry in
      let (id, sum) = (entry.key.id, held[entry.key.id, default: 0])
      if entry.held != sum { return "credit \(id) holds \(entry.held), its holds \(sum)" }
      return entry.remaining < 0 ? "credit \(id) has paid more than it was" : nil
    }
  }
}

extension CreditDraw {
  /// In the unit of the credit: tokens, or nano-units.
  var amount: Int64 { cost?.nanoUnits ?? tokens }

  /// What is left of this when `others` have taken their part; nil for nothing.
  func rest(after others: [CreditDraw]) -> CreditDraw? {
    guard let taken = others.first(where: { $0.credit == credit }) else { return self }
    guard amount > taken.amount else { return nil }
    return CreditDraw(
      credit: credit, tokens: max(0, tokens - taken.tokens),
      cost: cost.map { Money(nanoUnits: amount - taken.amount, currency: $0.currency) },
      isLeased: isLeased)
  }
}

extension Spend {
  /// What so many of the tokens cost, rounded up.
  fileprivate func share(of part: Int64) -> Int64 {
    guard tokens > 0 else { return nanoUnits }
    let product = Int128(nanoUnits) * Int128(part)
    return Int64(clamping: (product + Int128(tokens) - 1) / Int128(tokens))
  }

  /// How many of the tokens so much money pays for.
  fileprivate func tokens(for money: Int64, _ roundsUp: Bool) -> Int64 {
    guard nanoUnits > 0 else { return tokens }
    let product = Int128(money) * Int128(tokens)
    let rounding = roundsUp ? Int128(nanoUnits) - 1 : 0
    return Int64(clamping: (product + rounding) / Int128(nanoUnits))
  }
}
