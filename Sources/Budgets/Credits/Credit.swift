public import Money
public import Time

/// Tokens or money beside a client's plan. Requests draw on it when the plan's tokens of the period
/// are used up.
public struct Credit: Hashable, Sendable {
  public enum Amount: Hashable, Sendable {
    case tokens(Int64)
    case money(Money)

    /// The allowed counts of tokens.
    public static let tokenCounts = 1...BudgetLimit.largestTokens

    /// Makes the amount of a new credit from the fields that state it.
    ///
    /// - Parameter cost: In nano-units.
    /// - Throws: `FieldMistake` unless the fields are either tokens, or a cost with its currency.
    public init(
      tokens: Int64?, cost: Int64?, currency: Currency?, _ rates: ExchangeRates
    ) throws(FieldMistake) {
      guard let cost else {
        guard currency == nil else {
          throw FieldMistake(
            "currency", "currency is not used without cost",
            allowed: "no value, since a credit in tokens has no currency")
        }
        guard let tokens else {
          throw FieldMistake(
            "tokens", "a credit needs one amount", allowed: "tokens, or cost with currency",
            kind: .missing)
        }
        self = .tokens(tokens)
        return
      }
      guard tokens == nil else {
        throw FieldMistake(
          "tokens", "tokens is not used together with cost",
          allowed: "no value together with cost, since a credit has one amount")
      }
      guard let currency else {
        throw FieldMistake(
          "currency", "cost needs currency, which is missing", allowed: "give currency",
          kind: .missing)
      }
      try rates.requireRate(of: currency)
      guard cost > 0 else {
        throw FieldMistake("cost", allowed: "an amount above zero, such as \"50.00\"")
      }
      self = .money(Money(nanoUnits: cost, currency: currency))
    }

    public var tokens: Int64? { if case .tokens(let tokens) = self { tokens } else { nil } }

    public var money: Money? { if case .money(let money) = self { money } else { nil } }

    /// The number of tokens or nano-units.
    var count: Int64 {
      switch self {
      case .tokens(let tokens): tokens
      case .money(let money): money.nanoUnits
      }
    }
  }

  /// The credit's number; a credit given later has a higher one.
  public let id: Int64
  public let client: String
  /// The original amount, in the same unit as `remaining`.
  public let granted: Amount
  /// The amount that hasn't been drawn yet.
  public let remaining: Amount
  /// The time from which the credit pays for no new request; nil if it never expires.
  public let expiresAt: Timestamp?

  /// Creates a credit that hasn't been drawn on.
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

/// The amount that one request drew from one credit.
public struct CreditDraw: Hashable, Sendable {
  public let credit: Int64
  /// The tokens that the credit paid for.
  public let tokens: Int64
  /// The money that these tokens drew; nil for a credit in tokens.
  public let cost: Money?
  /// Whether the draw is taken off this replica's lease, as far as the ledger has leased that much.
  /// Not stored, like `Charge.takenOffLease`.
  public let isLeased: Bool

  public init(credit: Int64, tokens: Int64, cost: Money?, isLeased: Bool = false) {
    self.credit = credit
    self.tokens = tokens
    self.cost = cost
    self.isLeased = isLeased
  }
}

extension [CreditDraw] {
  /// The sum of the tokens.
  var tokens: Int64 { reduce(0) { $0.addingSaturating($1.tokens) } }
}

/// The part of a client's credits that is held for one request.
struct HeldCredit: Sendable {
  /// The tokens of the request's bound that the plan doesn't pay for.
  let tokens: Int64
  let draws: [CreditDraw]
  let bound: Consumption
  let rates: ExchangeRates
}
