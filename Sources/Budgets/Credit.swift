public import Money
public import Time

/// Tokens or money beside a client's plan, drawn when the plan's tokens of the period are used up.
public struct Credit: Hashable, Sendable {
  public enum Amount: Hashable, Sendable {
    case tokens(Int64)
    case money(Money)

    public var tokens: Int64? { if case .tokens(let tokens) = self { tokens } else { nil } }

    public var money: Money? { if case .money(let money) = self { money } else { nil } }
  }

  /// In the order in which they were given.
  public let id: Int64
  public let client: String
  /// What is left of it.
  public let remaining: Amount
  /// From when on it pays for nothing new; nil for one that stays.
  public let expiresAt: Timestamp?

  public init(id: Int64, client: String, remaining: Amount, expiresAt: Timestamp?) {
    self.id = id
    self.client = client
    self.remaining = remaining
    self.expiresAt = expiresAt
  }
}

/// What one request took from one credit.
public struct CreditDraw: Hashable, Sendable {
  public let credit: Int64
  /// The tokens that it paid.
  public let tokens: Int64
  /// What they took from a credit in money.
  public let cost: Money?

  public init(credit: Int64, tokens: Int64, cost: Money?) {
    self.credit = credit
    self.tokens = tokens
    self.cost = cost
  }
}

/// What is set aside of a client's credits for one request.
struct HeldCredit: Sendable {
  /// Tokens of its bound that the plan itself doesn't pay.
  let tokens: Int64
  let draws: [CreditDraw]
  let bound: Consumption
  let rates: ExchangeRates
}
