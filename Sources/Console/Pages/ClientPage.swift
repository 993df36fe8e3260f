internal import Budgets
internal import Configuration
internal import Ledger
internal import Money
internal import Pages
internal import Time

/// One client: its budgets, and its use over time and by model, user and so on.
enum ClientPage {
  static var routes: [PageRoute] {
    [
      PageRoute(
        .get, "/dashboard/clients/{client}", .client,
        query: [
          QueryParameter("days", "7, 30, 60 or 90"), QueryParameter("per", "day or week"),
          QueryParameter("by", "operation, model, user, conversation or key"),
        ], show)
    ]
  }

  private static let spans = [7, 30, 60, 90]
  private static let periods: [UsageGrouping] = [.day, .week]
  private static let groupings: [UsageGrouping] = [
    .model, .operation, .user, .conversation, .key,
  ]
  private static let mostGroups = 50

  /// The client and choices that the page shows.
  private struct View {
    let client: Client
    let days: Int
    let period: UsageGrouping
    let grouping: UsageGrouping

    init(_ pageRequest: PageRequest) throws(APIError) {
      let id = pageRequest.call.parameter("client")
      try pageRequest.call.permit(id)
      client = try pageRequest.call.client(id)
      let query = pageRequest.call.query
      days = try query.text("days").flatMap { Int($0) } ?? 30
      guard spans.contains(days) else {
        throw .invalidValue("days", allowed: spans.map(String.init).joined(separator: ", "))
      }
      period = try query.choice("per", of: periods) ?? .day
      grouping = try query.choice("by", of: groupings) ?? .model
    }

    func address(
      days: Int? = nil, period: UsageGrouping? = nil, grouping: UsageGrouping? = nil
    ) -> PageAddress {
      SitePath.client(client.id).with("days", "\(days ?? self.days)")
        .with("per", (period ?? self.period).rawValue)
        .with("by", (grouping ?? self.grouping).rawValue)
    }
  }

  private static func show(_ pageRequest: PageRequest) throws(APIError) -> Answer {
    let view = try View(pageRequest)
    let reader = pageRequest.reader
    let currency = pageRequest.call.settings.rates.billing
    let report = UsageReportView(
      pageRequest.call, client: view.client.id, zone: view.client.timeZone, days: view.days)
    let series = try report.series(by: view.period)
    let charts = UsageCharts(series, by: view.period, in: currency, for: reader).html
    return pageRequest.page(
      view.client.name, in: .clients, isLive: true,
      #"""
      <div class="head"><div><h1>\#(view.client.name)</h1>\#
      <p class="soft small">\#(facts(view, reader))</p></div>\#(actions(view, pageRequest))</div>
      <div class="stack">
      <div id="budgets" class="columns" data-live>\#(try cards(view.client, pageRequest))</div>
      <section class="stack"><div class="head"><h2>\#(reader(.lastDays(view.days)))</h2>\#
      <div class="actions">\#(spanTabs(view, reader))\#(periodTabs(view, reader))</div></div>
      <div id="totals" data-live>\#(totals(series.total(in: currency), reader))</div>
      <div id="charts" data-live>\#(charts)</div></section>
      <section class="card"><h2>\#(reader(.useBy))</h2>\#(groupTabs(view, reader))\#
      <div id="groups" data-live>\#(try groups(view, report, pageRequest))</div></section></div>
      """#)
  }

  private static func facts(_ view: View, _ reader: Reader) -> HTML {
    let client = view.client
    let suspended: HTML? =
      client.status == .suspended
      ? #" <span class="chip exceeded">\#(reader(.suspended))</span>"# : nil
    return #"""
      <code>\#(client.id)</code> · \#(reader(.plan)): \#(client.plan ?? reader(.without)) · \#
      \#(client.timeZone.identifier)\#(suspended)
      """#
  }

  private static func actions(_ view: View, _ pageRequest: PageRequest) -> HTML? {
    guard case .token = pageRequest.call.credential else { return nil }
    let (reader, id) = (pageRequest.reader, view.client.id)
    return #"""
      <div class="actions"><a href="\#(SitePath.requests.with("client", id))">\#
      \#(reader(.requests))</a>\#
      <a href="\#(SitePath.refusals.with("client", id))">\#(reader(.refusals))</a>\#
      <a href="\#(SitePath.keys.with("client", id))">\#(reader(.keys))</a>\#
      <a href="\#(SitePath.billing.appending(id))">\#(reader(.billing))</a></div>
      """#
  }

  // MARK: Budgets

  /// The cards of the budgets that apply to the client, the tightest first.
  static func cards(_ client: Client, _ pageRequest: PageRequest) throws(APIError) -> HTML {
    let statuses = BudgetCalls.statuses(client: client.id, pageRequest.call)
    let forms = try BudgetJSON.forms(
      statuses.sorted(by: BudgetStatusCalls.isTighter), pageRequest.call)
    if forms.isEmpty {
      return #"<div class="card"><p>\#(pageRequest.reader(.noBudget))</p></div>"#
    }
    return "\(forms.map { BudgetCard($0, for: pageRequest).html })"
  }

  // MARK: Over time

  private static func totals(_ total: UsageSeries.Line, _ reader: Reader) -> HTML {
    #"""
    <dl class="tiles"><div class="tile"><dt>\#(reader(.cost))</dt>\#
    <dd>\#(reader.money(total.cost))</dd></div>\#
    <div class="tile"><dt>\#(reader(.tokens))</dt>\#
    <dd>\#(reader.number(total.totalTokens))</dd></div>\#
    <div class="tile"><dt>\#(reader(.requests))</dt>\#
    <dd>\#(reader.number(total.requests))</dd></div>\#
    <div class="tile\#(if: total.denials > 0, " exceeded")"><dt>\#(reader(.refusals))</dt>\#
    <dd>\#(reader.number(total.denials))</dd></div></dl>
    """#
  }

  private static func spanTabs(_ view: View, _ reader: Reader) -> HTML {
    Tabs(
      reader(.days),
      spans.map { Tabs.Tab("\($0)", view.address(days: $0), isCurrent: $0 == view.days) }
    ).html
  }

  private static func periodTabs(_ view: View, _ reader: Reader) -> HTML {
    Tabs(
      reader(.period),
      periods.map { period in
        Tabs.Tab(
          reader(period == .day ? .byDay : .byWeek), view.address(period: period),
          isCurrent: period == view.period)
      }
    ).html
  }

  // MARK: By what

  private static func groupTabs(_ view: View, _ reader: Reader) -> HTML {
    Tabs(
      reader(.useBy),
      groupings.map { grouping in
        Tabs.Tab(
          reader(.name(of: grouping)), view.address(grouping: grouping),
          isCurrent: grouping == view.grouping)
      }
    ).html
  }

  private static func groups(
    _ view: View, _ report: UsageReportView, _ pageRequest: PageRequest
  ) throws(APIError) -> HTML {
    let reader = pageRequest.reader
    let series = try report.series(by: view.grouping, most: mostGroups)
    let rows = series.lines.prefix(mostGroups).map { line -> HTML in
      #"""
      <tr><th scope="row">\#(line.key ?? reader(.without))</th>\#
      <td class="figure">\#(reader.number(line.requests))</td>\#
      <td class="figure">\#(reader.number(line.denials))</td>\#
      <td class="figure">\#(reader.number(line.inputTokens))</td>\#
      <td class="figure">\#(reader.number(line.outputTokens))</td>\#
      <td class="figure">\#(reader.money(line.cost))</td></tr>
      """#
    }
    return TableView(
      reader(.useBy),
      [
        .text(reader(.name(of: view.grouping))), .figure(reader(.requests)),
        .figure(reader(.refusals)), .figure(reader(.inputTokens)),
        .figure(reader(.outputTokens)), .figure(reader(.cost)),
      ], Array(rows), empty: reader(.nothingYet)
    ).html
  }
}

extension Phrase {
  fileprivate static let noBudget = Phrase(
    "This client has no budget: nothing limits it.",
    "Este cliente não tem orçamento: nada o limita.")
  fileprivate static let useBy = Phrase("Use by", "Uso por")
  fileprivate static let byDay = Phrase("by day", "por dia")
  fileprivate static let byWeek = Phrase("by week", "por semana")
  static let inputTokens = Phrase("Input tokens", "Tokens de entrada")
  static let outputTokens = Phrase("Output tokens", "Tokens de saída")

  static func name(of grouping: UsageGrouping) -> Phrase {
    switch grouping {
    case .operation: .operation
    case .user: .user
    case .conversation: .conversation
    case .key: .key
    case .provider: .provider
    case .client: .client
    case .day: .day
    case .week: .week
    default: .model
    }
  }
}
