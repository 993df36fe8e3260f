internal import Money

/// The part of a request's demand that one subject makes.
public struct DemandPart: Hashable, Sendable {
  /// Upper bound of the part's use.
  public private(set) var bound: Consumption
  /// The usual use of such a part. `soft` budgets hold this amount.
  public private(set) var estimate: Consumption

  public init(bound: Consumption, estimate: Consumption) {
    self.bound = bound
    self.estimate = estimate
  }

  static func + (left: DemandPart, right: DemandPart) -> DemandPart {
    DemandPart(bound: left.bound + right.bound, estimate: left.estimate + right.estimate)
  }
}

/// The parts of a request that names several users or conversations: a batch.
///
/// A budget per user holds each user's part on that user's account, and a budget per conversation
/// each conversation's part. All other budgets hold the whole.
///
/// Example: a batch has two lines of 100 tokens for `u1` and one for `u2`. A budget per user holds
/// 200 tokens on `u1` and 100 on `u2`; the client's budget holds 300.
public struct DemandParts: Sendable {
  /// The parts by user. The empty name stands for lines that name no user.
  public private(set) var users: [String: DemandPart] = [:]
  /// The parts by conversation. The empty name stands for lines that name no conversation.
  public private(set) var conversations: [String: DemandPart] = [:]

  public init() {}

  public mutating func add(_ part: DemandPart, ofUser user: String) {
    users[user] = users[user].map { $0 + part } ?? part
  }

  public mutating func add(_ part: DemandPart, ofConversation conversation: String) {
    conversations[conversation] = conversations[conversation].map { $0 + part } ?? part
  }

  /// Returns the parts by the subject's name; empty for kinds of which a request has one subject.
  func parts(per kind: BudgetDefinition.Per) -> [String: DemandPart] {
    switch kind {
    case .user: users
    case .conversation: conversations
    case .client, .key, .model: [:]
    }
  }
}

/// The part of a hold that stands on one account.
///
/// A class, so that a portion without a part needs one word for it.
final class HeldPart: Sendable {
  /// The subjects that the account counts: several if they share the account `other`.
  let names: Set<String>
  let demand: DemandPart

  init(of names: Set<String>, _ demand: DemandPart) {
    self.names = names
    self.demand = demand
  }

  func merged(with other: HeldPart) -> HeldPart {
    HeldPart(of: names.union(other.names), demand + other.demand)
  }

  /// Returns the part without `used`.
  func remainder(after used: Consumption) -> HeldPart {
    HeldPart(
      of: names,
      DemandPart(bound: demand.bound.remainder(after: used), estimate: demand.estimate))
  }

  /// Returns this part's share of a use that no subject is known for, in proportion to the bounds.
  ///
  /// Example: 50 tokens were used of a hold of 300, and this part's bound is 100. Its share is 17.
  func share(of used: Consumption, outOf whole: Consumption) -> Consumption {
    Consumption(
      tokens: Int64(
        clamping: HeldPart.share(
          of: Int128(used.tokens), Int128(demand.bound.tokens), outOf: Int128(whole.tokens))),
      cost: ExactAmount(
        units: HeldPart.share(
          of: used.cost.units, demand.bound.cost.units, outOf: whole.cost.units)))
  }

  /// Returns `used * part / whole`, rounded up; at most `part`.
  private static func share(of used: Int128, _ part: Int128, outOf whole: Int128) -> Int128 {
    guard used > 0, part > 0 else { return 0 }
    guard used < whole, part < whole else { return min(used, part) }
    let product = used.magnitude.multipliedFullWidth(by: part.magnitude)
    let (quotient, remainder) = whole.magnitude.dividingFullWidth(product)
    return Int128(clamping: quotient) + (remainder == 0 ? 0 : 1)
  }
}

extension Portion {
  /// Returns what this account holds of a request's bound: its own part, or the whole.
  func own(_ whole: Consumption) -> Consumption { part?.demand.bound ?? whole }

  /// Returns what this account holds of a request's estimate.
  func ownEstimate(of demand: Demand) -> Consumption { part?.demand.estimate ?? demand.estimate }

  /// Returns what this account counts of a use of the whole hold.
  func ownShare(of used: Consumption, outOf whole: Consumption) -> Consumption {
    part?.share(of: used, outOf: whole) ?? used
  }
}

extension Consumption {
  public static func + (left: Consumption, right: Consumption) -> Consumption {
    Consumption(
      tokens: left.tokens.addingSaturating(right.tokens), cost: left.cost + right.cost)
  }
}
