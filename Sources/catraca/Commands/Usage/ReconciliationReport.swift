internal import JSON
internal import Reconciliation
internal import Time

/// The report of a comparison: for people, for programs, and for an alert.
struct ReconciliationReport {
  private let comparison: UsageComparison
  private let provider: String
  private let days: ClosedRange<CivilDate>
  private let threshold: Int64

  init(
    _ comparison: UsageComparison, provider: String, days: ClosedRange<CivilDate>, threshold: Int64
  ) {
    self.comparison = comparison
    self.provider = provider
    self.days = days
    self.threshold = threshold
  }

  private static let columns = [
    Table.Column("day", "Day"), Table.Column("model", "Model"),
    Table.Column("quantity", "Quantity"), Table.Column("ours", "Ours"),
    Table.Column("theirs", "Theirs"), Table.Column("difference", "Difference"),
    Table.Column("difference_percent", "%"), Table.Column("reason", "Reason"),
  ]

  /// Those that were found, each once.
  private var reasons: [DifferenceReason] {
    Set(comparison.differences.map(\.reason)).sorted()
  }

  var document: Document {
    let reasons = reasons
    var table = Table(ReconciliationReport.columns, emptyText: "")
    for difference in comparison.differences { table.append(difference.row) }
    let sections: [Document.Section] =
      comparison.differences.isEmpty
      ? [.lines(["ok: \(summary)"])]
      : [.table(table), .lines(reasons.map { "\($0.rawValue): \($0.words)" } + ["", summary])]
    return Document(sections: sections, table: table) { [self, table, reasons] writer in
      writer.object { object in
        object.member("provider", provider)
        object.member("from", days.lowerBound.description)
        object.member("to", days.upperBound.description)
        object.member("threshold_percent", threshold)
        object.member("compared", Int64(comparison.figures.count))
        object.member("differences") { $0.rows(table) }
        object.member("reasons") { member in
          member.object { words in
            for reason in reasons { words.member(reason.rawValue, reason.words) }
          }
        }
      }
    }
  }

  private var span: String {
    days.lowerBound == days.upperBound
      ? "\(days.lowerBound)" : "\(days.lowerBound) to \(days.upperBound)"
  }

  private var summary: String {
    let compared =
      "\(provider), \(span): \(CheckCommand.counted(comparison.figures.count, "figure"))"
    let differing = comparison.differences.isEmpty ? "none" : "\(comparison.differences.count)"
    return "\(compared) compared, \(differing) differing by more than \(threshold) %"
  }

  /// The most differences that an alert names.
  private static let mostNamed = 3

  var sentence: String {
    let named = comparison.differences.prefix(ReconciliationReport.mostNamed)
      .map { "\($0.figure.day) \($0.figure.words) (\($0.reason.rawValue))" }
    let rest = comparison.differences.count - named.count
    let more = rest > 0 ? "; and \(rest) more" : ""
    return "\(summary): \(named.joined(separator: "; "))\(more)"
  }
}

extension UsageComparison.Difference {
  fileprivate var row: [Cell] {
    [
      .text("\(figure.day)"), .optional(figure.model),
      .text(figure.quantity.rawValue), figure.cell(figure.ours), figure.cell(figure.theirs),
      figure.cell(figure.difference), .tenths(figure.perMille), .text(reason.rawValue),
    ]
  }
}

extension ComparedFigure {
  /// `gpt-4o-mini requests: 10 recorded, 12 reported`.
  fileprivate var words: String {
    "\(model ?? "all models") \(quantity.rawValue): \(cell(ours).shown) recorded, "
      + "\(cell(theirs).shown) reported"
  }

  /// A count as programs read it: a decimal of dollars, or a whole number.
  func text(_ count: Int64) -> String { cell(count).plain }

  fileprivate func cell(_ count: Int64) -> Cell {
    quantity.isCost ? .amount(nanoUnits: count) : .integer(count)
  }
}
