public import Money
public import Time

/// Tokens or money beside a client's plan, drawn when the plan's tokens of the period are used up.
public struct Credit: Hashable, Sendable {
  public enum Amount: Hashable, Sendable {
    case tokens(Int64)
    case money(Money)

    public var tokens: Int64? { if case .tokens(let tokens) = self { tokens } else { nil } }

    public var money: Money? { if case .money(let money) = self { money } else { nil } }

    /// In tokens or nano-units.
    var count: Int64 {
      switch self {
      case .tokens(let tokens): tokens
      case .money(let money): money.nanoUnits
      }
    }
  }

  /// In the order in which they were given.
  public let id: Int64
  public let client: String
  /// What it was at first; the same unit as what is left.
  public let granted: Amount
  /// What is left of it.
  public let remaining: Amount
  /// From when on it pays for nothing new; nil for one that stays.
  public let expiresAt: Timestamp?

  /// A credit of which nothing was drawn.
  public init(id: Int64, client: String, granted: Amount, expiresAt: Timestamp?) {
    self.init(id: id, client: client, granted: granted, remaining: granted, expiresAt: expiresAt)
  }

  public init(
    id: Int64, client: String, granted: Amount, remaining: Amount, expiresAt: Timestamp?
  ) {
    self.id = id
    self.client = client
    self.granted = granted
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
  /// Whether it is taken off this replica's lease, as far as the ledger has leased so much. Kept
  /// nowhere, as `Charge.takenOffLease`.
  public let isLeased: Bool

  public init(credit: Int64, tokens: Int64, cost: Money?, isLeased: Bool = false) {
    self.credit = credit
    self.tokens = tokens
    self.cost = cost
    self.isLeased = isLeased
  }
}

extension [CreditDraw] {
  /// The tokens that they paid together.
  var tokens: Int64 { reduce(0) { $0.addingSaturating($1.tokens) } }
}

/// What is set aside of a client's credits for one request.
struct HeldCredit: Sendable {
  /// Tokens of its bound that the plan itself doesn't pay.
  let tokens: Int64
  let draws: [CreditDraw]
  let bound: Consumption
  let rates: ExchangeRates
}
