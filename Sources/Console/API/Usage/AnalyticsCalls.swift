internal import Configuration
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
        ] + UsageFilters.parameters + TimeRange.parameters, answers: .ok(fields.schema),
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

  private struct Sums {
    let line: UsageSeries.Line
    let showsProviderCosts: Bool

    var providerCosts: ProviderCosts? {
      ProviderCosts(
        chargedNanoUSD: line.costNanoUSD,
        providerNanoUSD: showsProviderCosts ? line.providerCostNanoUSD : nil)
    }
  }

  private struct Analytics {
    let client: Client?
    let grouping: UsageGrouping
    let span: Span
    let totals: Sums
    let series: [Sums]
  }

  private static let sums: AnswerFields<Sums> =
    [
      .field("requests", \.line.requests), .field("denials", \.line.denials),
      .field("tokens_input", \.line.inputTokens), .field("tokens_output", \.line.outputTokens),
      .field("tokens_total", \.line.totalTokens), .field("conversations", \.line.conversations),
      .field("cost_usd") { Money(nanoUnits: $0.line.costNanoUSD, currency: .usd) },
      .field("cost", \.line.cost), .field("currency", \.line.cost.currency),
    ] + ProviderCosts.fields { $0.providerCosts }
  private static let fields =
    ([
      .field("client_id", \.client?.id),
      .field("by", as: .choice(groupings.map(\.rawValue)), \.grouping.rawValue),
      .field("from", as: .instant) { $0.span.local($0.span.from) },
      .field("to", as: .instant) { $0.span.local($0.span.to) }, .object("totals", sums, \.totals),
      .list("series", of: [.field("key", \.line.key)] + sums, \.series),
    ] as AnswerFields<Analytics>).named("Analytics")

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
    let series = try call.usageSeries(of: query, days: span.days)
    let total =
      series.totals.first ?? UsageSeries.Line(cost: Money(nanoUnits: 0, currency: currency))
    let lines = grouping.isPeriod ? series.lines[...] : series.lines.prefix(limit)
    func sums(_ line: UsageSeries.Line) -> Sums {
      Sums(line: line, showsProviderCosts: call.showsProviderCosts)
    }
    return Answer(
      fields,
      Analytics(
        client: client, grouping: grouping, span: span, totals: sums(total),
        series: lines.map(sums)))
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

    func local(_ instant: Timestamp) -> String { zone.rfc3339(instant) }

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
