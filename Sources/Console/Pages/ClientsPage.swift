internal import Configuration
internal import Pages
internal import Time

/// All clients, each with a link to its page.
enum ClientsPage {
  static var routes: [PageRoute] {
    [
      PageRoute(
        .get, "/dashboard/clients", .viewer,
        query: [
          QueryParameter("q", "a part of the ID or name"),
          QueryParameter("after", "the ID after which the page begins"),
        ], show)
    ]
  }

  private static let pageLength = 100

  private static func show(_ pageRequest: PageRequest) throws(APIError) -> Answer {
    let reader = pageRequest.reader
    let part = try pageRequest.call.query.text("q")
    let after = try pageRequest.call.query.text("after") ?? ""
    let found = ClientCalls.clients(in: pageRequest.call.clients, naming: part, after: after)
    let rows = found.prefix(pageLength).map { client -> HTML in
      let isActive = client.status == .active
      return #"""
        <tr><th scope="row"><a href="\#(SitePath.client(client.id))">\#(client.name)</a></th>\#
        <td><code>\#(client.id)</code></td><td>\#(client.plan ?? reader(.without))</td>\#
        <td>\#(client.timeZone.identifier)</td><td><span class="chip \#
        \#(isActive ? "ok" : "exceeded")">\#
        \#(reader(isActive ? .active : .suspended))</span></td></tr>
        """#
    }
    let next: HTML? =
      found.count > pageLength
      ? found.prefix(pageLength).last.map { last in
        let address = SitePath.clients.with("q", part).with("after", last.id)
        return #"<p><a href="\#(address)">\#(reader(.more))</a></p>"#
      } : nil
    return pageRequest.page(
      .clients, in: .clients,
      #"""
      <div class="head"><h1>\#(reader(.clients))</h1>\#
      <form class="filters" role="search" action="\#(SitePath.clients)">\#
      <div class="field"><label for="q">\#(reader(.idOrName))</label>\#
      <input id="q" name="q" type="search" value="\#(part ?? "")"></div>\#
      <button>\#(reader(.show))</button></form></div>
      <div class="card">\#(TableView(
        reader(.clients), [.text(reader(.name)), .text("ID"), .text(reader(.plan)),
          .text(reader(.timeZone)), .text(reader(.status))],
        Array(rows), empty: reader(.nothingYet)).html)\#(next)</div>
      """#)
  }
}

extension Phrase {
  fileprivate static let idOrName = Phrase("ID or name", "ID ou nome")
  fileprivate static let timeZone = Phrase("Time zone", "Fuso horário")
  static let more = Phrase("More", "Mais")
}
