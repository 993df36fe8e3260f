internal import Configuration
internal import Ledger
internal import Money
internal import Pages
internal import Pricing
internal import Time

/// The log of requests that went to a provider, newest first.
enum RequestsPage {
  static var routes: [PageRoute] {
    [
      PageRoute(
        .get, "/dashboard/requests", .viewer,
        query: filters.map { QueryParameter($0, "") } + LogView.parameters, show)
    ]
  }

  private static let texts: [(name: String, label: Phrase)] = [
    ("client", .client), ("user", .user), ("conversation", .conversation), ("model", .model),
    ("key", .key),
  ]
  private static let filters = texts.map(\.name) + ["outcome", "usage_source"]
  private static let pageLength = 50

  private static func show(_ pageRequest: PageRequest) throws(APIError) -> Answer {
    let reader = pageRequest.reader
    let view = try LogView(pageRequest, filters: filters)
    let filters = try UsageFilters(pageRequest.call.query)
    let range = view.range(pageLength)
    let entries = try pageRequest.call.read { reader throws(LedgerError) in
      try reader.usageLog(where: filters.conditions, isStream: nil, range)
    }
    let page = Page(entries, limit: pageLength) { "\($0.cursor)" }
    let table = TableView(
      reader(.requests),
      [
        .text(reader(.momentIn(view.zone.identifier))), .text(reader(.client)),
        .text(reader(.user)), .text(reader(.model)), .figure(reader(.tokens)),
        .figure(reader(.cost)), .text(reader(.outcome)), .text(reader(.usageFrom)),
      ], page.entries.map { row($0.content, view.zone, reader) }, empty: reader(view.empty))
    return pageRequest.page(
      .requests, in: .requests, isLive: page.isFirst(view),
      #"""
      <div class="head"><h1>\#(reader(.requests))</h1></div><div class="stack">\#
      <div class="card">\#(form(pageRequest, view))</div>\#
      <div class="card"><div id="log" data-live>\#(table.html)</div>\#
      \#(view.older(page.next, SitePath.requests, reader))</div></div>
      """#)
  }

  private static func row(_ row: UsageRow, _ zone: TimeZoneRules, _ reader: Reader) -> HTML {
    let isWell = row.outcome == .ok
    return #"""
      <tr><td class="moment"><a href="\#(SitePath.requests.appending("\(row.requestID)"))">\#
      \#(reader.moment(row.createdAt, in: zone))</a></td>\#
      <td><a href="\#(SitePath.client(row.clientID))">\#(row.clientID)</a></td>\#
      <td>\#(row.userID ?? "")</td><td>\#(row.model)</td>\#
      <td class="figure">\#(reader.number(row.usage.totalTokens))</td>\#
      <td class="figure">\#(reader.money(row.cost))</td>\#
      <td><span class="chip \#(isWell ? "ok" : "attention")">\#(reader(.name(of: row.outcome)))\#
      </span></td><td>\#(reader(.name(of: row.usageSource)))</td></tr>
      """#
  }

  // MARK: Which of them

  private static func form(_ pageRequest: PageRequest, _ view: LogView) -> HTML {
    let reader = pageRequest.reader
    let fields = texts.map { FilterField.text($0.name, reader($0.label), view.values[$0.name]) }
    return FilterForm(
      SitePath.requests,
      fields + [
        FilterField.choice(
          "outcome", reader(.outcome), view.values["outcome"],
          [("", reader(.all))]
            + Outcome.allCases.map { ($0.rawValue, reader(.name(of: $0))) }),
        FilterField.choice(
          "usage_source", reader(.usageFrom), view.values["usage_source"],
          [("", reader(.all))]
            + UsageSource.allCases.map { ($0.rawValue, reader(.name(of: $0))) }),
      ] + view.timeFields(reader), button: reader(.show)
    ).html
  }
}

extension Page {
  /// Whether this is the first page. New entries appear on it, so it is live.
  func isFirst(_ view: LogView) -> Bool { view.cursor == nil }
}

extension Phrase {
  static let outcome = Phrase("Outcome", "Desfecho")
  static let usageFrom = Phrase("Usage source", "Origem do uso")

  static func momentIn(_ zone: String) -> Phrase {
    Phrase("Time (\(zone))", "Data e hora (\(zone))")
  }

  static func name(of outcome: Outcome) -> Phrase {
    switch outcome {
    case .ok: Phrase("answered", "respondida")
    case .providerError: Phrase("provider error", "erro do provedor")
    case .clientDisconnected: Phrase("client disconnected", "cliente desconectou")
    case .upstreamBroken: Phrase("provider disconnected", "provedor desconectou")
    case .interrupted: Phrase("Catraca stopped", "Catraca foi encerrado")
    }
  }

  static func name(of source: UsageSource) -> Phrase {
    switch source {
    case .reported: Phrase("provider", "provedor")
    case .drained: Phrase("provider, after the client left", "provedor, após a saída do cliente")
    case .estimated: Phrase("estimate", "estimativa")
    case .external: Phrase("external report", "relatório externo")
    }
  }
}
