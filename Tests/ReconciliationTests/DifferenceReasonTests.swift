import Testing
import Time

@testable import Reconciliation

/// One line a reason: what both sides say, and why they most likely differ.
@Suite struct DifferenceReasonTests {
  typealias Figures = [(day: Int, model: String?, quantity: ReconciledQuantity, count: Int64)]

  /// Facts about our rows beside their counts.
  struct Particulars {
    var estimatedRows: Int64 = 0
    var calls: Int64 = 0
    var unknownCalls: Int64 = 0
  }

  struct Case: CustomTestStringConvertible {
    let reason: DifferenceReason
    let quantity: ReconciledQuantity
    var ours: Figures
    var theirs: Figures
    var particulars = Particulars()
    var today = 30

    var testDescription: String { "\(reason) \(quantity)" }
  }

  private static func costs(_ ours: Int64, _ theirs: Int64) -> (Figures, Figures) {
    (
      [(1, "m", .requests, 10), (1, "m", .cost, ours)],
      [(1, "m", .requests, 10), (1, "m", .cost, theirs)]
    )
  }

  private static func price(
    _ reason: DifferenceReason, theirs: Int64, ours: Int64 = 100_000,
    _ particulars: Particulars = Particulars()
  ) -> Case {
    let (our, their) = costs(ours, theirs)
    return Case(
      reason: reason, quantity: .cost, ours: our, theirs: their, particulars: particulars)
  }

  static let cases: [Case] = [
    Case(
      reason: .reportIncomplete, quantity: .requests, ours: [(30, "m", .requests, 10)],
      theirs: [(30, "m", .requests, 7)]),
    Case(
      reason: .reportIncomplete, quantity: .cost,
      ours: [(29, "m", .requests, 10), (29, "m", .cost, 500)],
      theirs: [(29, "m", .requests, 10), (29, "m", .cost, 200)]),
    Case(
      reason: .dayEdge, quantity: .inputTokens,
      ours: [(1, "m", .inputTokens, 110), (2, "m", .inputTokens, 190)],
      theirs: [(1, "m", .inputTokens, 100), (2, "m", .inputTokens, 200)]),
    Case(
      reason: .otherName, quantity: .requests, ours: [(1, "m", .requests, 10)],
      theirs: [(1, "n", .requests, 10)]),
    Case(
      reason: .useElsewhere, quantity: .requests, ours: [(1, "m", .requests, 10)],
      theirs: [(1, "m", .requests, 12)]),
    Case(
      reason: .useElsewhere, quantity: .outputTokens,
      ours: [(1, "m", .requests, 10), (1, "m", .outputTokens, 50)],
      theirs: [(1, "m", .requests, 12), (1, "m", .outputTokens, 60)]),
    Case(
      reason: .notCounted, quantity: .requests, ours: [(1, "m", .requests, 12)],
      theirs: [(1, "m", .requests, 10)]),
    Case(
      reason: .estimated, quantity: .outputTokens,
      ours: [(1, "m", .requests, 10), (1, "m", .outputTokens, 50)],
      theirs: [(1, "m", .requests, 10), (1, "m", .outputTokens, 40)],
      particulars: Particulars(estimatedRows: 1)),
    Case(
      reason: .countsDiffer, quantity: .seconds,
      ours: [(1, "m", .requests, 10), (1, "m", .seconds, 50)],
      theirs: [(1, "m", .requests, 10), (1, "m", .seconds, 60)]),
    Case(
      reason: .callsOfUnknownKind, quantity: .webSearches,
      ours: [(1, "m", .requests, 1)],
      theirs: [(1, "m", .requests, 1), (1, "m", .webSearches, 3)],
      particulars: Particulars(calls: 3, unknownCalls: 3)),
    Case(
      reason: .searchesAssumed, quantity: .webSearches,
      ours: [(1, "m", .requests, 3), (1, "m", .webSearches, 3)],
      theirs: [(1, "m", .requests, 3), (1, "m", .webSearches, 2)]),
    Case(
      reason: .sharedContainers, quantity: .containerSessions,
      ours: [(1, nil, .containerSessions, 3)], theirs: [(1, nil, .containerSessions, 2)]),
    Case(
      reason: .toolsElsewhere, quantity: .fileSearches,
      ours: [(1, nil, .fileSearches, 2)], theirs: [(1, nil, .fileSearches, 3)]),
    Case(
      reason: .notCounted, quantity: .fileSearches,
      ours: [(1, nil, .fileSearches, 3)], theirs: [(1, nil, .fileSearches, 2)]),
    Case(
      reason: .useDiffers, quantity: .cost,
      ours: [(1, "m", .requests, 10), (1, "m", .cost, 1_000)],
      theirs: [(1, "m", .requests, 11), (1, "m", .cost, 1_100)]),
    Case(
      reason: .useDiffers, quantity: .outputCost,
      ours: [(1, "m", .outputTokens, 10), (1, "m", .outputCost, 1_000)],
      theirs: [(1, "m", .outputTokens, 11), (1, "m", .outputCost, 1_100)]),
    Case(
      reason: .otherLine, quantity: .cachedInputCost,
      ours: [(1, "m", .inputCost, 800), (1, "m", .cachedInputCost, 200)],
      theirs: [(1, "m", .inputCost, 1_000)]),
    Case(
      reason: .windowPrice, quantity: .outputCost,
      ours: [(1, "m", .inputTokens, 10), (1, "m", .outputTokens, 5), (1, "m", .outputCost, 1_000)],
      theirs: [(1, "m", .inputTokens, 99), (1, "m", .outputTokens, 5), (1, "m", .outputCost, 700)]),
    Case(
      reason: .toolPrice, quantity: .containerCost,
      ours: [(1, nil, .containerSessions, 2), (1, nil, .containerCost, 30)],
      theirs: [(1, nil, .containerSessions, 2), (1, nil, .containerCost, 480)]),
    price(.regionalPrice, theirs: 110_000), price(.regionalPrice, theirs: 110_400),
    price(.halfPrice, theirs: 50_000), price(.windowPrice, theirs: 70_000),
    price(.windowPrice, theirs: 60_000), price(.priorityPrice, theirs: 200_000),
    price(.priorityPrice, theirs: 600_000), price(.priceDiffers, theirs: 123_000),
    price(.priceDiffers, theirs: 111_000), price(.priceDiffers, theirs: 500, ours: 0),
    price(.toolPrice, theirs: 123_000, Particulars(calls: 2)),
    price(.priceDiffers, theirs: 93_000, Particulars(calls: 2)),
  ]

  private static func day(_ day: Int) -> CivilDate {
    CivilDate("2026-11-\(day < 10 ? "0" : "")\(day)")!
  }

  private static func figures(_ counts: Figures, _ particulars: Particulars? = nil)
    -> ReconciledFigures
  {
    var figures = ReconciledFigures()
    for (day, model, quantity, count) in counts {
      let subject = ReconciledSubject(day: self.day(day), model: model)
      figures.add(count, of: quantity, subject)
      guard let particulars, figures.particulars[subject] == nil else { continue }
      figures.note(
        estimatedRows: particulars.estimatedRows, calls: particulars.calls,
        unknownCalls: particulars.unknownCalls, subject)
    }
    return figures
  }

  @Test("A difference names its likely reason", arguments: cases)
  func reasons(_ one: Case) throws {
    let comparison = UsageComparison(
      ours: Self.figures(one.ours, one.particulars), theirs: Self.figures(one.theirs),
      threshold: 1, today: Self.day(one.today))
    let found = comparison.differences.filter { $0.figure.quantity == one.quantity }
    #expect(!found.isEmpty && found.allSatisfy { $0.reason == one.reason }, "\(found)")
  }

  @Test("Each reason is shown by a case, and has words of its own")
  func all() {
    let shown = Set(Self.cases.map(\.reason))
    #expect(shown == Set(DifferenceReason.allCases))
    #expect(Set(DifferenceReason.allCases.map(\.words)).count == DifferenceReason.allCases.count)
  }
}
