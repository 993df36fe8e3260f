internal import Money
internal import Time

/// The credits of one client, with the amount held of each.
///
/// Requests draw on them in a fixed order: the earliest expiry first, then tokens before money,
/// then the oldest. A credit in money pays for a request's tokens at the request's average price. A
/// hold outlives the credit's expiry, because the credit was valid when the request was admitted.
struct CreditBalance: Sendable {
  private(set) var entries: [CreditBalanceEntry] = []

  /// Adds new credits. Known credits keep their drawn amounts.
  ///
  /// - Parameter leased: Credits that this replica has yet to give back.
  /// - Returns: Whether a credit was new.
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

  /// Returns the tokens that credits in tokens could still pay for.
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

  /// Returns each credit's part of `tokens`, which are a part of `whole`; nil if all credits
  /// together can't pay for them.
  ///
  /// - Parameter afterHolds: Whether to count held amounts as free.
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

  /// Holds the amounts of `draws`.
  mutating func hold(_ draws: [CreditDraw], at now: Timestamp) {
    for draw in draws { change(draw) { $0.hold(draw.amount, at: now) } }
  }

  /// Ends a hold, and draws `tokens` of `whole` from the credits.
  ///
  /// - Returns: Each credit's draw. The sum may be less than `tokens` if a request used more than
  ///   was held.
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

  /// Returns the draws of such a settlement, without a change.
  ///
  /// - Parameter beyondHold: Whether the credits' free amounts pay too.
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

  /// - Parameter rounding: Rounds the tokens that the rest of a credit in money pays for. A hold
  ///   rounds down and a settlement rounds up, so that the held amount is always sufficient.
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

  /// Returns nil if the credit isn't known.
  mutating func change<Result>(
    _ credit: Int64, _ body: (inout CreditBalanceEntry) -> Result
  ) -> Result? {
    guard let index = entries.firstIndex(where: { $0.key.id == credit }) else { return nil }
    return body(&entries[index])
  }

  func entry(of credit: Int64) -> CreditBalanceEntry? { entries.first { $0.key.id == credit } }

  /// Opens a lease for each credit without one.
  mutating func openLeases(_ open: () -> Lease) {
    for index in entries.indices where entries[index].lease == nil { entries[index].lease = open() }
  }

  /// Returns a message for every broken invariant; empty unless there is a defect.
  func checkInvariants(held: [Int64: Int64]) -> [String] {
    entries.compactMap { entry in
      let (id, sum) = (entry.key.id, held[entry.key.id, default: 0])
      if entry.held != sum { return "credit \(id) holds \(entry.held), its holds \(sum)" }
      return entry.remaining < 0 ? "credit \(id) has paid more than was granted" : nil
    }
  }
}

extension CreditDraw {
  /// The drawn amount in the credit's unit: tokens or nano-units.
  var amount: Int64 { cost?.nanoUnits ?? tokens }

  /// Returns the part of this draw that `others` haven't drawn; nil if nothing is left.
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
  /// Returns the cost of `part` of the tokens, rounded up.
  fileprivate func share(of part: Int64) -> Int64 {
    guard tokens > 0 else { return nanoUnits }
    let product = Int128(nanoUnits) * Int128(part)
    return Int64(clamping: (product + Int128(tokens) - 1) / Int128(tokens))
  }

  /// Returns the number of tokens that `money` nano-units pay for.
  fileprivate func tokens(for money: Int64, _ roundsUp: Bool) -> Int64 {
    guard nanoUnits > 0 else { return tokens }
    let product = Int128(money) * Int128(tokens)
    let rounding = roundsUp ? Int128(nanoUnits) - 1 : 0
    return Int64(clamping: (product + rounding) / Int128(nanoUnits))
  }
}
