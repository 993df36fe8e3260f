internal import Ledger
internal import Pricing
internal import Time

/// What figures are about: a day in UTC, and a model, or all models together.
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

  mutating func add(_ count: Int64, of quantity: ReconciledQuantity, _ subject: ReconciledSubject) {
    let before = counts[subject, default: [:]][quantity] ?? 0
    counts[subject, default: [:]][quantity] = before.addingSaturated(count)
  }
}

/// What a provider's models are called in figures: as the price book calls them, so that an alias
/// and the snapshot that it stands for are one.
struct ReconciledModels {
  let book: PriceBook
  let provider: String

  /// Digits of a date at the end of a snapshot's name: `-2024-07-18`.
  private static let dateLength = "-2024-07-18".count

  func name(of model: String) -> String { knownName(of: model) ?? model }

  /// The model that a line of a bill is for, such as `gpt-4o-mini-2024-07-18, input`; nil where it
  /// is for something else.
  func name(ofLineItem item: String) -> String? {
    item.split(separator: ",").first.flatMap { knownName(of: String($0)) }
  }

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
  /// What we recorded.
  init(_ uses: [ProviderUse], _ models: ReconciledModels, withCosts: Bool) {
    for use in uses {
      let name = models.name(of: use.responseModel ?? use.model)
      let subject = ReconciledSubject(day: use.day, model: name)
      let all = ReconciledSubject(day: use.day, model: nil)
      add(use.requests, of: .requests, subject)
      add(use.inputTokens, of: .inputTokens, subject)
      add(use.cachedTokens, of: .cachedTokens, subject)
      add(use.outputTokens, of: .outputTokens, subject)
      add(use.characters, of: .characters, subject)
      add((use.audioMilliseconds + 500) / 1_000, of: .seconds, subject)
      add(use.images, of: .images, subject)
      guard withCosts else { continue }
      add(use.requests, of: .requests, all)
      add(use.providerCostNanoUSD, of: .cost, subject)
      add(use.providerCostNanoUSD, of: .cost, all)
    }
  }

  /// What the provider reports.
  init(_ report: OrganizationReport.Answer, _ models: ReconciledModels) {
    for result in report.usage {
      let name = result.model.map { models.name(of: $0) } ?? ReconciledFigures.unnamed
      let subject = ReconciledSubject(day: result.day, model: name)
      for (quantity, count) in result.counts { add(count, of: quantity, subject) }
    }
    for (day, results) in Dictionary(grouping: report.costs, by: \.day) {
      for result in results {
        add(result.counts[.cost] ?? 0, of: .cost, ReconciledSubject(day: day, model: nil))
      }
      let names = results.map { $0.lineItem.flatMap { models.name(ofLineItem: $0) } }
      // Where a line is for no model, the others don't say what models cost.
      guard names.allSatisfy({ $0 != nil }) else { continue }
      for (name, result) in zip(names, results) {
        add(result.counts[.cost] ?? 0, of: .cost, ReconciledSubject(day: day, model: name))
      }
    }
  }

  /// A result that doesn't say its model.
  private static let unnamed = "(unnamed)"
}
