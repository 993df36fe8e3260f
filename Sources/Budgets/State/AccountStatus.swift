public import Money

/// How one account of a budget stands: everything that an answer says about it.
public struct AccountStatus: Sendable {
  public enum Level: String, Sendable, Hashable, CaseIterable, Comparable {
    case ok, attention, critical, exceeded

    public static func < (left: Level, right: Level) -> Bool {
      left.leastPercent < right.leastPercent
    }

    /// The percentage of a limit from which on it is so.
    var leastPercent: Int {
      switch self {
      case .ok: 0
      case .attention: 80
      case .critical: 90
      case .exceeded: 100
      }
    }
  }

  public enum Pause: Sendable, Hashable {
    /// By hand.
    case manual
    /// Because a limit is used up, or too little is left for a useful answer.
    case limit(LimitUnit)
    /// Because a plan lets no further conversation begin.
    case conversations
  }

  public let definition: BudgetDefinition
  public let subject: Subject
  public let window: BudgetWindow
  /// The limits in force, a raise included; nil in a unit that isn't limited.
  public let limitTokens: Int64?
  public let limitCost: Money?
  /// Counted whether limited or not.
  public let settledTokens: Int64
  public let settledCost: Money
  public let heldTokens: Int64
  public let heldCost: Money
  /// The limit without what is settled and held, never below zero; nil where there is no limit.
  public let remainingTokens: Int64?
  public let remainingCost: Money?
  /// The share of the limit that is settled; nil where there is no limit.
  public let tokenShare: Share?
  public let costShare: Share?
  /// The share of a plan's conversations that have begun; nil for all other budgets.
  public let conversationShare: Share?
  /// Whether credits in money pay for tokens beyond the limit.
  public let isWidenedByMoney: Bool
  public let pause: Pause?
  public let raise: Raise?
  /// Requests that wait for holds here to end.
  public let waiting: Int

  /// The largest of the shares.
  public var share: Share? {
    [tokenShare, costShare, conversationShare].compactMap(\.self).max()
  }

  public var level: Level {
    switch pause {
    case .limit, .conversations: return .exceeded
    case .manual, nil: break
    }
    guard let share else { return .ok }
    return Level.allCases.last { share.reaches(percent: $0.leastPercent) } ?? .ok
  }
}
