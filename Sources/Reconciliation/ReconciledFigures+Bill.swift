internal import Money
internal import Time

extension ReconciledFigures {
  /// Adds the costs of a provider's bill of one day, by model and by what its lines charge.
  mutating func addBill(
    _ results: [UsagePage.Result], on day: CivilDate, _ models: ReconciledModels
  ) {
    let lines = results.map { result in
      BillLine(
        item: BillLineItem(result.lineItem ?? ""), cost: result.counts[.cost] ?? 0, models)
    }
    addParts(lines, on: day)
    // Where a line is for no model, the others don't say what models cost.
    guard lines.allSatisfy({ $0.model != nil }) else { return }
    for line in lines {
      add(line.cost, of: .cost, ReconciledSubject(day: day, model: line.model))
    }
  }

  /// Adds the parts of costs.
  ///
  /// A model's parts are known if each of its lines names one. A tool without a line costs nothing
  /// if each line of the day is for a model or a tool; otherwise its cost is unknown.
  private mutating func addParts(_ lines: [BillLine], on day: CivilDate) {
    let undivided = Set(lines.filter { $0.item.charge == nil }.compactMap(\.model))
    for line in lines {
      guard let charge = line.item.charge, line.isKnown else { continue }
      if let model = line.model, undivided.contains(model) { continue }
      let subject = ReconciledSubject(day: day, model: line.model)
      add(line.cost, of: charge, subject)
      if line.item.rate != .usual { note(line.item.rate, subject) }
    }
    guard lines.allSatisfy(\.isKnown) else { return }
    for charge in ReconciledQuantity.costsOfTools {
      add(0, of: charge, ReconciledSubject(day: day, model: nil))
    }
  }

  /// Adds exact costs, each rounded up once.
  mutating func add(_ costs: ExactCosts) {
    for (subject, parts) in costs.sums {
      for (charge, cost) in parts {
        add(cost.roundedUp(in: .usd, rate: .one)?.nanoUnits ?? .max, of: charge, subject)
      }
    }
  }

  /// Sums of costs before they are rounded.
  struct ExactCosts {
    private(set) var sums: [ReconciledSubject: DividedUse.Costs] = [:]

    mutating func add(_ parts: DividedUse.Costs, _ subject: ReconciledSubject) {
      for (charge, cost) in parts { sums[subject, default: [:]][charge, default: .zero] += cost }
    }
  }
}

/// A line of a day's bill.
private struct BillLine {
  let item: BillLineItem
  let cost: Int64
  /// As the price book calls it; nil if the line is for none that the book has.
  let model: String?

  init(item: BillLineItem, cost: Int64, _ models: ReconciledModels) {
    self.item = item
    self.cost = cost
    model = models.name(of: item)
  }

  /// Whether the line is for a known model or tool.
  var isKnown: Bool {
    model != nil || item.charge.map(ReconciledQuantity.costsOfTools.contains) == true
  }
}
