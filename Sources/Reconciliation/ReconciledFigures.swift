internal import JSON
internal import Ledger
internal import Pricing
internal import Time

/// The subject of figures: a day in UTC, and a model, or all models together.
struct ReconciledSubject: Hashable, Comparable {
  let day: CivilDate
  let model: String?

  static func < (left: ReconciledSubject, right: ReconciledSubject) -> Bool {
    (left.day, left.model ?? "") < (right.day, right.model ?? "")
  }
}

/// Figures by what they are about.
struct ReconciledFigures {
  private(set) var counts: [ReconciledSubject: ReconciledCounts] = [:]
  /// Further facts about the recorded rows.
  private(set) var particulars: [ReconciledSubject: Particulars] = [:]

  /// The facts that can make rows differ from a provider's report.
  struct Particulars: Hashable {
    var estimatedRows: Int64 = 0
    /// Calls of tools, of every kind.
    var calls: Int64 = 0
    /// Those of rows that don't say which kinds they are of.
    var unknownCalls: Int64 = 0
    /// Rows whose cost can't be divided, because no prices are recorded for them.
    var undividedRows: Int64 = 0
    /// The rates that the lines of the provider's bill name.
    var rates: Set<BillLineItem.Rate> = []
  }

  mutating func add(_ count: Int64, of quantity: ReconciledQuantity, _ subject: ReconciledSubject) {
    let before = counts[subject, default: [:]][quantity] ?? 0
    counts[subject, default: [:]][quantity] = before.addingSaturated(count)
  }

  mutating func note(
    estimatedRows: Int64 = 0, calls: Int64 = 0, unknownCalls: Int64 = 0,
    _ subject: ReconciledSubject
  ) {
    guard estimatedRows > 0 || calls > 0 else { return }
    particulars[subject, default: Particulars()].estimatedRows += estimatedRows
    particulars[subject, default: Particulars()].calls += calls
    particulars[subject, default: Particulars()].unknownCalls += unknownCalls
  }

  mutating func note(_ rate: BillLineItem.Rate, _ subject: ReconciledSubject) {
    particulars[subject, default: Particulars()].rates.insert(rate)
  }

  mutating func note(undividedRows: Int64, _ subject: ReconciledSubject) {
    particulars[subject, default: Particulars()].undividedRows += undividedRows
  }
}

/// The names of a provider's models in figures: those of the price book, so that an alias and the
/// snapshot that it stands for are one.
struct ReconciledModels {
  let book: PriceBook
  let provider: String

  /// Digits of a date at the end of a snapshot's name: `-2024-07-18`.
  private static let dateLength = "-2024-07-18".count

  func name(of model: String) -> String { knownName(of: model) ?? model }

  /// The price book's name of the model that a line of a bill is for; nil if it is for something
  /// else.
  func name(of item: BillLineItem) -> String? { item.model.flatMap(knownName) }

  private func knownName(of model: String) -> String? {
    (book.model(model, of: provider) ?? undated(model))?.name
  }

  private func undated(_ model: String) -> PricedModel? {
    let date = model.suffix(ReconciledModels.dateLength)
    guard date.first == "-", CivilDate(String(date.dropFirst())) != nil else { return nil }
    return book.model(String(model.dropLast(ReconciledModels.dateLength)), of: provider)
  }
}

extension ReconciledFigures {
  /// The recorded figures that the provider also reports.
  ///
  /// - Parameter priceRecords: The records of the rows' prices, by version.
  init(
    _ uses: [ProviderUse], priceRecords: [String: String] = [:], _ models: ReconciledModels,
    of report: OrganizationReport.Answer
  ) {
    var costs = ExactCosts()
    let withCosts = !report.unknownParts.contains(where: \.isOfCosts)
    let toolCalls = report.knownToolCalls
    let daysOfCalls = report.daysOfCallsWithoutModel
    for use in uses {
      let name = models.name(of: use.responseModel ?? use.model)
      let subject = ReconciledSubject(day: use.day, model: name)
      let all = ReconciledSubject(day: use.day, model: nil)
      add(use.requests, of: .requests, subject)
      let parts = DividedUse(use, priceRecord: use.priceVersion.flatMap { priceRecords[$0] })
      for part in parts.parts {
        let subject = ReconciledSubject(
          day: use.day, model: part.model.map { models.name(of: $0) } ?? name)
        add(part.inputTokens, of: .inputTokens, subject)
        add(part.cachedTokens, of: .cachedTokens, subject)
        add(part.outputTokens, of: .outputTokens, subject)
        guard withCosts else { continue }
        costs.add(part.costs, subject)
        if part.model != nil { costs.add([.cost: part.cost], subject) }
      }
      add(use.characters, of: .characters, subject)
      add((use.audioMilliseconds + 500) / 1_000, of: .seconds, subject)
      add(use.images, of: .images, subject)
      let kinds = ReconciledFigures.calls(use.toolCalls)
      for (quantity, count) in kinds where toolCalls.contains(quantity) {
        let isOfModel = quantity == .webSearches && !daysOfCalls.contains(use.day)
        add(
          Int64(clamping: Int128(count) * Int128(use.rows)), of: quantity,
          isOfModel ? subject : all)
      }
      for subject in [subject, all] {
        note(
          estimatedRows: use.estimatedRows, calls: use.calls,
          unknownCalls: use.toolCalls == nil ? use.calls : 0, subject)
      }
      guard withCosts else { continue }
      costs.add(parts.toolCosts, all)
      costs.add([.cost: parts.costOfAnsweringModel(use)], subject)
      if !parts.isDivided, use.providerCostNanoUSD > 0 {
        for subject in [subject, all] { note(undividedRows: use.rows, subject) }
      }
      add(use.requests, of: .requests, all)
      add(use.providerCostNanoUSD, of: .cost, all)
    }
    add(costs)
  }

  /// Of a row's `tool_calls`, those of which a provider reports something.
  private static func calls(_ text: String?) -> ReconciledCounts {
    guard let text, let kinds = try? JSONParser().parse(Array(text.utf8)) else { return [:] }
    var calls: ReconciledCounts = [:]
    for member in kinds.members {
      guard let quantity = member.key.string.flatMap(ReconciledQuantity.init(callsOf:)),
        let count = member.value.integer
      else { continue }
      calls[quantity] = (calls[quantity] ?? 0).addingSaturated(count)
    }
    return calls
  }

  /// The provider's figures.
  init(_ report: OrganizationReport.Answer, _ models: ReconciledModels) {
    let daysOfCalls = report.daysOfCallsWithoutModel
    for result in report.usage {
      let name = result.model.map { models.name(of: $0) } ?? ReconciledFigures.unnamed
      for (quantity, count) in result.counts {
        let isOfDay =
          quantity.isOfDayAlone || quantity == .webSearches && daysOfCalls.contains(result.day)
        add(
          count, of: quantity, ReconciledSubject(day: result.day, model: isOfDay ? nil : name))
      }
    }
    for (day, results) in Dictionary(grouping: report.costs, by: \.day) {
      for result in results {
        add(result.counts[.cost] ?? 0, of: .cost, ReconciledSubject(day: day, model: nil))
      }
      addBill(results, on: day, models)
    }
  }

  /// A result that doesn't say its model.
  private static let unnamed = "(unnamed)"
}

extension OrganizationReport.Answer {
  /// On which days the provider doesn't say for which models was searched.
  fileprivate var daysOfCallsWithoutModel: Set<CivilDate> {
    Set(usage.filter { $0.model == nil && $0.counts[.webSearches] != nil }.map(\.day))
  }
}

extension ReconciledQuantity {
  /// Whether a provider tells it of days, without their models.
  fileprivate var isOfDayAlone: Bool { self == .fileSearches || self == .containerSessions }
}
