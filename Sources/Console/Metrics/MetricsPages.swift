internal import Budgets
internal import Ledger
public import Metrics
internal import Pricing
public import Time

/// Writes all metrics page by page. The values are of one instant; the whole text is never in
/// memory.
public struct MetricsPages<Writer: MetricWriter> {
  /// A metric family, with its samples written one by one.
  private struct Section {
    let family: MetricFamily
    let count: Int
    let write: (_ place: Int, _ family: MetricFamily, _ writer: inout Writer) -> Void
  }

  private var sections: [Section] = []
  private var section = 0
  private var place = 0

  /// Samples on a page.
  private static var pageSize: Int { 500 }

  /// - Parameter showsProviderCosts: Whether the reader may see the providers' costs.
  public init(of server: any RunningServer, showsProviderCosts: Bool, at now: Timestamp) {
    let usage = server.recordedUsage
    addUsage(usage, showsProviderCosts)
    let vitals = server.vitals
    addDenials(usage.denials, unwritten: vitals.unwrittenDenials)
    addBudgets(BudgetFigures.all(of: server, at: now))
    add(MetricCatalog.overhead, usage.overhead)
    add(MetricCatalog.upstreamLatency, usage.upstreamLatency)
    add(MetricCatalog.timeToFirstToken, usage.timeToFirstToken)
    addVitals(vitals)
  }

  /// Writes the next page; false after the last.
  public mutating func writeNext(to writer: inout Writer) -> Bool {
    guard section < sections.count else { return false }
    var room = MetricsPages.pageSize
    while section < sections.count, room > 0 {
      let current = sections[section]
      if place == 0 { writer.begin(current.family) }
      let end = min(current.count, place + room)
      room -= end - place + 1
      for place in place..<end { current.write(place, current.family, &writer) }
      place = end
      if place == current.count { (section, place) = (section + 1, 0) }
    }
    return true
  }

  // MARK: What there is to say

  private mutating func addUsage(_ usage: RecordedUsage, _ showsProviderCosts: Bool) {
    let sums = usage.sums.sorted { $0.key.isBefore($1.key) }
    add(MetricCatalog.requests, sums) { entry, family, writer in
      let key = entry.key
      writer.sample(
        family, ("client", key.clientID), ("provider", key.provider), ("model", key.model),
        ("operation", key.operation.rawValue), ("outcome", key.outcome.rawValue),
        value: entry.value.requests)
    }
    let models = ModelUse.byModel(sums)
    add(MetricCatalog.tokens, models) { model, family, writer in
      for kind in TokenKind.allCases {
        let tokens = model.sums.tokens(kind)
        guard tokens > 0 || ModelUse.usualKinds.contains(kind) else { continue }
        writer.sample(
          family, ("client", model.client), ("provider", model.provider), ("model", model.name),
          ("kind", "\(kind.name)"), value: tokens)
      }
    }
    addCost(MetricCatalog.cost, models, \.costNanoUSD)
    if showsProviderCosts {
      addCost(MetricCatalog.providerCost, models, \.providerCostNanoUSD)
    }
    let overruns = sums.reduce(into: UsageSums()) { $0 += $1.value }.overruns
    add(MetricCatalog.overruns, value: overruns)
  }

  private mutating func addCost(
    _ family: MetricFamily, _ models: [ModelUse], _ nanoUSD: @escaping (UsageSums) -> Int64
  ) {
    add(family, models) { model, family, writer in
      writer.sample(
        family, ("client", model.client), ("provider", model.provider), ("model", model.name),
        nanoUnits: nanoUSD(model.sums))
    }
  }

  private mutating func addDenials(
    _ written: [RecordedUsage.Refused: Int64],
    unwritten: [(client: String, reason: DenialReason, count: Int64)]
  ) {
    var denials = written
    for entry in unwritten {
      let refused = RecordedUsage.Refused(clientID: entry.client, reason: entry.reason)
      denials[refused, default: 0] += entry.count
    }
    add(MetricCatalog.unwrittenDenials, unwritten) { entry, family, writer in
      writer.sample(
        family, ("client", entry.client), ("reason", entry.reason.rawValue), value: entry.count)
    }
    let inOrder = denials.sorted {
      ($0.key.clientID, $0.key.reason.rawValue) < ($1.key.clientID, $1.key.reason.rawValue)
    }
    add(MetricCatalog.denials, inOrder) { entry, family, writer in
      writer.sample(
        family, ("client", entry.key.clientID), ("reason", entry.key.reason.rawValue),
        value: entry.value)
    }
  }

  private mutating func addBudgets(_ budgets: [BudgetFigures]) {
    addTokens(MetricCatalog.usedTokens, budgets, \.usedTokens)
    addTokens(MetricCatalog.heldTokens, budgets, \.heldTokens)
    addTokens(MetricCatalog.limitTokens, budgets, \.limitTokens)
    addCost(MetricCatalog.usedCost, budgets, \.usedCost)
    addCost(MetricCatalog.heldCost, budgets, \.heldCost)
    addCost(MetricCatalog.limitCost, budgets, \.limitCost)
  }

  private mutating func addTokens(
    _ family: MetricFamily, _ budgets: [BudgetFigures],
    _ tokens: @escaping (BudgetFigures) -> Int64?
  ) {
    add(family, budgets) { budget, family, writer in
      guard let tokens = tokens(budget) else { return }
      writer.sample(family, ("budget", budget.id), ("currency", budget.currency), value: tokens)
    }
  }

  private mutating func addCost(
    _ family: MetricFamily, _ budgets: [BudgetFigures],
    _ nanoUnits: @escaping (BudgetFigures) -> Int64?
  ) {
    add(family, budgets) { budget, family, writer in
      guard let cost = nanoUnits(budget) else { return }
      writer.sample(family, ("budget", budget.id), ("currency", budget.currency), nanoUnits: cost)
    }
  }

  private mutating func addVitals(_ vitals: ServerVitals) {
    add(MetricCatalog.connections, vitals.connections) { listener, family, writer in
      writer.sample(family, ("listener", listener.listener), value: Int64(listener.count))
    }
    add(MetricCatalog.unmeteredRequests, vitals.unmeteredRequests) { entry, family, writer in
      writer.sample(family, ("client", entry.client), value: entry.count)
    }
    add(MetricCatalog.missingPrices, vitals.missingPrices) { entry, family, writer in
      writer.sample(
        family, ("provider", entry.provider), ("kind", entry.kind.rawValue), value: entry.count)
    }
    add(MetricCatalog.requestsInFlight, value: Int64(vitals.requestsInFlight))
    let lag = vitals.ledgerLag / .nanoseconds(1)
    add(MetricCatalog.ledgerLag, [Int64(lag)]) { lag, family, writer in
      writer.sample(family, nanoUnits: lag)
    }
    add(MetricCatalog.reloads, value: vitals.reloads)
    add(MetricCatalog.reloadFailures, value: vitals.reloadFailures)
    if let dropped = vitals.droppedSpans { add(MetricCatalog.droppedSpans, value: dropped) }
    add(MetricCatalog.limitsMet, vitals.limitsMet) { met, family, writer in
      writer.sample(family, ("limit", met.limit), value: met.count)
    }
    add(MetricCatalog.build, [vitals.version]) { version, family, writer in
      writer.sample(family, ("version", version), value: 1)
    }
  }

  // MARK: How it is written

  private mutating func add<Entry>(
    _ family: MetricFamily, _ entries: [Entry],
    _ write: @escaping (Entry, MetricFamily, inout Writer) -> Void
  ) {
    sections.append(
      Section(family: family, count: entries.count) { place, family, writer in
        write(entries[place], family, &writer)
      })
  }

  private mutating func add(_ family: MetricFamily, value: Int64) {
    add(family, [value]) { value, family, writer in writer.sample(family, value: value) }
  }

  private mutating func add(_ family: MetricFamily, _ histogram: Histogram) {
    add(family, [histogram]) { histogram, family, writer in
      writer.histogram(family, histogram)
    }
  }
}

extension RecordedUsage.Key {
  fileprivate func isBefore(_ other: RecordedUsage.Key) -> Bool {
    (clientID, provider, model, operation.rawValue, outcome.rawValue)
      < (
        other.clientID, other.provider, other.model, other.operation.rawValue,
        other.outcome.rawValue
      )
  }
}
