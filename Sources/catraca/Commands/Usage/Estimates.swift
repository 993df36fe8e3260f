internal import Ledger
internal import Time

/// `catraca estimates`: how far estimates are from what providers reported.
enum Estimates {
  static let command = Command(
    "estimates", "tells how far estimates are from what providers report, by model",
    options: [
      CommonOptions.client, UsageReportCommand.days, CommonOptions.config, CommonOptions.ledger,
      CommonOptions.format,
    ],
    examples: [
      Command.Example(line: "estimates --days 7", meaning: "the last week, model by model")
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let span = UsageReportCommand.Span(
      days: Int(try values.required(UsageReportCommand.days)), until: invocation.surroundings.now(),
      in: .utc)
    let reader = try invocation.reader()
    let errors = try invocation.ledger { () throws(LedgerError) in
      try reader.estimateErrors(
        LedgerReader.UsageFilter(
          clientID: values[CommonOptions.client], since: span.start, until: span.end))
    }
    var table = Table(columns, emptyText: "Nothing was used since \(span.days.lowerBound).")
    for error in errors { table.append(row(error)) }
    return CommandOutcome(.list(table))
  }

  private static let columns = [
    Table.Column("provider", "Provider"), Table.Column("model", "Model"),
    Table.Column("reported_requests", "Reported"), Table.Column("estimated_requests", "Estimated"),
    Table.Column("mean_error_percent", "Mean error %"),
    Table.Column("p95_error_percent", "95% within %"),
  ]

  private static func row(_ error: EstimateError) -> [Cell] {
    [
      .text(error.provider), .text(error.model), .integer(error.checkedRequests),
      .integer(error.estimatedRequests), percentage(error.meanPerMille),
      percentage(error.percentile95PerMille),
    ]
  }

  private static func percentage(_ perMille: Int64?) -> Cell {
    perMille.map { .tenths($0) } ?? .none
  }
}
