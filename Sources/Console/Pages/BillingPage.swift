internal import Billing
internal import Configuration
internal import Ledger
internal import Pages

/// The clients on plans with a price, their charges, the failed charges, and the margin.
enum BillingPage {
  static var routes: [PageRoute] {
    [
      PageRoute(
        .get, "/dashboard/billing", .viewer,
        query: [
          QueryParameter("after", "the client after which the page begins"),
          Notice.parameter,
        ] + Margins.parameters, show)
    ]
  }

  private static let pageLength = 50
  private static let mostUnpaid = 50

  private static func show(_ pageRequest: PageRequest) throws(APIError) -> Answer {
    let reader = pageRequest.reader
    return pageRequest.page(
      .billing, in: .billing, isLive: true,
      #"""
      <div class="head"><h1>\#(reader(.billing))</h1></div><div class="stack">\#
      \#(Notice.done(pageRequest))\#
      <section class="card"><h2>\#(reader(.unpaid))</h2>\#
      <div id="unpaid" data-live>\#(try unpaid(pageRequest))</div></section>\#
      <section class="card"><h2>\#(reader(.clients))</h2>\#
      <div id="clients" data-live>\#(try clients(pageRequest))</div></section>\#
      \#(try Margins(pageRequest)?.html())</div>
      """#)
  }

  private static func unpaid(_ pageRequest: PageRequest) throws(APIError) -> HTML {
    let charges = try pageRequest.call.read { reader throws(LedgerError) in
      try reader.unpaidCharges(limit: mostUnpaid)
    }
    return try ChargeTable(charges, ofOneClient: false, pageRequest).html(empty: .allArePaid)
  }

  private static func clients(_ pageRequest: PageRequest) throws(APIError) -> HTML {
    let reader = pageRequest.reader
    let after = try pageRequest.call.query.text("after") ?? ""
    let statements = try pageRequest.call.read { ledger throws(LedgerError) in
      var statements: [BillingStatement] = []
      let periods = try ledger.latestBillingPeriods(afterClient: after, limit: pageLength + 1)
      for period in periods {
        let statement = try ledger.billingStatement(of: period.clientID, period: period.name)
        if let statement { statements.append(statement) }
      }
      return statements
    }
    let shown = statements.prefix(pageLength)
    let next: HTML? =
      statements.count > pageLength
      ? shown.last.map { last in
        let address = SitePath.billing.with("after", last.period.clientID)
        return #"<p><a href="\#(address)">\#(reader(.more))</a></p>"#
      } : nil
    let table = TableView(
      reader(.clients),
      [
        .text(reader(.client)), .text(reader(.plan)), .text(reader(.period)),
        .figure(reader(.tokens)), .text(reader(.tier)), .figure(reader(.charged)),
      ], shown.map { row($0, pageRequest) }, empty: reader(.noPrices))
    return #"\#(table.html)\#(next)"#
  }

  private static func row(_ statement: BillingStatement, _ pageRequest: PageRequest) -> HTML {
    let reader = pageRequest.reader
    let summary = BillingSummary(statement)
    let id = statement.period.clientID
    let client = pageRequest.call.clients.client(id)
    let name: HTML =
      client.map { client in
        #"<a href="\#(SitePath.billing(ofClient: id))">\#(client.name)</a>"#
      } ?? "\(id)"
    return #"""
      <tr><th scope="row">\#(name)</th><td>\#(statement.period.plan)</td>\#
      <td>\#(summary.period)</td><td class="figure">\#(reader.number(summary.totalTokens))</td>\#
      <td>\#(summary.currentTier ?? "")</td>\#
      <td class="figure">\#(summary.money(summary.totalCharged, reader))</td></tr>
      """#
  }
}

extension Phrase {
  static let charged = Phrase("Charged", "Cobrado")
  fileprivate static let unpaid = Phrase(
    "Failed charges", "Cobranças que falharam")
  fileprivate static let allArePaid = Phrase(
    "No charge has failed.", "Nenhuma cobrança falhou.")
  fileprivate static let noPrices = Phrase(
    "No client is on a plan with a price.", "Nenhum cliente está em um plano com preço.")
}
