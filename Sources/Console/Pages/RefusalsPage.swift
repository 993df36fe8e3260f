internal import Budgets
internal import Configuration
internal import Ledger
internal import Money
internal import Pages
internal import Time

/// The requests that budgets refused, each with its reason and a button that raises the budget.
enum RefusalsPage {
  static var routes: [PageRoute] {
    [
      PageRoute(
        .get, "/dashboard/refusals", .viewer,
        query: filters.map { QueryParameter($0, "") } + LogView.parameters + [Notice.parameter],
        show)
    ]
  }

  private static let filters = ["client", "user", "model", "budget", "reason"]
  private static let pageLength = 50

  private static func show(_ pageRequest: PageRequest) throws(APIError) -> Answer {
    let reader = pageRequest.reader
    let view = try LogView(pageRequest, filters: filters)
    _ = try pageRequest.call.query.choice("reason", DenialReason.self)
    let conditions = try pageRequest.call.query.conditions(LogCalls.denialFilters)
    let range = view.range(pageLength)
    let entries = try pageRequest.call.read { reader throws(LedgerError) in
      try reader.denialLog(where: conditions, range)
    }
    let page = Page(entries, limit: pageLength) { "\($0.cursor)" }
    let table = TableView(
      reader(.refusals),
      [
        .text(reader(.momentIn(view.zone.identifier))), .text(reader(.client)),
        .text(reader(.user)), .text(reader(.model)), .text(reader(.reason)),
        .text(reader(.actions)),
      ], page.entries.map { row($0.content, view.zone, pageRequest) }, empty: reader(view.empty))
    return pageRequest.page(
      .refusals, in: .refusals, isLive: view.cursor == nil,
      #"""
      <div class="head"><h1>\#(reader(.refusals))</h1></div><div class="stack">\#
      \#(Notice.done(pageRequest))<div class="card">\#(form(view, reader))</div>\#
      <div class="card"><div id="log" data-live>\#(table.html)</div>\#
      \#(view.older(page.next, SitePath.refusals, reader))</div></div>
      """#)
  }

  private static func row(_ row: DenialRow, _ zone: TimeZoneRules, _ pageRequest: PageRequest)
    -> HTML
  {
    let reader = pageRequest.reader
    return #"""
      <tr><td class="moment">\#(reader.moment(row.createdAt, in: zone))</td>\#
      <td><a href="\#(SitePath.client(row.clientID))">\#(row.clientID)</a></td>\#
      <td>\#(row.userID ?? "")</td><td>\#(row.model)</td>\#
      <td>\#(RefusalSentence(row, pageRequest).text)</td>\#
      <td>\#(RaiseButton(row, pageRequest)?.html)</td></tr>
      """#
  }

  private static func form(_ view: LogView, _ reader: Reader) -> HTML {
    let texts: [(String, Phrase)] = [
      ("client", .client), ("user", .user), ("model", .model), ("budget", .budget),
    ]
    return FilterForm(
      SitePath.refusals,
      texts.map { FilterField.text($0.0, reader($0.1), view.values[$0.0]) } + [
        FilterField.choice(
          "reason", reader(.reason), view.values["reason"],
          [("", reader(.all))]
            + DenialReason.allCases.map { ($0.rawValue, reader(.name(of: $0))) })
      ] + view.timeFields(reader), button: reader(.show)
    ).html
  }
}

extension Phrase {
  static func name(of reason: DenialReason) -> Phrase {
    switch reason {
    case .tokenLimit: Phrase("token limit", "limite de tokens")
    case .costLimit: Phrase("money limit", "limite de dinheiro")
    case .conversationLimit: Phrase("conversation limit", "limite de conversas")
    case .paused: Phrase("paused", "pausado")
    case .budgetContended: Phrase("contention", "concorrência")
    }
  }
}
