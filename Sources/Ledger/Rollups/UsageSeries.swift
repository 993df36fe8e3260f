public import Money
public import Time

/// Sums of usage in display order.
public struct UsageSeries: Hashable, Sendable {
  /// One sum in one billing currency.
  public struct Line: Hashable, Sendable {
    public var key: String?
    public var requests: Int64 = 0
    /// Requests that a budget refused. They aren't included in `requests`.
    public var denials: Int64 = 0
    public var inputTokens: Int64 = 0
    public var outputTokens: Int64 = 0
    public var conversations: Int64 = 0
    /// The clients' charges.
    public var costNanoUSD: Int64 = 0
    /// The providers' charges.
    public var providerCostNanoUSD: Int64 = 0
    public var cost: Money

    public var totalTokens: Int64 { inputTokens.addingSaturated(outputTokens) }
    /// The clients' charges minus the providers' charges; negative if clients pay less.
    public var marginNanoUSD: Int64 { costNanoUSD.subtractingSaturated(providerCostNanoUSD) }

    public init(cost: Money) {
      self.cost = cost
    }
  }

  /// For periods: oldest first, with every period. Otherwise: the most expensive first.
  public let lines: [Line]
  /// One total for each billing currency. The first one includes the refusals.
  public let totals: [Line]

  /// - Parameters:
  ///   - denials: The numbers of refusals, by the same keys.
  ///   - days: The days of the sums; with nil, only periods with use are shown.
  ///   - currency: The currency of lines without use.
  public init(
    _ sums: [UsageTotal], denials: [String?: Int64], by grouping: UsageGrouping,
    _ days: ClosedRange<CivilDate>?, currency: Currency
  ) {
    let nothing = Money(nanoUnits: 0, currency: currency)
    var lines = sums.map { Line($0) }
    var places: [String?: Int] = [:]
    for (place, line) in lines.enumerated() where places[line.key] == nil {
      places[line.key] = place
    }
    for (key, count) in denials {
      if let place = places[key] {
        lines[place].denials = count
      } else {
        lines.append(Line(key: key, denials: count, cost: nothing))
      }
    }
    totals = UsageSeries.totals(of: lines)
    guard grouping.isPeriod else {
      self.lines = lines.sorted(by: UsageSeries.isDearer)
      return
    }
    // Requests at a border may belong to a day beyond it, if the client's time zone was another
    // one.
    let known = Set(lines.compactMap(\.key))
    let empty = days.map { grouping.periods(in: $0).filter { !known.contains($0) } } ?? []
    self.lines = (lines + empty.map { Line(key: $0, cost: nothing) })
      .sorted { ($0.key ?? "") < ($1.key ?? "") }
  }

  private static func isDearer(_ left: Line, _ right: Line) -> Bool {
    (right.costNanoUSD, right.totalTokens, left.key ?? "")
      < (left.costNanoUSD, left.totalTokens, right.key ?? "")
  }

  private static func totals(of lines: [Line]) -> [Line] {
    var totals: [Currency: Line] = [:]
    for line in lines {
      let currency = line.cost.currency
      var total = totals[currency] ?? Line(cost: Money(nanoUnits: 0, currency: currency))
      total.add(line)
      totals[currency] = total
    }
    return totals.sorted { $0.key < $1.key }.map(\.value)
  }
}

extension UsageSeries.Line {
  fileprivate init(key: String?, denials: Int64 = 0, cost: Money) {
    self.init(cost: cost)
    self.key = key
    self.denials = denials
  }

  fileprivate init(_ total: UsageTotal) {
    self.init(key: total.key, cost: total.cost)
    requests = total.requests
    inputTokens = total.inputTokens
    outputTokens = total.outputTokens
    conversations = total.conversations
    costNanoUSD = total.costNanoUSD
    providerCostNanoUSD = total.providerCostNanoUSD
  }

  fileprivate mutating func add(_ other: Self) {
    addWithoutCost(other)
    let nanoUnits = cost.nanoUnits.addingSaturated(other.cost.nanoUnits)
    cost = Money(nanoUnits: nanoUnits, currency: cost.currency)
  }

  /// Adds everything except the cost in the billing currency, which can't be added to another
  /// currency's.
  public mutating func addWithoutCost(_ other: Self) {
    requests = requests.addingSaturated(other.requests)
    denials = denials.addingSaturated(other.denials)
    inputTokens = inputTokens.addingSaturated(other.inputTokens)
    outputTokens = outputTokens.addingSaturated(other.outputTokens)
    conversations = conversations.addingSaturated(other.conversations)
    costNanoUSD = costNanoUSD.addingSaturated(other.costNanoUSD)
    providerCostNanoUSD = providerCostNanoUSD.addingSaturated(other.providerCostNanoUSD)
  }
}

extension [UsageTotal] {
  /// Returns one sum for each key. Its cost is the sum of the rows that were billed in `currency`.
  public func merged(in currency: Currency) -> [UsageTotal] {
    var merged: [UsageTotal] = []
    for var total in self {
      if total.cost.currency != currency { total.cost = Money(nanoUnits: 0, currency: currency) }
      guard let last = merged.last, last.key == total.key else {
        merged.append(total)
        continue
      }
      total.add(last)
      merged[merged.count - 1] = total
    }
    return merged
  }
}

extension UsageTotal {
  fileprivate mutating func add(_ other: UsageTotal) {
    requests = requests.addingSaturated(other.requests)
    inputTokens = inputTokens.addingSaturated(other.inputTokens)
    outputTokens = outputTokens.addingSaturated(other.outputTokens)
    conversations = conversations.addingSaturated(other.conversations)
    costNanoUSD = costNanoUSD.addingSaturated(other.costNanoUSD)
    providerCostNanoUSD = providerCostNanoUSD.addingSaturated(other.providerCostNanoUSD)
    cost = Money(
      nanoUnits: cost.nanoUnits.addingSaturated(other.cost.nanoUnits), currency: cost.currency)
  }
}

extension UsageGrouping {
  /// Returns the keys of all periods with a day in `days`; empty if the grouping isn't a period.
  fileprivate func periods(in days: ClosedRange<CivilDate>) -> [String] {
    let count = days.upperBound.daysSinceEpoch - days.lowerBound.daysSinceEpoch
    return Set((0...count).compactMap { period(of: days.lowerBound.adding(days: $0)) }).sorted()
  }
}
