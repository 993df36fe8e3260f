internal import Money

/// What a limit is counted in. Tokens come first wherever one of the two has to be named.
public enum LimitUnit: String, Hashable, Sendable, CaseIterable {
  case tokens, cost
}

/// Tokens and money side by side: every budget counts both, whichever it limits.
public struct Spend: Hashable, Sendable {
  public var tokens: Int64
  /// Billionths of one unit of the budget's currency.
  public var nanoUnits: Int64

  public init(tokens: Int64, nanoUnits: Int64) {
    self.tokens = tokens
    self.nanoUnits = nanoUnits
  }

  public static let zero = Spend(tokens: 0, nanoUnits: 0)

  /// So much in one unit, nought in the other.
  init(_ amount: Int64, in unit: LimitUnit) {
    self.init(tokens: unit == .tokens ? amount : 0, nanoUnits: unit == .cost ? amount : 0)
  }

  public subscript(unit: LimitUnit) -> Int64 {
    switch unit {
    case .tokens: tokens
    case .cost: nanoUnits
    }
  }

  /// Adds what a provider reported. A figure is foreign and may be absurd: the sum then stays at
  /// the largest number there is, where the budget is used up, and never wraps or traps.
  mutating func addSaturating(_ other: Spend) {
    self = adding(other)
  }

  /// The sum, at most the largest number there is. `other` may be negative, where it takes off what
  /// was added before.
  public func adding(_ other: Spend) -> Spend {
    Spend(
      tokens: tokens.addingSaturating(other.tokens),
      nanoUnits: nanoUnits.addingSaturating(other.nanoUnits))
  }

  /// Adds as much of `other` as can be counted, and returns what that was.
  mutating func addCountable(_ other: Spend) -> Spend {
    let before = self
    addSaturating(other)
    return Spend(
      tokens: tokens - before.tokens, nanoUnits: nanoUnits - before.nanoUnits)
  }

  /// Takes away what may be more than there is, down to the smallest number.
  mutating func subtractSaturating(_ other: Spend) {
    tokens = tokens.subtractingSaturating(other.tokens)
    nanoUnits = nanoUnits.subtractingSaturating(other.nanoUnits)
  }

  /// Takes away what was added before.
  mutating func subtract(_ other: Spend) {
    precondition(
      tokens >= other.tokens && nanoUnits >= other.nanoUnits, "more taken away than was added")
    tokens -= other.tokens
    nanoUnits -= other.nanoUnits
  }

  /// The same, with zero for what is below it, as in a ledger that somebody has edited.
  var atLeastZero: Spend { Spend(tokens: max(0, tokens), nanoUnits: max(0, nanoUnits)) }

  /// The smaller of the two in each unit.
  public func least(_ other: Spend) -> Spend {
    Spend(tokens: min(tokens, other.tokens), nanoUnits: min(nanoUnits, other.nanoUnits))
  }

  /// What of this lies above `other`, in each unit for itself.
  public func excess(over other: Spend) -> Spend {
    Spend(
      tokens: max(0, tokens.subtractingSaturating(other.tokens)),
      nanoUnits: max(0, nanoUnits.subtractingSaturating(other.nanoUnits)))
  }
}

/// The limits in force for one account; nil where a unit is counted but not limited.
public struct LimitsInForce: Hashable, Sendable {
  public internal(set) var tokens: Int64?
  /// Billionths of one unit of the budget's currency.
  public internal(set) var nanoUnits: Int64?

  public init(tokens: Int64?, nanoUnits: Int64?) {
    self.tokens = tokens
    self.nanoUnits = nanoUnits
  }

  init(_ limit: BudgetLimit) {
    tokens = limit.tokens
    nanoUnits = limit.cost?.nanoUnits
  }

  subscript(unit: LimitUnit) -> Int64? {
    switch unit {
    case .tokens: tokens
    case .cost: nanoUnits
    }
  }

  /// `spend` in the units that are limited, nought in the others.
  func limited(_ spend: Spend) -> Spend {
    Spend(
      tokens: tokens == nil ? 0 : spend.tokens,
      nanoUnits: nanoUnits == nil ? 0 : spend.nanoUnits)
  }

  func raised(by raise: Raise) -> LimitsInForce {
    var limits = self
    limits.tokens = tokens?.addingSaturating(raise.amount.tokens)
    limits.nanoUnits = nanoUnits?.addingSaturating(raise.amount.nanoUnits)
    return limits
  }

  /// Whether something that `other` allows isn't allowed here.
  func isTighter(than other: LimitsInForce) -> Bool {
    LimitUnit.allCases.contains { unit in
      guard let limit = self[unit] else { return false }
      guard let otherLimit = other[unit] else { return true }
      return limit < otherLimit
    }
  }
}

extension Int64 {
  /// The sum, or the nearest number that there is.
  func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    guard overflow else { return sum }
    return other < 0 ? .min : .max
  }

  mutating func addSaturating(_ other: Int64) {
    self = addingSaturating(other)
  }

  /// The difference, or the nearest number that there is.
  func subtractingSaturating(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    guard overflow else { return difference }
    return other < 0 ? .max : .min
  }

  /// The product of two numbers that aren't negative, or the largest where it is larger.
  func multipliedSaturating(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
