public import Money

/// The monthly price of a plan: a fixed fee that includes some use, and a charge for each started
/// block of use beyond it.
///
/// Example: 100 BRL include 8,000,000 tokens, and each further 8,000,000 cost 50 BRL. A month with
/// 8,000,001 tokens costs 150 BRL.
public struct PlanBilling: Hashable, Sendable {
  /// The unit that a plan counts.
  public enum Measure: String, Sendable, Hashable, CaseIterable {
    /// Tokens.
    case tokens
    /// The cost of requests, in nano-units of the fee's currency.
    case cost
  }

  public struct Overage: Hashable, Sendable {
    /// The size of a block, at least 1.
    public let every: Int64
    public let charge: Money

    public init(every: Int64, charge: Money) {
      precondition(every > 0, "a block without a size is begun by nothing")
      self.every = every
      self.charge = charge
    }
  }

  public let fixedFee: Money
  public let measure: Measure
  /// The use that the fixed fee covers.
  public let included: Int64
  /// The price of use beyond `included`, in the fee's currency; nil if such use is free.
  public let overage: Overage?

  public init(
    fixedFee: Money, measure: Measure = .tokens, included: Int64, overage: Overage?
  ) {
    self.fixedFee = fixedFee
    self.measure = measure
    self.included = included
    self.overage = overage
  }

  public var currency: Currency { fixedFee.currency }

  /// Returns the number of started blocks. A block starts when the use exceeds the end of the
  /// previous one.
  public func blocks(begunAt used: Int64) -> Int64 {
    guard let overage, used > included else { return 0 }
    return (used - included - 1) / overage.every + 1
  }

  /// Returns the use that a block covers; block 0 is covered by the fixed fee.
  public func tier(ofBlock block: Int64) -> BillingTier {
    guard block > 0 else { return BillingTier(from: 0, to: included, of: self) }
    guard let overage else { return BillingTier(from: included, to: nil, of: self) }
    let (before, overflows) = (block - 1).multipliedReportingOverflow(by: overage.every)
    let (start, startOverflows) = included.addingReportingOverflow(before)
    if overflows || startOverflows { return BillingTier(from: .max, to: nil, of: self) }
    let (end, endOverflows) = start.addingReportingOverflow(overage.every)
    return BillingTier(from: start, to: endOverflows ? nil : end, of: self)
  }

  /// Returns the tier that contains this much use.
  public func tier(at used: Int64) -> BillingTier {
    if overage == nil, used > included { return tier(ofBlock: 1) }
    return tier(ofBlock: blocks(begunAt: used))
  }
}

/// The use that one charge covers. Its text is the range: `8M-16M`, or for money `100-150 BRL`.
public struct BillingTier: Hashable, Sendable, CustomStringConvertible {
  /// The tier starts with use above this amount.
  public let start: Int64
  /// The most use that the tier covers; nil if it is unlimited.
  public let end: Int64?
  private let measure: PlanBilling.Measure
  private let currency: Currency

  init(from start: Int64, to end: Int64?, of billing: PlanBilling) {
    self.start = start
    self.end = end
    measure = billing.measure
    currency = billing.currency
  }

  public var description: String {
    let range = end.map { "\(text(start))-\(text($0))" } ?? "\(text(start))+"
    return measure == .cost ? "\(range) \(currency.code)" : range
  }

  private func text(_ amount: Int64) -> String {
    switch measure {
    case .tokens: BillingTier.count(amount)
    case .cost: Money(nanoUnits: amount, currency: currency).shortestText
    }
  }

  /// The shortest exact text: `8M`, `1500K` or plain digits.
  private static func count(_ tokens: Int64) -> String {
    guard tokens > 0 else { return "0" }
    if tokens % 1_000_000 == 0 { return "\(tokens / 1_000_000)M" }
    return tokens % 1000 == 0 ? "\(tokens / 1000)K" : "\(tokens)"
  }
}
