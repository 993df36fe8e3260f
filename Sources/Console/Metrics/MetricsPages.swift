internal import Budgets
internal import Ledger
internal import Metrics
internal import Pricing
internal import Time

/// `/metrics`, written piece by piece: what is shown is of one instant, its text never all there.
struct MetricsPages {
  /// A family with its samples, which are written one by one.
  private struct Section {
    let family: MetricFamily
    let count: Int
    let write: (_ place: Int, _ family: MetricFamily, _ writer: inout ExpositionWriter) -> Void
  }

  private var sections: [Section] = []
  private var writer = ExpositionWriter()
  private var section = 0
  private var place = 0

  /// Samples in a piece.
  private static let pageSize = 500
  /// Budgets that are read at a time: requests wait for it.
  private static let budgetBatch = 64

  init(of server: any RunningServer, at now: Timestamp) {
    let usage = server.recordedUsage
    addUsage(usage)
    addDenials(usage.denials)
    addBudgets(MetricsPages.budgets(of: server, at: now))
    add(MetricCatalog.overhead, usage.overhead)
    add(MetricCatalog.upstreamLatency, usage.upstreamLatency)
    add(MetricCatalog.timeToFirstToken, usage.timeToFirstToken)
    addVitals(server.vitals)
  }

  /// The next piece of the text; nil after the last.
  mutating func next() -> [UInt8]? {
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
    let piece = writer.take()
    return piece.isEmpty ? nil : piece
  }

  // MARK: What there is to say

  private mutating func addUsage(_ usage: RecordedUsage) {
    let sums = usage.sums.sorted { $0.key.isBefore($1.key) }
    add(MetricCatalog.requests, sums) { entry, family, writer in
      let key = entry.key
      writer.sample(
        family, ("client", key.clientID), ("provider", key.provider), ("model", key.model),
        ("operation", key.operation.rawValue), ("outcome", key.outcome.rawValue),
        value: entry.value.requests)
    }
    let models = MetricsPages.byModel(sums)
    add(MetricCatalog.tokens, models) { model, family, writer in
      for kind in TokenKind.allCases {
        let tokens = model.sums.tokens(kind)
        guard tokens > 0 || MetricsPages.usualKinds.contains(kind) else { continue }
        writer.sample(
          family, ("client", model.client), ("provider", model.provider), ("model", model.name),
          ("kind", "\(kind.name)"), value: tokens)
      }
    }
    add(MetricCatalog.cost, models) { model, family, writer in
      writer.sample(
        family, ("client", model.client), ("provider", model.provider), ("model", model.name),
        nanoUnits: model.sums.costNanoUSD)
    }
    let overruns = sums.reduce(into: UsageSums()) { $0 += $1.value }.overruns
    add(MetricCatalog.overruns, value: overruns)
  }

  private mutating func addDenials(_ denials: [RecordedUsage.Refused: Int64]) {
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
    add(MetricCatalog.requestsInFlight, value: Int64(vitals.requestsInFlight))
    let lag = vitals.ledgerLag / .nanoseconds(1)
    add(MetricCatalog.ledgerLag, [Int64(lag)]) { lag, family, writer in
      writer.sample(family, nanoUnits: lag)
    }
    add(MetricCatalog.reloads, value: vitals.reloads)
    add(MetricCatalog.reloadFailures, value: vitals.reloadFailures)
    add(MetricCatalog.build, [vitals.version]) { version, family, writer in
      writer.sample(family, ("version", version), value: 1)
    }
  }

  // MARK: How it is written

  private mutating func add<Entry>(
    _ family: MetricFamily, _ entries: [Entry],
    _ write: @escaping (Entry, MetricFamily, inout ExpositionWriter) -> Void
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

  // MARK: What it is made from

  /// What a client used of a model, whatever for.
  private struct ModelUse {
    let client: String
    let provider: String
    let name: String
    var sums = UsageSums()
  }

  /// Shown even where there are none.
  private static let usualKinds: Set<TokenKind> = [.input, .cachedInput, .output, .reasoning]

  /// - Parameter sums: in order, so that what belongs together stands together.
  private static func byModel(_ sums: [(key: RecordedUsage.Key, value: UsageSums)]) -> [ModelUse] {
    var models: [ModelUse] = []
    for (key, sums) in sums {
      if let last = models.last, last.client == key.clientID, last.provider == key.provider,
        last.name == key.model
      {
        models[models.count - 1].sums += sums
      } else {
        models.append(
          ModelUse(client: key.clientID, provider: key.provider, name: key.model, sums: sums))
      }
    }
    return models
  }

  private static func budgets(
    of server: any RunningServer, at now: Timestamp
  ) -> [BudgetFigures] {
    let ids = server.readBudgets { $0.definitions.map(\.id) }
    var figures: [BudgetFigures] = []
    for start in stride(from: 0, to: ids.count, by: budgetBatch) {
      let batch = ids[start..<min(start + budgetBatch, ids.count)]
      figures += server.readBudgets { budgets in
        batch.compactMap { try? budgets.status(of: $0, at: now) }.map { BudgetFigures($0) }
      }
    }
    return figures.sorted { $0.id < $1.id }
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
