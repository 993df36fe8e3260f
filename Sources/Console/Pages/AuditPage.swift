internal import Ledger
internal import Pages
internal import Time

/// The audit trail: each change with its author and the state before and after, newest first.
enum AuditPage {
  static var routes: [PageRoute] {
    [
      PageRoute(
        .get, "/dashboard/audit", .viewer,
        query: filters.map { QueryParameter($0.0, "") } + LogView.parameters, show)
    ]
  }

  private static let filters: [(String, Phrase)] = [
    ("client", .client), ("actor", .actor), ("action", .action),
  ]
  private static let pageLength = 50

  private static func show(_ pageRequest: PageRequest) throws(APIError) -> Answer {
    let reader = pageRequest.reader
    let view = try LogView(pageRequest, filters: filters.map(\.0))
    let conditions = try pageRequest.call.query.conditions(LogCalls.auditFilters)
    let range = view.range(pageLength)
    let entries = try pageRequest.call.read { reader throws(LedgerError) in
      try reader.auditLog(where: conditions, range)
    }
    let page = Page(entries, limit: pageLength) { "\($0.cursor)" }
    let table = TableView(
      reader(.auditTrail),
      [
        .text(reader(.momentIn(view.zone.identifier))), .text(reader(.actor)),
        .text(reader(.action)), .text(reader(.target)), .text(reader(.beforeAndAfter)),
      ], page.entries.map { row($0, view.zone, reader) }, empty: reader(view.empty))
    let fields = filters.map { FilterField.text($0.0, reader($0.1), view.values[$0.0]) }
    let form = FilterForm(
      SitePath.audit, fields + view.timeFields(reader), button: reader(.show))
    return pageRequest.page(
      .auditTrail, in: .audit,
      #"""
      <div class="head"><h1>\#(reader(.auditTrail))</h1></div><div class="stack">\#
      <div class="card">\#(form.html)</div><div class="card">\#(table.html)\#
      \#(view.older(page.next, SitePath.audit, reader))</div></div>
      """#)
  }

  private static func row(
    _ entry: LogEntry<RecordedChange>, _ zone: TimeZoneRules, _ reader: Reader
  ) -> HTML {
    let change = entry.content
    return #"""
      <tr><td class="moment">\#(reader.moment(entry.createdAt, in: zone))</td>\#
      <td><code>\#(change.actor)</code></td><td><code>\#(change.action)</code></td>\#
      <td><code>\#(change.target)</code></td><td>\#(state(change, reader))</td></tr>
      """#
  }

  private static func state(_ change: RecordedChange, _ reader: Reader) -> HTML? {
    if change.before == nil, change.after == nil { return nil }
    let parts = [(Phrase.before, change.before), (.after, change.after)].compactMap {
      name, text -> HTML? in
      text.map { "<h3 class=\"small\">\(reader(name))</h3><pre>\($0)</pre>" }
    }
    return "<details><summary>\(reader(.show))</summary>\(parts)</details>"
  }
}

extension Phrase {
  fileprivate static let actor = Phrase("Actor", "Autor")
  fileprivate static let action = Phrase("Action", "Ação")
  fileprivate static let target = Phrase("Target", "Alvo")
  fileprivate static let beforeAndAfter = Phrase("Before and after", "Antes e depois")
  fileprivate static let before = Phrase("Before", "Antes")
  fileprivate static let after = Phrase("After", "Depois")
}
