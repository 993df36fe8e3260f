internal import Budgets
internal import Configuration
internal import Ledger
internal import Money
internal import Pages
internal import Time

/// The overview: budgets close to their limits, recent refusals, and missing prices.
enum OverviewPage {
  static var routes: [PageRoute] {
    [PageRoute(.get, "/dashboard/", .viewer, show)]
  }

  private static let mostBudgets = 10
  private static let mostRefusals = 6
  private static let chartDays = 30

  private static func show(_ pageRequest: PageRequest) throws(APIError) -> Answer {
    let reader = pageRequest.reader
    let month = UsageReportView(pageRequest.call, client: nil, zone: .utc, days: chartDays)
    let days = try month.series(by: .day)
    let currency = pageRequest.call.settings.rates.billing
    return pageRequest.page(
      .overview, in: .overview, isLive: true,
      #"""
      <div class="head"><h1>\#(reader(.overview))</h1>\#
      <span class="soft small">\#
      \#(reader(.clock(reader.moment(pageRequest.now, in: .utc))))</span></div>
      <div class="stack">
      <div id="tiles" data-live>\#(tiles(days.lines.last, currency, reader))</div>
      <div id="notices" data-live>\#(missingPrices(month, pageRequest))</div>
      <div class="columns">
      <section class="card"><h2>\#(reader(.closestToLimit))</h2>\#
      <div id="budgets" data-live>\#(try budgets(pageRequest))</div></section>
      <section class="card"><h2>\#(reader(.latestRefusals))</h2>\#
      <div id="refusals" data-live>\#(try refusals(pageRequest))</div></section></div>
      <section><h2>\#(reader(.lastDays(chartDays)))</h2><div id="charts" data-live>\#
      \#(UsageCharts(days, by: .day, in: currency, for: reader).html)</div></section></div>
      """#)
  }

  // MARK: Today

  private static func tiles(
    _ today: UsageSeries.Line?, _ currency: Currency, _ reader: Reader
  ) -> HTML {
    let today = today ?? UsageSeries.Line(cost: Money(nanoUnits: 0, currency: currency))
    let refused = today.denials > 0 ? "exceeded" : "ok"
    return #"""
      <dl class="tiles"><div class="tile"><dt>\#(reader(.requestsToday))</dt>\#
      <dd>\#(reader.number(today.requests))</dd></div>\#
      <div class="tile"><dt>\#(reader(.costToday))</dt><dd>\#(reader.money(today.cost))</dd></div>\#
      <div class="tile"><dt>\#(reader(.tokensToday))</dt>\#
      <dd>\#(reader.number(today.totalTokens))</dd></div>\#
      <div class="tile \#(refused)"><dt>\#(reader(.refusedToday))</dt>\#
      <dd>\#(reader.number(today.denials))</dd></div></dl>
      """#
  }

  /// The missing prices. If they can't be read, their card says so and the other cards stay.
  private static func missingPrices(
    _ report: UsageReportView, _ pageRequest: PageRequest
  ) -> HTML? {
    let since = TimeZoneRules.utc.startOfDay(report.first)
    do throws(APIError) {
      return try MissingPriceList(since: since, days: report.days, pageRequest).html
    } catch {
      pageRequest.failures.append(error)
      return MissingPriceList.unreadable(pageRequest.reader)
    }
  }

  // MARK: Near a limit

  private static func budgets(_ pageRequest: PageRequest) throws(APIError) -> HTML {
    let statuses = BudgetCalls.statuses(pageRequest.call)
    let fullest = Array(statuses.sorted(by: BudgetCalls.isFuller).prefix(mostBudgets))
    let entries = try BudgetJSON.forms(fullest, pageRequest.call).map { form -> HTML in
      let id = form.status.definition.id.client
      return BudgetCard(form, for: pageRequest).entry(
        withClient: pageRequest.call.clients.client(id)?.name)
    }
    if entries.isEmpty { return "<p>\(pageRequest.reader(.noBudgets))</p>" }
    let all = pageRequest.reader(.allBudgets(statuses.count))
    let others =
      statuses.count > mostBudgets
      ? #"<p><a href="\#(SitePath.budgets)">\#(all)</a></p>"# : HTML.empty
    return #"<ul class="budgets">\#(entries)</ul>\#(others)"#
  }

  // MARK: Refused

  private static func refusals(_ pageRequest: PageRequest) throws(APIError) -> HTML {
    let entries = try pageRequest.call.read { reader throws(LedgerError) in
      try reader.denialLog(where: [:], LogRange(limit: mostRefusals))
    }
    let reader = pageRequest.reader
    if entries.isEmpty { return "<p>\(reader(.nobodyRefused))</p>" }
    let items = entries.map { entry -> HTML in
      let row = entry.content
      let client = pageRequest.call.clients.client(row.clientID)
      let who = [client?.name ?? row.clientID, row.userID].compactMap(\.self)
        .joined(separator: " · ")
      return #"""
        <li class="budget"><div class="line"><strong>\#(who)</strong>\#
        <span class="soft small">\#
        \#(reader(.clock(reader.moment(row.createdAt, in: .utc))))</span></div>\#
        <div>\#(RefusalSentence(row, pageRequest).text)</div></li>
        """#
    }
    return #"""
      <ul class="budgets">\#(items)</ul>\#
      <p><a href="\#(SitePath.refusals)">\#(reader(.allRefusals))</a></p>
      """#
  }
}

extension Phrase {
  fileprivate static func clock(_ moment: String) -> Phrase {
    Phrase("\(moment) UTC", "\(moment) UTC")
  }
  fileprivate static let requestsToday = Phrase("Requests today", "Requisições hoje")
  fileprivate static let costToday = Phrase("Cost today", "Custo hoje")
  fileprivate static let tokensToday = Phrase("Tokens today", "Tokens hoje")
  fileprivate static let refusedToday = Phrase("Refused today", "Recusadas hoje")
  fileprivate static let closestToLimit = Phrase("Closest to their limits", "Mais perto do limite")
  fileprivate static let latestRefusals = Phrase("Latest refusals", "Últimas recusas")
  fileprivate static let noBudgets = Phrase(
    "There is no budget yet.", "Ainda não há orçamentos.")
  fileprivate static func allBudgets(_ count: Int) -> Phrase {
    Phrase("All \(count) budgets", "Todos os \(count) orçamentos")
  }
  fileprivate static let nobodyRefused = Phrase(
    "No request was refused.", "Nenhuma requisição foi recusada.")
  fileprivate static let allRefusals = Phrase("All refusals", "Todas as recusas")
}
