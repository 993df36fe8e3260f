internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Pages
internal import Pricing
internal import Time

/// The price calculator, clients' own prices, and the price book with its dates and sources.
enum PricesPage {
  static var routes: [PageRoute] {
    [
      PageRoute(
        .get, "/dashboard/prices", .viewer,
        query: [.client, Notice.parameter]
          + questions.map { QueryParameter($0, "") }
      ) { pageRequest throws(APIError) in try page(pageRequest) },
      PageRoute(.post, "/dashboard/prices", .admin, replace),
      PageRoute(.post, "/dashboard/prices/remove", .admin, remove),
    ]
  }

  private static let questions = [
    "q", "model", "in", "out", "cached", "tier", "window", "container",
  ]
  private static let api = PageAddress("/api/pricing-config")

  private static func page(_ pageRequest: PageRequest, problem: APIError? = nil) throws(APIError)
    -> Answer
  {
    let reader = pageRequest.reader
    return pageRequest.page(
      .prices, in: .prices, status: problem?.status ?? 200,
      #"""
      <div class="head"><h1>\#(reader(.prices))</h1></div><div class="stack">\#
      \#(Notice.done(pageRequest))\#(Notice.problem(problem, reader))\#
      <section class="card"><h2>\#(reader(.whatWouldItCost))</h2>\#
      \#(try CostQuestion(pageRequest).html)</section>\#
      <section class="card"><h2>\#(reader(.ownPrices))</h2>\#
      \#(try overrides(pageRequest))</section>\#
      <section class="card"><h2>\#(reader(.priceBook))</h2>\#(try book(pageRequest))</section></div>
      """#)
  }

  // MARK: The price book

  private static func book(_ pageRequest: PageRequest) throws(APIError) -> HTML {
    let reader = pageRequest.reader
    let part = try pageRequest.call.query.text("q")?.lowercased()
    let models = pageRequest.call.server.prices.allModels.filter { model in
      part.map { model.name.lowercased().contains($0) || model.provider.contains($0) } ?? true
    }
    let form = FilterForm(
      SitePath.prices, [FilterField.text("q", reader(.model), part)], button: reader(.show))
    let table = TableView(
      reader(.priceBook),
      [
        .text(reader(.model)), .text(reader(.provider)), .text(reader(.operation)),
        .figure(reader(.inputPrice)), .figure(reader(.cachedPrice)),
        .figure(reader(.outputPrice)), .text(reader(.otherPrices)), .text(reader(.asOf)),
        .text(reader(.source)),
      ], models.map { row($0, pageRequest) }, empty: reader(.nothingFound))
    return #"\#(form.html)<p class="small soft">\#(reader(.perMillion))</p>\#(table.html)"#
  }

  private static func row(_ model: PricedModel, _ pageRequest: PageRequest) -> HTML {
    let reader = pageRequest.reader
    let prices = model.declaredPrices(at: pageRequest.now)
    let table = prices?.base.table ?? PriceTable()
    let tiers = prices?.tiers.keys.sorted() ?? []
    let windows = prices?.completionWindows.keys.sorted() ?? []
    let others =
      PriceList.others(table, reader) + tiers.map { reader(.tier($0)) }
      + windows.map { reader(.window($0)) }
    let ask = SitePath.prices.with("model", model.name).with("in", "1000").with("out", "1000")
    return #"""
      <tr><th scope="row" class="id"><a href="\#(ask)">\#(model.name)</a></th>\#
      <td>\#(model.provider)</td>\#
      <td>\#(reader(.name(of: model.declaration.operation)))</td>\#
      <td class="figure">\#(PriceList.text(table[.input], reader))</td>\#
      <td class="figure">\#(PriceList.text(table[.cachedInput], reader))</td>\#
      <td class="figure">\#(PriceList.text(table[.output], reader))</td>\#
      <td class="list">\#(others.joined(separator: "; "))</td>\#
      <td class="moment">\#(reader.date(model.asOf))</td>\#
      <td><code>\#(model.file)</code><br><span class="small soft">\#(model.source)</span></td></tr>
      """#
  }

  // MARK: Clients' own prices

  private static func overrides(_ pageRequest: PageRequest) throws(APIError) -> HTML {
    let reader = pageRequest.reader
    let form = FilterForm(
      SitePath.prices,
      [FilterField.text("client", reader(.client), try pageRequest.call.query.text("client"))],
      button: reader(.show))
    guard let id = try pageRequest.call.query.text("client") else { return form.html }
    let client = try pageRequest.call.client(id)
    let stored = try pageRequest.call.read { reader throws(LedgerError) in
      try reader.priceOverrides(ofClient: client.id)
    }
    var columns: [TableView.Column] = [
      .text(reader(.model)), .text(reader(.provider)), .text(reader(.priceEach)),
      .text(reader(.version)), .text(reader(.sinceIn(client.timeZone.identifier))),
    ]
    if pageRequest.mayChange { columns.append(.text(reader(.actions))) }
    let rows = stored.map { price -> HTML in
      #"""
      <tr><th scope="row" class="id">\#(price.model)</th><td>\#(price.provider)</td>\#
      <td class="list">\#(PriceList.all(price.prices, reader).joined(separator: "; "))</td>\#
      <td><code>\#(price.label)</code></td>\#
      <td class="moment">\#(reader.moment(price.createdAt, in: client.timeZone))</td>\#
      \#(pageRequest.mayChange ? removeButton(price, pageRequest) : nil)</tr>
      """#
    }
    return #"""
      \#(form.html)<p class="small soft">\#(reader(.perMillion))</p>\#
      \#(TableView(reader(.ownPrices), columns, rows, empty: reader(.noOwnPrices)).html)\#
      \#(pageRequest.mayChange ? newPrice(client, pageRequest) : nil)
      """#
  }

  private static func removeButton(_ price: StoredPriceOverride, _ pageRequest: PageRequest) -> HTML
  {
    #"""
    <td><form method="post" action="\#(SitePath.prices.appending("remove"))">\#
    \#(pageRequest.csrfField)\#
    <input type="hidden" name="client" value="\#(price.clientID)">\#
    <input type="hidden" name="provider" value="\#(price.provider)">\#
    <input type="hidden" name="model" value="\#(price.model)">\#
    <button class="danger">\#(pageRequest.reader(.remove))</button></form></td>
    """#
  }

  private static func newPrice(_ client: Client, _ pageRequest: PageRequest) -> HTML {
    let reader = pageRequest.reader
    return #"""
      <details><summary>\#(reader(.newPrice))</summary>\#
      <form method="post" class="fields" action="\#(SitePath.prices)">\#(pageRequest.csrfField)\#
      <input type="hidden" name="client_id" value="\#(client.id)">\#
      \#(InputField("provider", reader(.provider), isRequired: true).html)\#
      \#(InputField("model", reader(.model), isRequired: true).html)\#
      \#(InputField("input", reader(.inputPrice), hint: reader(.perMillion)).html)\#
      \#(InputField("cached_input", reader(.cachedPrice)).html)\#
      \#(InputField("output", reader(.outputPrice)).html)\#
      <div><button class="primary">\#(reader(.save))</button></div></form></details>
      """#
  }

  private static func replace(_ pageRequest: PageRequest) async throws(APIError) -> Answer {
    let (form, reader) = (pageRequest.form, pageRequest.reader)
    do throws(APIError) {
      _ = try await pageRequest.perform(.post, api) { price in
        for name in ["client_id", "provider", "model"] { price.member(name, form[name]) }
        price.member("per_million_tokens") { prices in
          prices.object { prices in
            for name in ["input", "cached_input", "output"] {
              prices.memberOfForm(name, amount: form[name], reader)
            }
          }
        }
      }
    } catch {
      if error.status >= 500 { throw error }
      return try page(pageRequest, problem: error)
    }
    return .redirect(
      to: SitePath.prices.with("client", form["client_id"])
        .with("done", Notice.Done.saved.rawValue))
  }

  private static func remove(_ pageRequest: PageRequest) async throws(APIError) -> Answer {
    let form = pageRequest.form
    let address = api.with("client", form["client"]).with("provider", form["provider"])
      .with("model", form["model"])
    _ = try await pageRequest.perform(.delete, address) { _ in }
    return .redirect(
      to: SitePath.prices.with("client", form["client"])
        .with("done", Notice.Done.removed.rawValue))
  }
}
