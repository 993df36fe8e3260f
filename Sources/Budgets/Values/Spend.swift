internal import Money

/// The unit of a limit. If only one unit can be named, tokens come first.
public enum LimitUnit: String, Hashable, Sendable, CaseIterable {
  case tokens, cost
}

/// An amount of tokens and money. Every budget counts both, even if it limits only one.
public struct Spend: Hashable, Sendable {
  public var tokens: Int64
  /// Billionths of one unit of the budget's currency.
  public var nanoUnits: Int64

  public init(tokens: Int64, nanoUnits: Int64) {
    self.tokens = tokens
    self.nanoUnits = nanoUnits
  }

  public static let zero = Spend(tokens: 0, nanoUnits: 0)

  /// Creates an amount in one unit, with zero in the other.
  init(_ amount: Int64, in unit: LimitUnit) {
    self.init(tokens: unit == .tokens ? amount : 0, nanoUnits: unit == .cost ? amount : 0)
  }

  public subscript(unit: LimitUnit) -> Int64 {
    switch unit {
    case .tokens: tokens
    case .cost: nanoUnits
    }
  }

  /// Adds an amount that a provider reported. Reported figures may be absurdly large: the sum then
  /// stays at the largest number, at which the budget is used up. It never wraps or traps.
  mutating func addSaturating(_ other: Spend) {
    self = adding(other)
  }

  /// Returns the sum, at most the largest number. `other` may be negative, to subtract an amount
  /// that was added before.
  public func adding(_ other: Spend) -> Spend {
    Spend(
      tokens: tokens.addingSaturating(other.tokens),
      nanoUnits: nanoUnits.addingSaturating(other.nanoUnits))
  }

  /// Adds as much of `other` as fits below the largest number, and returns the added amount.
  mutating func addCountable(_ other: Spend) -> Spend {
    let before = self
    addSaturating(other)
    return Spend(
      tokens: tokens - before.tokens, nanoUnits: nanoUnits - before.nanoUnits)
  }

  /// Subtracts an amount that may exceed this one, down to the smallest number.
  mutating func subtractSaturating(_ other: Spend) {
    tokens = tokens.subtractingSaturating(other.tokens)
    nanoUnits = nanoUnits.subtractingSaturating(other.nanoUnits)
  }

  /// Subtracts an amount that was added before.
  mutating func subtract(_ other: Spend) {
    precondition(
      tokens >= other.tokens && nanoUnits >= other.nanoUnits, "more taken away than was added")
    tokens -= other.tokens
    nanoUnits -= other.nanoUnits
  }

  /// The amount with negative figures replaced by zero. They can occur in a ledger that was edited
  /// by hand.
  var atLeastZero: Spend { Spend(tokens: max(0, tokens), nanoUnits: max(0, nanoUnits)) }

  /// Returns the smaller amount in each unit.
  public func least(_ other: Spend) -> Spend {
    Spend(tokens: min(tokens, other.tokens), nanoUnits: min(nanoUnits, other.nanoUnits))
  }

  /// Returns the part that exceeds `other`, in each unit separately.
  public func excess(over other: Spend) -> Spend {
    Spend(
      tokens: max(0, tokens.subtractingSaturating(other.tokens)),
      nanoUnits: max(0, nanoUnits.subtractingSaturating(other.nanoUnits)))
  }
}

/// The limits in force for one account; nil in a unit that is counted but not limited.
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

  /// Returns `spend` in the limited units, with zero in the others.
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

  /// Whether this limit refuses an amount that `other` allows.
  func isTighter(than other: LimitsInForce) -> Bool {
    LimitUnit.allCases.contains { unit in
      guard let limit = self[unit] else { return false }
      guard let otherLimit = other[unit] else { return true }
      return limit < otherLimit
    }
  }
}

extension Int64 {
  /// Returns the sum, or the nearest representable number.
  func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    guard overflow else { return sum }
    return other < 0 ? .min : .max
  }

  mutating func addSaturating(_ other: Int64) {
    self = addingSaturating(other)
  }

  /// Returns the difference, or the nearest representable number.
  func subtractingSaturating(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    guard overflow else { return difference }
    return other < 0 ? .max : .min
  }

  /// Returns the product of two nonnegative numbers, at most the largest number.
  func multipliedSaturating(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
