internal import Billing
internal import Configuration
internal import Ledger
internal import Money
internal import Pages
internal import Pricing
internal import Time

/// A client's bill for a period: its use in the plan's tiers, and its charges.
enum ClientBillingPage {
  static var routes: [PageRoute] {
    [
      PageRoute(
        .get, path, .viewer,
        query: [
          QueryParameter("period", BillingMonth.rule),
          QueryParameter("after", "the block before which the charges begin"), Notice.parameter,
        ]
      ) { pageRequest throws(APIError) in try page(pageRequest) },
      PageRoute(.post, path + "/charges/{charge}/retry", .admin, retry),
    ]
  }

  private static let path = "/dashboard/billing/{client}"
  private static let mostPeriods = 36
  private static let pageLength = 50
  /// The days of the margin of a client without a bill.
  private static let marginDays = 30

  /// The client and choices that the page shows.
  private struct View {
    let client: Client
    /// The billed periods, the latest first.
    let periods: [String]
    /// Nil if the client wasn't billed for the period.
    let statement: BillingStatement?
    let account: PaymentAccount?

    init(_ pageRequest: PageRequest) throws(APIError) {
      let client = try pageRequest.call.client(pageRequest.call.parameter("client"))
      let month = try pageRequest.call.query.month("period")
      let found = try pageRequest.call.read { reader throws(LedgerError) in
        let periods = try reader.billingPeriods(ofClient: client.id, limit: mostPeriods)
          .map(\.name)
        let chosen = month.map { "\($0)" } ?? periods.first
        let statement = try chosen.map { name throws(LedgerError) in
          try reader.billingStatement(of: client.id, period: name)
        }
        return (periods, statement ?? nil, try reader.paymentAccount(ofClient: client.id))
      }
      self.client = client
      (periods, statement, account) = found
    }
  }

  private static func page(
    _ pageRequest: PageRequest, problem: APIError? = nil
  ) throws(APIError) -> Answer {
    let view = try View(pageRequest)
    let reader = pageRequest.reader
    let content: HTML =
      if let statement = view.statement {
        try bill(statement, view, pageRequest)
      } else {
        #"<div class="card"><p>\#(reader(.notBilled))</p></div>"#
      }
    return pageRequest.page(
      view.client.name, in: .billing, status: problem?.status ?? 200, isLive: true,
      #"""
      <div class="head"><div><h1>\#(view.client.name)</h1>\#
      <p class="small"><a href="\#(SitePath.client(view.client.id))">\#
      \#(reader(.budgetsAndUse))</a></p></div>\#(chooser(view, reader))</div>\#
      <div class="stack">\#(Notice.done(pageRequest))\#(Notice.problem(problem, reader))\#
      \#(content)\#(try margin(view, pageRequest))</div>
      """#)
  }

  /// The margin of the period's requests. Only administrators see it.
  private static func margin(_ view: View, _ pageRequest: PageRequest) throws(APIError) -> HTML? {
    guard pageRequest.call.showsProviderCosts else { return nil }
    let (reader, zone) = (pageRequest.reader, view.client.timeZone)
    let today = zone.civilDate(of: pageRequest.now)
    let days =
      view.statement.map { $0.period.firstDay...$0.period.endDay.adding(days: -1) }
      ?? today.adding(days: 1 - marginDays)...today
    let series = try UsageReportView(pageRequest.call, client: view.client.id, zone: zone, in: days)
      .series(by: .model, most: pageLength)
    let table = MarginTable(
      series, by: .model, isPartial: series.lines.count >= pageLength, pageRequest)
    let dates = "\(reader.date(days.lowerBound)) – \(reader.date(days.upperBound))"
    return #"""
      <section class="card"><h2>\#(reader(.margin))</h2>\#
      <p class="small soft">\#(reader(.marginExplained(dates)))</p>\#
      <div id="margin" data-live>\#(table.html)</div></section>
      """#
  }

  private static func chooser(_ view: View, _ reader: Reader) -> HTML? {
    if view.periods.isEmpty { return nil }
    return FilterForm(
      SitePath.billing(ofClient: view.client.id),
      [
        FilterField.choice(
          "period", reader(.period), view.statement?.period.name,
          view.periods.map { ($0, $0) })
      ], button: reader(.show)
    ).html
  }

  private static func bill(
    _ statement: BillingStatement, _ view: View, _ pageRequest: PageRequest
  ) throws(APIError) -> HTML {
    let reader = pageRequest.reader
    let tiers = TierBars(statement.period.billing, used: statement.used, reader).html
    return #"""
      <div id="totals" data-live>\#(totals(statement, reader))</div>
      <section class="card"><h2>\#(reader(.useAgainstTiers))</h2>\#
      <div id="tiers" data-live>\#(tiers)</div></section>
      <section class="card"><h2>\#(reader(.charges))</h2>\#
      <div id="charges" data-live>\#(try charges(statement, pageRequest))</div></section>
      <section class="card"><h2>\#(reader(.planAndPayments))</h2>\#
      <div id="facts" data-live>\#(facts(statement, view, pageRequest))</div></section>
      """#
  }

  private static func totals(_ statement: BillingStatement, _ reader: Reader) -> HTML {
    let summary = BillingSummary(statement)
    let tiles: [(Phrase, String)] = [
      (.tokens, reader.number(summary.totalTokens)), (.tier, summary.currentTier ?? "–"),
      (.fixedFee, summary.money(summary.fixedFeeCharged, reader)),
      (
        .tierCharges(reader.number(summary.tierChargesCount)),
        summary.money(summary.tierChargesTotal, reader)
      ), (.charged, summary.money(summary.totalCharged, reader)),
    ]
    let entries = tiles.map { name, figure -> HTML in
      #"<div class="tile"><dt>\#(reader(name))</dt><dd>\#(figure)</dd></div>"#
    }
    return #"<dl class="tiles">\#(entries)</dl>"#
  }

  /// The charges, the latest first.
  private static func charges(
    _ statement: BillingStatement, _ pageRequest: PageRequest
  ) throws(APIError) -> HTML {
    let before = try pageRequest.call.query.integer("after", in: 0...Int64.max) ?? .max
    let found = statement.charges.reversed().filter { $0.block < before }
    let shown = Array(found.prefix(pageLength))
    let table = try ChargeTable(shown, ofOneClient: true, pageRequest).html(empty: .nothingYet)
    let period = statement.period
    let older: HTML? =
      found.count > pageLength
      ? shown.last.map { last in
        let address = SitePath.billing(ofClient: period.clientID, period: period.name)
          .with("after", "\(last.block)")
        return #"<p><a href="\#(address)">\#(pageRequest.reader(.older))</a></p>"#
      } : nil
    return #"\#(table)\#(older)"#
  }

  private static func facts(
    _ statement: BillingStatement, _ view: View, _ pageRequest: PageRequest
  ) -> HTML {
    let reader = pageRequest.reader
    let period = statement.period
    let isCollected = pageRequest.call.settings.payments != .none
    var list = FactList(reader)
    list.add(.plan, period.plan)
    list.add(
      .period,
      "\(reader.date(period.firstDay)) – \(reader.date(period.endDay.adding(days: -1)))")
    list.add(.payments, reader(isCollected ? .stripe : .recordedAlone))
    list.add(.customer, view.account?.customerID ?? view.client.paymentCustomerID)
    list.add(.subscription, html: subscription(view.account, isCollected, reader))
    list.add(
      .invoice,
      html: #"<code>catraca invoice \#(period.clientID) --period \#(period.name)</code>"#)
    return list.html
  }

  private static func subscription(
    _ account: PaymentAccount?, _ isCollected: Bool, _ reader: Reader
  ) -> HTML? {
    guard let account, let id = account.subscriptionID else {
      return isCollected ? "\(reader(.noSubscription))" : nil
    }
    let isActive = account.status == .active
    return #"""
      <code>\#(id)</code> <span class="chip \#(isActive ? "ok" : "exceeded")">\#
      \#(reader(.name(of: account.status)))</span>
      """#
  }

  /// Collects a charge again and returns to the page that the button was on.
  private static func retry(_ pageRequest: PageRequest) async throws(APIError) -> Answer {
    let call = PageAddress("/api/token-billing/charges")
      .appending(pageRequest.call.parameter("charge"), "retry")
    do throws(APIError) {
      _ = try await pageRequest.perform(.post, call) { _ in }
    } catch {
      if error.status >= 500 || error.status == 404 { throw error }
      return try page(pageRequest, problem: error)
    }
    return .redirect(
      to: pageRequest.wayBack(
        done: .retried, else: SitePath.billing(ofClient: pageRequest.call.parameter("client"))))
  }
}

extension BillingSummary {
  /// An amount of the currency's smallest units, formatted.
  func money(_ minorUnits: Int64, _ reader: Reader) -> String {
    Money(minorUnits: minorUnits, currency: currency).map { reader.money($0) } ?? "–"
  }
}

extension Phrase {
  fileprivate static let notBilled = Phrase(
    "Nothing was billed: the client's plan has no price, or had none in this period.",
    "Nada foi cobrado: o plano do cliente não tem preço, ou não tinha neste período.")
  fileprivate static func marginExplained(_ dates: String) -> Phrase {
    Phrase(
      "The client's charges for its requests (\(dates)), less the providers' charges for "
        + "them. Plan fees and tiers are not included.",
      "O que foi cobrado do cliente pelas requisições (\(dates)), menos o que os provedores "
        + "cobram por elas. Mensalidade e faixas do plano não entram.")
  }
  fileprivate static let budgetsAndUse = Phrase("Budgets and use", "Orçamentos e uso")
  fileprivate static let useAgainstTiers = Phrase("Use by tier", "Uso por faixa")
  fileprivate static let planAndPayments = Phrase("Plan and payments", "Plano e pagamentos")
  fileprivate static func tierCharges(_ count: String) -> Phrase {
    Phrase("Tier charges (\(count))", "Cobranças de faixas (\(count))")
  }
  fileprivate static let payments = Phrase("Payments", "Pagamentos")
  fileprivate static let stripe = Phrase("collected through Stripe", "cobrados pelo Stripe")
  fileprivate static let recordedAlone = Phrase(
    "recorded only; you send the invoices", "só registrados; você emite as faturas")
  fileprivate static let customer = Phrase("Customer at Stripe", "Cliente no Stripe")
  fileprivate static let subscription = Phrase("Subscription at Stripe", "Assinatura no Stripe")
  fileprivate static let noSubscription = Phrase(
    "none yet; the fixed fee is collected once there is one",
    "nenhuma ainda; a mensalidade será cobrada quando houver uma")
  fileprivate static let invoice = Phrase("Invoice", "Fatura")

  fileprivate static func name(of status: StoredSubscription.Status) -> Phrase {
    switch status {
    case .active: Phrase("active", "ativa")
    case .pastDue: Phrase("past due", "em atraso")
    case .canceled: Phrase("canceled", "cancelada")
    }
  }
}
