public import Money

/// The status of one account of a budget, with every figure that an answer reports.
public struct AccountStatus: Sendable {
  public enum Level: String, Sendable, Hashable, CaseIterable, Comparable {
    case ok, attention, critical, exceeded

    public static func < (left: Level, right: Level) -> Bool {
      left.leastPercent < right.leastPercent
    }

    /// The lowest percentage of a limit at which the level applies.
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
    /// An administrator paused the budget or the subject.
    case manual
    /// A limit is used up, or too little is left for a useful answer.
    case limit(LimitUnit)
    /// The plan allows no further conversation to begin.
    case conversations
  }

  public let definition: BudgetDefinition
  public let subject: Subject
  public let window: BudgetWindow
  /// The limit in force in tokens, including a raise; nil if tokens aren't limited.
  public let limitTokens: Int64?
  public let limitCost: Money?
  /// Settled tokens, counted even if tokens aren't limited.
  public let settledTokens: Int64
  public let settledCost: Money
  public let heldTokens: Int64
  public let heldCost: Money
  /// The limit minus settled and held, never below zero; nil if tokens aren't limited.
  public let remainingTokens: Int64?
  public let remainingCost: Money?
  /// The settled part of the token limit; nil if tokens aren't limited.
  public let tokenShare: Share?
  public let costShare: Share?
  /// The part of a plan's conversations that have begun; nil for all other budgets.
  public let conversationShare: Share?
  /// Whether credits in money pay for tokens beyond the limit.
  public let isWidenedByMoney: Bool
  public let pause: Pause?
  public let raise: Raise?
  /// The number of requests that wait for holds to end.
  public let waiting: Int

  /// The largest of the shares; nil if there is none.
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
