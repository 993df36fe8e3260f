internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Time

/// `GET /api/analytics`: usage by period, client, user, model and so on.
enum AnalyticsCalls {
  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, "/api/analytics", .key, "Sums up requests, tokens and cost",
        query: [
          QueryParameter(
            "by", "the grouping of the series", .choice(groupings.map(\.rawValue))),
          QueryParameter("limit", "the number of entries; 100 by default", .integer(1...1000)),
        ] + UsageFilters.parameters + TimeRange.parameters, answers: .ok(schema),
        handler: analytics)
    ]
  }

  private static let groupings: [UsageGrouping] = [
    .day, .week, .month, .model, .operation, .user, .conversation, .agent, .provider, .key,
    .client,
  ]
  private static let defaultDays = 30
  /// The most days that a series by day, week or month may cover.
  private static let longestSeries = 3_660

  private static let sums: Fields =
    [
      "requests": .count, "denials": .count, "tokens_input": .count, "tokens_output": .count,
      "tokens_total": .count, "conversations": .count, "cost_usd": .money, "cost": .money,
      "currency": .currency,
    ] + ProviderCosts.fields
  private static let schema = JSONSchema.named(
    "Analytics",
    .object([
      "client_id": .anyText.orNull, "by": .choice(groupings.map(\.rawValue)), "from": .instant,
      "to": .instant, "totals": .object(sums),
      "series": .list(of: .object(["key": .anyText.orNull] + sums)),
    ]))

  private static func analytics(_ call: Call) throws(APIError) -> Answer {
    let client = try client(call)
    let zone = client?.timeZone ?? .utc
    let grouping = try grouping(call)
    let limit = try call.query.limit()
    let span = try Span(TimeRange(call.query, zone: zone, at: call.now), zone, at: call.now)
    if grouping.isPeriod, span.dayCount > longestSeries {
      throw .invalidValue("from", allowed: "at most \(longestSeries) days before `to`")
    }
    let filters = try UsageFilters(call.query)
    var conditions = filters.conditions
    conditions[.client] = client?.id
    let query = UsageQuery(
      by: grouping, where: conditions, isStream: filters.isStream, since: span.from,
      until: span.to, zone: zone)
    let currency = call.settings.rates.billing
    let showsProviderCosts = call.showsProviderCosts
    let series = try call.usageSeries(of: query, days: span.days)
    let total =
      series.totals.first ?? UsageSeries.Line(cost: Money(nanoUnits: 0, currency: currency))
    return Answer { body in
      body.object { body in
        body.member("client_id", client?.id)
        body.member("by", grouping.rawValue)
        body.member("from", zone.rfc3339(span.from))
        body.member("to", zone.rfc3339(span.to))
        body.member("totals") { totals in
          totals.object { writeSums(of: total, showsProviderCosts, to: &$0) }
        }
        body.member("series") { list in
          list.array { list in
            for line in grouping.isPeriod ? series.lines[...] : series.lines.prefix(limit) {
              write(line, showsProviderCosts, to: &list)
            }
          }
        }
      }
    }
  }

  private static func write(
    _ line: UsageSeries.Line, _ showsProviderCosts: Bool, to writer: inout JSONWriter
  ) {
    writer.object { object in
      object.member("key", line.key)
      writeSums(of: line, showsProviderCosts, to: &object)
    }
  }

  private static func writeSums(
    of line: UsageSeries.Line, _ showsProviderCosts: Bool, to object: inout JSONWriter
  ) {
    object.member("requests", line.requests)
    object.member("denials", line.denials)
    object.member("tokens_input", line.inputTokens)
    object.member("tokens_output", line.outputTokens)
    object.member("tokens_total", line.totalTokens)
    object.member("conversations", line.conversations)
    object.member("cost_usd", Money(nanoUnits: line.costNanoUSD, currency: .usd).decimalText)
    object.member("cost", line.cost.decimalText)
    object.member("currency", line.cost.currency.code)
    if showsProviderCosts { ProviderCosts(line).write(to: &object) }
  }

  // MARK: What is asked for

  /// The client that the call asks about; nil for all clients, which only a token may ask about.
  private static func client(_ call: Call) throws(APIError) -> Client? {
    if call.ownKey == nil, !call.query.has("client") { return nil }
    return try call.clientOfQuery()
  }

  private static func grouping(_ call: Call) throws(APIError) -> UsageGrouping {
    guard let text = try call.query.text("by") else { return .day }
    guard let grouping = groupings.first(where: { $0.rawValue == text }) else {
      throw .invalidValue(
        "by", allowed: groupings.map(\.rawValue).joined(separator: ", "))
    }
    return grouping
  }

  /// The span of time of a query, without its end; by default the last thirty days.
  private struct Span {
    let from: Timestamp
    let to: Timestamp
    private let zone: TimeZoneRules

    init(_ range: TimeRange, _ zone: TimeZoneRules, at now: Timestamp) throws(APIError) {
      let tomorrow = zone.civilDate(of: now).adding(days: 1)
      to = range.to ?? zone.startOfDay(tomorrow)
      let end = range.to.map(zone.civilDate) ?? tomorrow
      from = range.from ?? zone.startOfDay(end.adding(days: -defaultDays))
      self.zone = zone
      guard from <= to else { throw .invalidValue("from", allowed: "an instant before `to`") }
    }

    /// The days that overlap the span; nil for an empty span.
    var days: ClosedRange<CivilDate>? {
      guard from < to else { return nil }
      let first = zone.civilDate(of: from)
      // If clocks go back over midnight, a later instant can be on the day before.
      return first...max(first, zone.civilDate(of: to.advanced(by: .milliseconds(-1))))
    }

    var dayCount: Int {
      zone.civilDate(of: to).daysSinceEpoch - zone.civilDate(of: from).daysSinceEpoch
    }
  }
}

extension Call {
  /// Usage and refusals, with costs in the current billing currency.
  ///
  /// - Parameter days: As in `UsageSeries`.
  func usageSeries(
    of query: UsageQuery, days: ClosedRange<CivilDate>?
  ) throws(APIError) -> UsageSeries {
    let (sums, denials) = try read { reader throws(LedgerError) in
      (try reader.usageTotals(of: query), try reader.denialCounts(of: query))
    }
    let currency = settings.rates.billing
    return UsageSeries(
      sums.merged(in: currency), denials: denials, by: query.grouping, days, currency: currency)
  }
}
