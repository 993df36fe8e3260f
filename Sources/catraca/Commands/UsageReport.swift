internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Time

/// `catraca usage`: what was used, summed by day, model, user and so on.
enum UsageReport {
  static let days = Parameter(
    "days", ArgumentFormat<Int64>.integer(1...366), "today and the days before, so many in all",
    default: "30")
  private static let grouping = Parameter(
    "by", ArgumentFormat<UsageGrouping>.choice("GROUP"),
    UsageGrouping.allCases.map(\.rawValue).joined(separator: ", "), default: "day")

  static let command = Command(
    "usage", "sums requests, tokens and cost",
    options: [
      CommonOptions.client, days, grouping, CommonOptions.config, CommonOptions.ledger,
      CommonOptions.format,
    ],
    examples: [
      Command.Example(line: "usage --client acme --days 7", meaning: "acme's week, day by day"),
      Command.Example(
        line: "usage --by model --format csv", meaning: "a month by model, the dearest first"),
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let client = values[CommonOptions.client]
    let zone = try client.map { id throws(CommandError) in try timeZone(of: id, invocation) }
    let span = Span(
      days: Int(try values.required(days)), until: invocation.surroundings.now(),
      in: zone ?? .utc)
    let reader = try invocation.reader()
    let grouping = try values.required(grouping)
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
    return Outcome(.document(document(series, grouping, client: client, span)))
  }

  /// Where days begin; UTC for a client that is known no more.
  private static func timeZone(
    of client: String, _ invocation: Invocation
  ) throws(CommandError) -> TimeZoneRules {
    // With --ledger there may be no configuration at all.
    if invocation.values[CommonOptions.ledger] != nil,
      !invocation.values.has(CommonOptions.config.name)
    {
      return .utc
    }
    return try ClientDirectory(invocation).registry.client(client)?.timeZone ?? .utc
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
    ]
  }
}

extension UsageReport {
  /// The days that are summed.
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
    ]
  }
}
