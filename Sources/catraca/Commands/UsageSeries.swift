internal import Ledger
internal import Money
internal import Time

/// Sums of usage in the order in which they are shown.
struct UsageSeries: Hashable, Sendable {
  /// One sum in one billing currency.
  struct Line: Hashable, Sendable {
    var key: String?
    var requests: Int64 = 0
    var inputTokens: Int64 = 0
    var outputTokens: Int64 = 0
    var costNanoUSD: Int64 = 0
    var cost: Money

    var totalTokens: Int64 { clampedSum(inputTokens, outputTokens) }
  }

  /// Over time oldest first, nothing left out; else the dearest first.
  let lines: [Line]
  /// One for each billing currency.
  let totals: [Line]

  init(
    _ sums: [UsageTotal], by grouping: UsageGrouping, _ days: ClosedRange<CivilDate>
  ) {
    let lines = sums.map { Line($0) }
    totals = UsageSeries.totals(of: lines)
    guard let periods = grouping.periods(in: days) else {
      self.lines = lines.sorted {
        ($1.costNanoUSD, $1.totalTokens, $0.key ?? "") < (
          $0.costNanoUSD, $0.totalTokens, $1.key ?? ""
        )
      }
      return
    }
    // Requests at a border may be of a day beyond it, where the client's time zone was another.
    let known = Set(lines.compactMap(\.key))
    let currency = totals.first?.cost.currency ?? .usd
    let empty = periods.filter { !known.contains($0) }.map {
      Line(key: $0, cost: Money(nanoUnits: 0, currency: currency))
    }
    self.lines = lines.isEmpty ? [] : (lines + empty).sorted { ($0.key ?? "") < ($1.key ?? "") }
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
  fileprivate init(_ total: UsageTotal) {
    self.init(
      key: total.key, requests: total.requests, inputTokens: total.inputTokens,
      outputTokens: total.outputTokens, costNanoUSD: total.costNanoUSD, cost: total.cost)
  }

  fileprivate mutating func add(_ other: Self) {
    addWithoutCost(other)
    cost = Money(
      nanoUnits: clampedSum(cost.nanoUnits, other.cost.nanoUnits), currency: cost.currency)
  }

  /// Adds all but the cost in the billing currency, which another currency can't be added to.
  mutating func addWithoutCost(_ other: Self) {
    requests = clampedSum(requests, other.requests)
    inputTokens = clampedSum(inputTokens, other.inputTokens)
    outputTokens = clampedSum(outputTokens, other.outputTokens)
    costNanoUSD = clampedSum(costNanoUSD, other.costNanoUSD)
  }

  var cells: [Cell] {
    [
      .optional(key), .integer(requests), .integer(inputTokens), .integer(outputTokens),
      .integer(totalTokens), .amount(nanoUnits: costNanoUSD), .money(cost),
      .text(cost.currency.code),
    ]
  }
}

extension UsageGrouping {
  /// The keys of every period that has a day in `days`; nil for what isn't a period.
  fileprivate func periods(in days: ClosedRange<CivilDate>) -> [String]? {
    let count = days.upperBound.daysSinceEpoch - days.lowerBound.daysSinceEpoch
    let all = (0...count).map { days.lowerBound.adding(days: $0) }
    switch self {
    case .day: return all.map(\.description)
    case .week: return Set(all.map { $0.adding(days: 1 - $0.weekday).description }).sorted()
    case .month: return Set(all.map { String($0.description.prefix(7)) }).sorted()
    default: return nil
    }
  }
}

/// Absurd sums end at the largest number, not in a trap.
private func clampedSum(_ left: Int64, _ right: Int64) -> Int64 {
  Int64(clamping: Int128(left) + Int128(right))
}
