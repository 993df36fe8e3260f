internal import Ledger
internal import Time

/// The likely reason why two sides' figures differ. Programs read the raw value, people the words.
public enum DifferenceReason: String, CaseIterable, Comparable, Sendable {
  case reportIncomplete = "report_incomplete"
  case dayEdge = "day_edge"
  case otherName = "other_name"
  case useElsewhere = "use_elsewhere"
  case notCounted = "not_counted"
  case estimated
  case countsDiffer = "counts_differ"
  case callsOfUnknownKind = "calls_of_unknown_kind"
  case searchesAssumed = "searches_assumed"
  case sharedContainers = "shared_containers"
  case toolsElsewhere = "tools_elsewhere"
  case useDiffers = "use_differs"
  case otherLine = "other_line"
  case regionalPrice = "regional_price"
  case halfPrice = "half_price"
  case windowPrice = "window_price"
  case priorityPrice = "priority_price"
  case toolPrice = "tool_price"
  case priceDiffers = "price_differs"

  public static func < (left: DifferenceReason, right: DifferenceReason) -> Bool {
    left.position < right.position
  }

  private var position: Int { DifferenceReason.allCases.firstIndex(of: self) ?? 0 }

  /// The explanation for people.
  public var words: String {
    switch self {
    case .reportIncomplete:
      "the provider's report of this day isn't complete yet; compare again tomorrow"
    case .dayEdge:
      "the day beside it differs by as much the other way: requests around midnight, which the "
        + "provider counts on another day"
    case .otherName:
      "the provider calls the model otherwise: another model of this day differs by as much the "
        + "other way; an alias is missing in the pricing file"
    case .useElsewhere:
      "the account is used outside of Catraca too, with another key or through an endpoint that "
        + "it doesn't meter"
    case .notCounted:
      "the provider doesn't count all of these requests: they failed there, or they belong to "
        + "another account or project than that of the admin key"
    case .estimated:
      "some of these requests have no reported usage, as they were broken off or interrupted, and "
        + "were estimated"
    case .countsDiffer: "the same requests, but other counts"
    case .callsOfUnknownKind:
      "rows of earlier releases have calls of tools without their kinds, which can't be compared"
    case .searchesAssumed:
      "the answer of a chat doesn't say how often it searched: one search for each request that "
        + "could is assumed"
    case .sharedContainers:
      "several responses in one container are one session for the provider, and one each here"
    case .toolsElsewhere:
      "tools are called outside of Catraca too, or in answers that were broken off"
    case .otherLine:
      "another part of the same cost differs by as much the other way: the provider bills it under "
        + "another line"
    case .useDiffers: "the use differs, and so its cost does: see the other figures of this day"
    case .regionalPrice:
      "a tenth more: a regional endpoint or data residency, for which the provider needs a "
        + "price_factor"
    case .halfPrice:
      "half of the price: the tier flex or batch was used, and the model has no price for it"
    case .windowPrice:
      "the price of a completion window (2h: 70 %, 8h: 60 %), which the model has no price for"
    case .priorityPrice:
      "a multiple of the price: the tier priority, or the price of long contexts, is missing"
    case .toolPrice:
      "tools were called, and the bill is higher: a surcharge or the price of a container is "
        + "missing or too low"
    case .priceDiffers: "the price differs: catraca pricing diff compares it with other lists"
    }
  }
}

/// Finds the likely reason of each figure that differs, from what differs with it.
struct ReasonFinder {
  let ours: ReconciledFigures
  let theirs: ReconciledFigures
  /// The day that hasn't ended yet, in UTC.
  let today: CivilDate

  func reason(for figure: ComparedFigure) -> DifferenceReason {
    if isUnfinished(figure) { return .reportIncomplete }
    if figure.quantity.isCost { return reasonOfCost(figure) }
    if hasOpposite(figure, beside: true) { return .dayEdge }
    if hasOpposite(figure, beside: false) { return .otherName }
    if ReconciledQuantity.ofTools.contains(figure.quantity) { return reasonOfCalls(figure) }
    let requests = difference(of: .requests, figure.subject)
    if figure.difference < 0 && requests < 0 { return .useElsewhere }
    if figure.difference > 0 && requests > 0 { return .notCounted }
    return particulars(figure).estimatedRows > 0 ? .estimated : .countsDiffer
  }

  /// Usage is told some minutes after it, costs some hours after their day has ended.
  private func isUnfinished(_ figure: ComparedFigure) -> Bool {
    let patience = figure.quantity.isCost ? 1 : 0
    return figure.difference > 0
      && figure.subject.day.daysSinceEpoch + patience >= today.daysSinceEpoch
  }

  private func particulars(_ figure: ComparedFigure) -> ReconciledFigures.Particulars {
    ours.particulars[figure.subject] ?? ReconciledFigures.Particulars()
  }

  private func difference(
    of quantity: ReconciledQuantity, _ subject: ReconciledSubject
  ) -> Int64 {
    let our = ours.counts[subject]?[quantity] ?? 0
    return our.addingSaturated(-(theirs.counts[subject]?[quantity] ?? 0))
  }

  /// Whether the same of a day beside it, or of another model, differs by as much the other way.
  private func hasOpposite(_ figure: ComparedFigure, beside: Bool) -> Bool {
    let day = figure.subject.day.daysSinceEpoch
    let others = Set(ours.counts.keys).union(theirs.counts.keys).filter { other in
      if beside {
        return other.model == figure.subject.model && abs(other.day.daysSinceEpoch - day) == 1
      }
      // A name that only one side has.
      return other.day == figure.subject.day && other.model != nil && figure.subject.model != nil
        && other.model != figure.subject.model
        && (figure.ours == 0 || figure.theirs == 0)
        && (ours.counts[other]?[figure.quantity] == nil
          || theirs.counts[other]?[figure.quantity] == nil)
    }
    return others.contains { difference(of: figure.quantity, $0) == -figure.difference }
  }

  private func reasonOfCalls(_ figure: ComparedFigure) -> DifferenceReason {
    if figure.difference < 0 {
      return particulars(figure).unknownCalls > 0 ? .callsOfUnknownKind : .toolsElsewhere
    }
    switch figure.quantity {
    case .webSearches: return .searchesAssumed
    case .containerSessions: return .sharedContainers
    default: return .notCounted
    }
  }

  // MARK: Costs

  private func reasonOfCost(_ figure: ComparedFigure) -> DifferenceReason {
    if useDiffers(figure) { return .useDiffers }
    if isOnAnotherLine(figure) { return .otherLine }
    for (ratio, reason) in ReasonFinder.ratios where figure.isAbout(ratio) { return reason }
    if let reason = reasonOfLines(figure) { return reason }
    let isOfTools =
      figure.quantity == .cost
      ? particulars(figure).calls > 0
      : ReconciledQuantity.costsOfTools.contains(figure.quantity)
    return figure.difference < 0 && isOfTools ? .toolPrice : .priceDiffers
  }

  /// Whether other parts of the cost make up for the difference.
  private func isOnAnotherLine(_ figure: ComparedFigure) -> Bool {
    let parts =
      ReconciledQuantity.costsOfModels.contains(figure.quantity)
      ? ReconciledQuantity.costsOfModels : ReconciledQuantity.costsOfTools
    return figure.quantity != .cost
      && parts.contains {
        $0 != figure.quantity
          && difference(of: $0, figure.subject) == -figure.difference
      }
  }

  /// The reason that the names of the bill's lines, or the lack of recorded prices, give for a part
  /// of a cost.
  private func reasonOfLines(_ figure: ComparedFigure) -> DifferenceReason? {
    let rates = theirs.particulars[figure.subject]?.rates ?? []
    if figure.difference < 0, rates.contains(.dear) { return .priorityPrice }
    if figure.difference > 0, rates.contains(.cheap) { return .halfPrice }
    let isPart = figure.quantity != .cost
    return isPart && particulars(figure).undividedRows > 0 ? .estimated : nil
  }

  /// In hundredths, theirs to ours.
  private static let ratios: [(Int64, DifferenceReason)] = [
    (110, .regionalPrice), (50, .halfPrice), (70, .windowPrice), (60, .windowPrice),
    (150, .priorityPrice), (175, .priorityPrice), (200, .priorityPrice), (250, .priorityPrice),
    (600, .priorityPrice),
  ]

  /// Whether anything of what the cost is for differs enough to make up for most of its difference.
  private func useDiffers(_ figure: ComparedFigure) -> Bool {
    let subjects = Set(ours.counts.keys).union(theirs.counts.keys).filter {
      $0.day == figure.subject.day
        && (figure.subject.model == nil || $0.model == figure.subject.model)
    }
    return subjects.contains { subject in
      let our = ours.counts[subject] ?? [:]
      let reported = theirs.counts[subject] ?? [:]
      var quantities = Set(reported.keys.filter { !$0.isCost })
      if figure.quantity != .cost {
        let counts = Set(figure.quantity.pricedCounts)
        quantities = Set(our.keys).union(reported.keys).intersection(counts)
          .filter { reported[$0] != nil || ReconciledQuantity.ofTools.contains($0) }
      } else if subject.model != nil && quantities.isEmpty && (our[.requests] ?? 0) > 0 {
        quantities = [.requests]
      }
      return quantities.contains { quantity in
        let count = ComparedFigure(
          subject: subject, quantity: quantity, ours: our[quantity] ?? 0,
          theirs: reported[quantity] ?? 0)
        return count.difference != 0 && count.perMille >= figure.perMille / 2
      }
    }
  }
}

extension ComparedFigure {
  /// Whether theirs is this number of hundredths of ours, or within half a hundredth of it.
  fileprivate func isAbout(_ hundredths: Int64) -> Bool {
    let expected = Int128(ours) * Int128(hundredths) * 2
    let distance = (Int128(theirs) * 200 - expected).magnitude
    return ours > 0 && distance <= Int128(ours).magnitude
  }
}
