internal import Configuration
internal import Console
internal import JSON
internal import Ledger
internal import Money
internal import Time

/// `catraca usage`: what was used, summed by day, model, user and so on; or every request of it.
enum UsageReportCommand {
  static let days = Parameter(
    "days", ArgumentFormat<Int64>.integer(1...366), "the number of days, today included",
    default: "30")
  private static let breakdown = Parameter(
    "by", Breakdown.format, Breakdown.names.joined(separator: ", "), default: "day")
  private static let format = Parameter(
    CommonOptions.format.name, ArgumentFormat<Format>.choice("FORMAT"),
    "table, json or csv; each request: jsonl or focus, and csv with --by request",
    default: "table")

  static let command = Command(
    "usage", "sums requests, tokens and cost, or exports the requests",
    options: [
      CommonOptions.client, days, breakdown, CommonOptions.config, CommonOptions.ledger, format,
    ],
    examples: [
      Command.Example(line: "usage --client acme --days 7", meaning: "acme's week, day by day"),
      Command.Example(
        line: "usage --by model --format csv", meaning: "a month by model, the dearest first"),
      Command.Example(
        line: "usage --days 366 --format focus",
        meaning: "each request of a year as FOCUS 1.0, for tools that read bills"),
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let clients = try clients(invocation)
    let client = values[CommonOptions.client]
    let span = Span(
      days: Int(try values.required(days)), until: invocation.surroundings.now(),
      in: client.flatMap { clients?.client($0)?.timeZone } ?? .utc)
    switch try what(values) {
    case .requests(let format):
      let export = UsageExporting(of: client, span, as: format, clients: clients)
      try export.write(invocation)
      return CommandOutcome(.nothing)
    case .sums(let grouping):
      return CommandOutcome(try sums(invocation, by: grouping, of: client, span))
    }
  }

  /// The request of the command line.
  private enum Request {
    case sums(UsageGrouping)
    case requests(UsageExport.Format)
  }

  private static func what(_ values: ArgumentValues) throws(CommandError) -> Request {
    let format = try values.required(format)
    switch (try values.required(breakdown), format) {
    case (.request, .csv): return .requests(.csv)
    case (.request, .table), (.request, .json):
      throw .usage(.contradiction("--by request; allowed with --format jsonl, csv or focus"))
    case (.sums(let grouping), .table), (.sums(let grouping), .json), (.sums(let grouping), .csv):
      return .sums(grouping)
    case (.sums, .jsonl) where values.has(breakdown.name),
      (.sums, .focus) where values.has(breakdown.name):
      throw .usage(
        .contradiction("--by with --format \(format.rawValue); allowed: --by request, or none"))
    case (_, .jsonl): return .requests(.jsonl)
    case (_, .focus): return .requests(.focus)
    }
  }

  /// All clients; nil where there may be no configuration at all, since the ledger is named.
  private static func clients(
    _ invocation: Invocation
  ) throws(CommandError) -> ClientRegistry? {
    let hasLedger = invocation.values[CommonOptions.ledger] != nil
    if hasLedger, !invocation.values.has(CommonOptions.config.name) { return nil }
    return try ClientDirectory(invocation).registry
  }

  private static func sums(
    _ invocation: Invocation, by grouping: UsageGrouping, of client: String?, _ span: Span
  ) throws(CommandError) -> Report {
    let reader = try invocation.reader()
    let query = UsageQuery(
      by: grouping, where: client.map { [.client: $0] } ?? [:], since: span.start, until: span.end,
      zone: span.zone)
    let (totals, denials) = try invocation.ledger { () throws(LedgerError) in
      (try reader.usageTotals(of: query), try reader.denialCounts(of: query))
    }
    let isEmpty = totals.isEmpty && denials.isEmpty
    let series = UsageSeries(
      totals, denials: denials, by: grouping, isEmpty ? nil : span.days,
      currency: totals.first?.cost.currency ?? .usd)
    return .document(document(series, grouping, client: client, span))
  }

  private static func document(
    _ series: UsageSeries, _ grouping: UsageGrouping, client: String?, _ span: Span
  ) -> Document {
    var table = Table(
      columns(heading: heading(grouping)),
      emptyText: "Nothing was used since \(span.days.lowerBound).")
    for line in series.lines { table.append(line.cells) }
    let sums = series.totals.map { total in
      "\(Cell.grouped(total.requests)) requests, \(Cell.grouped(total.totalTokens)) tokens, "
        + "\(Money(nanoUnits: total.costNanoUSD, currency: .usd).decimalText) USD = "
        + "\(total.cost.decimalText) \(total.cost.currency.code)"
    }
    let totals = series.totals
    let zone = span.zone
    return Document(
      sections: [.table(table)] + (sums.isEmpty ? [] : [.lines(sums.map { "Total: \($0)" })]),
      table: table
    ) { [table] writer in
      writer.object { object in
        object.member("client_id", client)
        object.member("by", grouping.rawValue)
        object.member("from", zone.rfc3339(span.start))
        object.member("to", zone.rfc3339(span.end))
        object.member("totals") { writeTotals(totals, to: &$0) }
        object.member("series") { $0.rows(table) }
      }
    }
  }

  /// One object: everything together, the cost in the currency that most requests were billed in.
  /// Rows in other currencies, which a change of `currency.billing` leaves, follow beside it.
  private static func writeTotals(_ totals: [UsageSeries.Line], to writer: inout JSONWriter) {
    let main = totals.max { $0.requests < $1.requests }
    var all = main ?? UsageSeries.Line(cost: Money(nanoUnits: 0, currency: .usd))
    let others = totals.filter { $0.cost.currency != all.cost.currency }
    for other in others { all.addWithoutCost(other) }
    writer.object { object in
      let columns = columns(heading: "").dropFirst()
      object.members(of: Record(Array(columns), Array(all.cells.dropFirst())))
      guard !others.isEmpty else { return }
      object.member("other_currencies") { list in
        list.array { array in
          for other in others {
            array.object { entry in
              entry.member("cost", other.cost.decimalText)
              entry.member("currency", other.cost.currency.code)
            }
          }
        }
      }
    }
  }

  private static func heading(_ grouping: UsageGrouping) -> String {
    let words = grouping.rawValue.split(separator: "_").joined(separator: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  private static func columns(heading: String) -> [Table.Column] {
    [
      Table.Column("key", heading), Table.Column("requests", "Requests"),
      Table.Column("denials", nil), Table.Column("tokens_input", "Input"),
      Table.Column("tokens_output", "Output"),
      Table.Column("tokens_total", "Tokens"), Table.Column("conversations", nil),
      Table.Column("cost_usd", "Cost USD"), Table.Column("cost", "Cost"),
      Table.Column("currency", "Currency"),
      Table.Column("provider_cost_usd", "Provider USD"),
      Table.Column("margin_usd", "Margin USD"),
    ]
  }
}

extension UsageReportCommand {
  /// How `usage` writes what it has.
  enum Format: String, Sendable, Hashable, CaseIterable {
    case table, json, csv, jsonl, focus
  }

  /// The content of the report: the sums of each group, or every request.
  enum Breakdown: Hashable, Sendable {
    case sums(UsageGrouping)
    case request

    static let names = UsageGrouping.allCases.map(\.rawValue) + ["request"]
    static let format = ArgumentFormat<Breakdown>(
      "GROUP", allowed: "one of \(names.joined(separator: ", "))", completion: .choices(names)
    ) { text in
      text == "request" ? .request : UsageGrouping(rawValue: text).map { .sums($0) }
    }
  }

  /// The days that are meant.
  struct Span: Sendable {
    let days: ClosedRange<CivilDate>
    let zone: TimeZoneRules

    init(days count: Int, until now: Timestamp, in zone: TimeZoneRules) {
      let today = zone.civilDate(of: now)
      days = today.adding(days: 1 - count)...today
      self.zone = zone
    }

    var start: Timestamp { zone.startOfDay(days.lowerBound) }
    var end: Timestamp { zone.startOfDay(days.upperBound.adding(days: 1)) }
  }
}

extension UsageSeries.Line {
  fileprivate var cells: [Cell] {
    [
      .optional(key), .integer(requests), .integer(denials), .integer(inputTokens),
      .integer(outputTokens), .integer(totalTokens), .integer(conversations),
      .amount(nanoUnits: costNanoUSD), .money(cost), .text(cost.currency.code),
      .amount(nanoUnits: providerCostNanoUSD), .amount(nanoUnits: marginNanoUSD),
    ]
  }
}
