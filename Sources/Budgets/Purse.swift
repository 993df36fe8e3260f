internal import Money
internal import Time

/// The credits of one client, and what is held of each.
///
/// They are drawn in one order: the soonest to expire first, of those tokens before money, of those
/// the oldest first. A credit in money pays a request's tokens at the average price of that
/// request. What is held stays held when its credit expires meanwhile: it was there when the
/// request was let through.
struct Purse: Sendable {
  private struct Entry: Sendable {
    let id: Int64
    /// Nil where it counts tokens.
    let currency: Currency?
    let expiresAt: Timestamp?
    var remaining: Int64
    var held: Int64 = 0

    func hasExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }

    func free(at now: Timestamp) -> Int64 { hasExpired(at: now) ? 0 : remaining - held }

    func isDrawnBefore(_ other: Entry) -> Bool {
      let ends = (expiresAt?.milliseconds ?? .max, other.expiresAt?.milliseconds ?? .max)
      if ends.0 != ends.1 { return ends.0 < ends.1 }
      if (currency == nil) != (other.currency == nil) { return currency == nil }
      return id < other.id
    }
  }

  private var entries: [Entry] = []

  /// Takes new credits in; those that are known stay as they have been drawn.
  ///
  /// - Returns: Whether there was a new one.
  mutating func take(_ credits: [Credit], at now: Timestamp) -> Bool {
    let known = Set(entries.map(\.id))
    for credit in credits where !known.contains(credit.id) {
      let (currency, remaining): (Currency?, Int64) =
        switch credit.remaining {
        case .tokens(let tokens): (nil, tokens)
        case .money(let money): (money.currency, money.nanoUnits)
        }
      entries.append(
        Entry(
          id: credit.id, currency: currency, expiresAt: credit.expiresAt, remaining: remaining))
    }
    entries.removeAll { $0.held == 0 && ($0.remaining == 0 || $0.hasExpired(at: now)) }
    entries.sort { $0.isDrawnBefore($1) }
    return credits.contains { !known.contains($0.id) }
  }

  /// Tokens that credits in tokens could still pay.
  func freeTokens(at now: Timestamp) -> Int64 {
    entries.reduce(0) { $1.currency == nil ? $0.addingSaturating($1.free(at: now)) : $0 }
  }

  /// Whether credits in money could still pay for anything.
  func hasFreeMoney(at now: Timestamp) -> Bool {
    entries.contains { $0.currency != nil && $0.free(at: now) > 0 }
  }

  /// What each credit would pay of `tokens`, which are a part of `whole`; nil where all of them
  /// together can't.
  ///
  /// - Parameter afterHolds: whether what is held of them now will be free again.
  func draws(
    _ tokens: Int64, of whole: Consumption, rates: ExchangeRates, afterHolds: Bool = false,
    at now: Timestamp
  ) -> [CreditDraw]? {
    let (draws, missing) = draws(tokens, of: whole, rates: rates, rounding: .down) { entry in
      let free = entry.free(at: now)
      return afterHolds && !entry.hasExpired(at: now) ? entry.remaining : free
    }
    return missing == 0 ? draws : nil
  }

  /// Sets aside what `draws` has named.
  mutating func hold(_ draws: [CreditDraw]) {
    for draw in draws { change(draw) { $0.held += draw.amount } }
  }

  /// Ends a hold, and takes `tokens` of `whole` from the credits.
  ///
  /// - Returns: What each has paid. Less than `tokens` where a request used more than was held.
  mutating func settle(
    _ held: [CreditDraw], tokens: Int64, of whole: Consumption, rates: ExchangeRates,
    at now: Timestamp
  ) -> [CreditDraw] {
    let expected = self.expected(held, tokens: tokens, of: whole, rates: rates, at: now)
    for draw in held { change(draw) { $0.held -= draw.amount } }
    for draw in expected { change(draw) { $0.remaining -= draw.amount } }
    return expected
  }

  /// What settling so would draw. Nothing changes.
  func expected(
    _ held: [CreditDraw], tokens: Int64, of whole: Consumption, rates: ExchangeRates,
    at now: Timestamp
  ) -> [CreditDraw] {
    draws(tokens, of: whole, rates: rates, rounding: .up) { entry in
      let own = held.first { $0.credit == entry.id }?.amount ?? 0
      return entry.free(at: now) + own
    }.draws
  }

  private enum Rounding {
    case up, down
  }

  /// - Parameter rounding: of the tokens that the rest of a credit in money pays. A hold rounds
  ///   down and a settlement up, so that what was held is always enough.
  private func draws(
    _ tokens: Int64, of whole: Consumption, rates: ExchangeRates, rounding: Rounding,
    available: (Entry) -> Int64
  ) -> (draws: [CreditDraw], missing: Int64) {
    var draws: [CreditDraw] = []
    var missing = tokens
    for entry in entries where missing > 0 {
      let available = available(entry)
      guard available > 0 else { continue }
      guard let currency = entry.currency else {
        let paid = min(missing, available)
        draws.append(CreditDraw(credit: entry.id, tokens: paid, cost: nil))
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
          credit: entry.id, tokens: min(paid, missing),
          cost: Money(nanoUnits: min(cost, available), currency: currency)))
      missing -= min(paid, missing)
    }
    return (draws, missing)
  }

  private mutating func change(_ draw: CreditDraw, _ body: (inout Entry) -> Void) {
    guard draw.amount > 0 else { return }
    guard let index = entries.firstIndex(where: { $0.id == draw.credit }) else {
      preconditionFailure("credit \(draw.credit) was forgotten while it was held")
    }
    body(&entries[index])
  }

  /// Names everything that is wrong: nothing, unless there is a defect.
  func checkInvariants(held: [Int64: Int64]) -> [String] {
    entries.compactMap { entry in
      let sum = held[entry.id, default: 0]
      if entry.held != sum { return "credit \(entry.id) holds \(entry.held), its holds \(sum)" }
      return entry.remaining < 0 ? "credit \(entry.id) has paid more than it was" : nil
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
      cost: cost.map { Money(nanoUnits: amount - taken.amount, currency: $0.currency) })
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
