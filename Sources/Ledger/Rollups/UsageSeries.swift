public import Money
public import Time

/// Sums of usage in the order in which they are shown.
public struct UsageSeries: Hashable, Sendable {
  /// One sum in one billing currency.
  public struct Line: Hashable, Sendable {
    public var key: String?
    public var requests: Int64 = 0
    /// Requests that a budget refused, which are not among `requests`.
    public var denials: Int64 = 0
    public var inputTokens: Int64 = 0
    public var outputTokens: Int64 = 0
    public var conversations: Int64 = 0
    /// What clients were charged.
    public var costNanoUSD: Int64 = 0
    /// What providers charge.
    public var providerCostNanoUSD: Int64 = 0
    public var cost: Money

    public var totalTokens: Int64 { inputTokens.addingSaturated(outputTokens) }
    /// What was charged less what providers charge; negative where clients pay less.
    public var marginNanoUSD: Int64 { costNanoUSD.subtractingSaturated(providerCostNanoUSD) }

    public init(cost: Money) {
      self.cost = cost
    }
  }

  /// Over time oldest first, nothing left out; else the dearest first.
  public let lines: [Line]
  /// One for each billing currency; the first has the refusals.
  public let totals: [Line]

  /// - Parameters:
  ///   - denials: how many were refused, by the same keys.
  ///   - days: what the sums are of; nil shows the periods with use alone.
  ///   - currency: what lines without use are in.
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
    // Requests at a border may be of a day beyond it, where the client's time zone was another.
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

  /// Adds all but the cost in the billing currency, which another currency can't be added to.
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
  /// One sum for each key, whose cost is that of the rows that were billed in `currency`.
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
  /// The keys of every period that has a day in `days`; none for what isn't a period.
  fileprivate func periods(in days: ClosedRange<CivilDate>) -> [String] {
    let count = days.upperBound.daysSinceEpoch - days.lowerBound.daysSinceEpoch
    return Set((0...count).compactMap { period(of: days.lowerBound.adding(days: $0)) }).sorted()
  }
}
