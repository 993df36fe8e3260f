public import Money
public import Time

/// A budget's identifier: `CLIENT/NAME`, or `*/NAME` for a budget over all clients.
public struct BudgetID: Hashable, Sendable, CustomStringConvertible {
  public let client: String
  public let name: String

  public init(client: String, name: String) {
    self.client = client
    self.name = name
  }

  /// The client's name in identifiers of budgets over all clients.
  public static let everything = "*"

  /// The name of the budget that a plan's own limits form.
  public static let planName = "plan"

  /// Returns the identifier of the budget of the client's plan.
  public static func plan(of client: String) -> BudgetID {
    BudgetID(client: client, name: planName)
  }

  public var isPlan: Bool { name == BudgetID.planName }

  public var description: String { "\(client)/\(name)" }
}

/// One limit in tokens, in money or in both, over a period, for each subject of one kind.
public struct BudgetDefinition: Hashable, Sendable {
  /// The kind of subject that the budget counts by. All requests of one subject count together.
  public enum Per: String, Sendable, Hashable, CaseIterable {
    case client, user, key, model, conversation
  }

  public enum Enforcement: String, Sendable, Hashable, CaseIterable {
    /// Holds the bound, so that settled + held never exceeds the limit.
    case hard
    /// Holds an estimate, and refuses once settled + held reaches the limit.
    case soft
    /// Counts, sends alerts, and logs the refusals that it would have made.
    case shadow
  }

  public let id: BudgetID
  public let per: Per
  public let limit: BudgetLimit
  public let period: BudgetPeriod
  public let timeZone: TimeZoneRules
  public let enforcement: Enforcement
  /// The percentages at which an alert is sent, ascending, each 1…100.
  public let alerts: [Int]

  public init(
    id: BudgetID, per: Per, limit: BudgetLimit, period: BudgetPeriod, timeZone: TimeZoneRules,
    enforcement: Enforcement, alerts: [Int]
  ) {
    precondition(
      Self.allows(limit, alerts: alerts), "a limit is never negative, and alerts ascend in 1…100")
    precondition(period.isValid, "a period has 1…\(BudgetPeriod.longestDays) days")
    self.id = id
    self.per = per
    self.limit = limit
    self.period = period
    self.timeZone = timeZone
    self.enforcement = enforcement
    self.alerts = alerts
  }

  /// Whether a budget may have this limit and these alerts. Ledger rows are checked with it.
  public static func allows(_ limit: BudgetLimit, alerts: [Int]) -> Bool {
    (limit.tokens ?? 0) >= 0 && (limit.cost?.nanoUnits ?? 0) >= 0
      && AlertThresholds.areValid(alerts)
  }

  /// The currency of the budget's amounts: its limit's currency, or else the billing currency.
  func currency(billing: Currency) -> Currency {
    limit.cost?.currency ?? billing
  }
}

/// A budget's limit, in its unit.
public enum BudgetLimit: Hashable, Sendable {
  /// The unit of a limit, without its figures.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    case tokens, cost, both
    /// Only for a plan; see `ConversationLimit`.
    case conversations
  }

  /// The largest count of tokens in a limit, a credit or a plan: 2⁵³, up to which JSON numbers are
  /// exact everywhere.
  public static let largestTokens: Int64 = 1 << 53

  case tokens(Int64)
  case cost(Money)
  case both(tokens: Int64, cost: Money)
  case conversations(Int64)

  public var mode: Mode {
    switch self {
    case .tokens: .tokens
    case .cost: .cost
    case .both: .both
    case .conversations: .conversations
    }
  }

  public var tokens: Int64? {
    switch self {
    case .tokens(let tokens), .both(let tokens, _): tokens
    case .cost, .conversations: nil
    }
  }

  public var cost: Money? {
    switch self {
    case .cost(let cost), .both(_, let cost): cost
    case .tokens, .conversations: nil
    }
  }
}

/// The length of a budget's window. Each window begins at midnight of the budget's time zone.
public enum BudgetPeriod: Hashable, Sendable {
  case daily
  /// Weeks that begin on Monday.
  case weekly
  case monthly
  /// Months that begin on this day, 1…31; on the last day of a month that is shorter.
  case monthsFrom(day: Int)
  /// Windows of N days, counted from `anchor`; N is 1…`longestDays`.
  case days(Int, anchor: CivilDate)
  /// One window that never ends.
  case total

  /// The most days of a window: ten years, including leap days.
  public static let longestDays = 3_660

  /// The allowed spellings, for error messages.
  public static let allowed = "daily, weekly, monthly, total, or 1d to \(longestDays)d"

  var isValid: Bool {
    switch self {
    case .days(let length, _): (1...BudgetPeriod.longestDays).contains(length)
    case .monthsFrom(let day): (1...31).contains(day)
    case .daily, .weekly, .monthly, .total: true
    }
  }
}

extension BudgetPeriod {
  /// Parses a `description`; nil for any other text. Windows of days are counted from `anchor`.
  public init?(_ text: String, anchor: CivilDate) {
    switch text {
    case "daily": self = .daily
    case "weekly": self = .weekly
    case "monthly": self = .monthly
    case "total": self = .total
    default:
      guard text.last == "d", let days = Int(text.dropLast()), text == "\(days)d",
        (1...BudgetPeriod.longestDays).contains(days)
      else { return nil }
      self = .days(days, anchor: anchor)
    }
  }
}

extension BudgetPeriod: CustomStringConvertible {
  /// The period's name in files, answers and the ledger: `daily`, `weekly`, `monthly`, `30d` or
  /// `total`.
  public var description: String {
    switch self {
    case .daily: "daily"
    case .weekly: "weekly"
    case .monthly, .monthsFrom: "monthly"
    case .days(let length, _): "\(length)d"
    case .total: "total"
    }
  }
}

/// The reason that a command to the budgets can't be carried out. A refused request isn't an error.
public enum BudgetError: Error, Hashable, Sendable {
  /// The hold has already ended.
  case unknownHold
  case unknownBudget(BudgetID)
  /// The subject's kind isn't the one that the budget counts by.
  case wrongSubject(Subject, BudgetID)
  /// The budget's currency has no exchange rate.
  case missingRate(Currency, BudgetID)
}
