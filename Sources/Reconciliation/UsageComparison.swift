public import Ledger
public import Pricing
public import Time

/// Two sides' figures about the same, one beside the other.
public struct ComparedFigure: Hashable, Sendable {
  let subject: ReconciledSubject
  public let quantity: ReconciledQuantity
  /// The recorded figure.
  public let ours: Int64
  /// The provider's figure.
  public let theirs: Int64

  /// The day in UTC.
  public var day: CivilDate { subject.day }
  /// The price book's name of the model; nil for all models together.
  public var model: String? { subject.model }

  /// `ours` minus `theirs`, or the nearest representable number.
  public var difference: Int64 {
    let (difference, overflows) = ours.subtractingReportingOverflow(theirs)
    return overflows ? (ours < theirs ? .min : .max) : difference
  }

  /// In tenths of a percent of theirs, rounded up; of ours where they have nothing.
  public var perMille: Int64 {
    let base = UInt128((theirs == 0 ? ours : theirs).magnitude)
    guard base > 0 else { return 0 }
    let (quotient, rest) = (UInt128(difference.magnitude) * 1_000)
      .quotientAndRemainder(dividingBy: base)
    return Int64(clamping: quotient + (rest > 0 ? 1 : 0))
  }
}

/// Compares what we recorded with what a provider reports.
///
/// A model's quantities are those that the provider reports of it; where it reports nothing of a
/// model, the requests are compared. Costs are compared by day, and by model on days whose costs
/// the provider states by model. Parts of costs, such as that of a model's output or of searches,
/// are compared where the provider's bill states them. Calls of tools are compared where either
/// side has any.
public struct UsageComparison: Sendable {
  /// All compared figures, in the order of days and models.
  public let figures: [ComparedFigure]
  /// Those that differ by more than the threshold, each with its likely reason.
  public let differences: [Difference]

  /// A figure that differs by more than the threshold.
  public struct Difference: Hashable, Sendable {
    public let figure: ComparedFigure
    public let reason: DifferenceReason
  }

  /// Compares recorded rows with a provider's report.
  ///
  /// - Parameters:
  ///   - priceRecords: the records of the rows' prices, by version.
  ///   - book: the prices that know the provider's models by their names and aliases.
  ///   - threshold: in percent; a difference must be larger to count.
  ///   - today: the day that hasn't ended yet, in UTC.
  public init(
    _ uses: [ProviderUse], priceRecords: [String: String],
    with report: OrganizationReport.Answer, of provider: String, book: PriceBook,
    threshold: Int64, today: CivilDate
  ) {
    let models = ReconciledModels(book: book, provider: provider)
    self.init(
      ours: ReconciledFigures(uses, priceRecords: priceRecords, models, of: report),
      theirs: ReconciledFigures(report, models), threshold: threshold, today: today)
  }

  init(
    ours: ReconciledFigures, theirs: ReconciledFigures, threshold: Int64, today: CivilDate
  ) {
    let subjects = Set(ours.counts.keys).union(theirs.counts.keys).sorted()
    figures = subjects.flatMap { subject in
      let our = ours.counts[subject] ?? [:]
      let their = theirs.counts[subject]
      let quantities = UsageComparison.quantities(our, their, subject)
      return quantities.map {
        ComparedFigure(
          subject: subject, quantity: $0, ours: our[$0] ?? 0, theirs: their?[$0] ?? 0)
      }
    }
    let finder = ReasonFinder(ours: ours, theirs: theirs, today: today)
    differences = figures.filter { figure in
      // Each of our costs is rounded up to the next nano-unit.
      let requests = ours.counts[figure.subject]?[.requests] ?? 0
      let rounding = figure.quantity.isCost ? max(requests, 1) : 0
      return figure.difference.magnitude > rounding.magnitude
        && figure.perMille > threshold * 10
    }.map { Difference(figure: $0, reason: finder.reason(for: $0)) }
  }

  private static func quantities(
    _ our: ReconciledCounts, _ their: ReconciledCounts?, _ subject: ReconciledSubject
  ) -> [ReconciledQuantity] {
    let toolCalls = ReconciledQuantity.ofTools.filter {
      (our[$0] ?? 0) > 0 || (their?[$0] ?? 0) > 0
    }
    var cost: [ReconciledQuantity] = their?[.cost] == nil ? [] : [.cost]
    if subject.model == nil {
      if our[.cost] != nil { cost = [.cost] }
      let parts = ReconciledQuantity.costsOfTools.filter { their?[$0] != nil }
      return toolCalls + cost + parts.filter { (our[$0] ?? 0) > 0 || their?[$0] != 0 }
    }
    cost += costs(our, their)
    let usage = (their ?? [:]).keys
      .filter { !$0.isCost && !ReconciledQuantity.ofTools.contains($0) }.sorted()
    guard usage.isEmpty else { return usage + toolCalls + cost }
    return ((our[.requests] ?? 0) > 0 ? [.requests] : []) + toolCalls + cost
  }

  /// The parts of a model's cost, if the provider's bill states any of them.
  private static func costs(
    _ our: ReconciledCounts, _ their: ReconciledCounts?
  ) -> [ReconciledQuantity] {
    guard let their, ReconciledQuantity.costsOfModels.contains(where: { their[$0] != nil }) else {
      return []
    }
    return ReconciledQuantity.costsOfModels.filter { (our[$0] ?? 0) > 0 || their[$0] != nil }
  }
}
