internal import Configuration
internal import JSON
internal import Ledger
internal import Pages
internal import Pricing
internal import Time

/// A client's keys, with forms to make, rotate and revoke them.
enum KeysPage {
  static var routes: [PageRoute] {
    [
      PageRoute(.get, "/dashboard/keys", .viewer, query: [.client, Notice.parameter]) {
        pageRequest throws(APIError) in
        guard let client = try chosen(pageRequest) else {
          return pageRequest.page(.keys, in: .keys, "<p>\(pageRequest.reader(.noClients))</p>")
        }
        return try page(pageRequest, client)
      },
      PageRoute(.post, "/dashboard/keys", .admin, create),
      PageRoute(.post, "/dashboard/keys/{client}/{key}/rotate", .admin, rotate),
      PageRoute(.post, "/dashboard/keys/{client}/{key}/revoke", .admin, revoke),
    ]
  }

  private static let api = PageAddress("/api/admin/clients")

  /// The client that the address names; without one, the first client.
  private static func chosen(_ pageRequest: PageRequest) throws(APIError) -> Client? {
    if let id = try pageRequest.call.query.text("client") { return try pageRequest.call.client(id) }
    return pageRequest.call.clients.clients.min { $0.id < $1.id }
  }

  private static func page(
    _ pageRequest: PageRequest, _ client: Client, secret: String? = nil, problem: APIError? = nil
  ) throws(APIError) -> Answer {
    let reader = pageRequest.reader
    let rows = try KeyCalls.forms(of: client, pageRequest.call)
      .sorted {
        ($0.status != .active ? 1 : 0, $0.cursor) < ($1.status != .active ? 1 : 0, $1.cursor)
      }
      .map { row($0, client, pageRequest) }
    var columns: [TableView.Column] = [
      .text(reader(.name)), .text(reader(.status)), .text(reader(.fingerprint)),
      .text(reader(.mayAskFor)), .text(reader(.perMinute)),
      .text(reader(.expiresIn(client.timeZone.identifier))),
      .text(reader(.lastUsedIn(client.timeZone.identifier))),
    ]
    if pageRequest.mayChange { columns.append(.text(reader(.actions))) }
    return pageRequest.page(
      .keys, in: .keys, status: problem?.status ?? 200,
      #"""
      <div class="head"><h1>\#(reader(.keys))</h1>\#(chooser(client, pageRequest))</div>\#
      <div class="stack">\#(Notice.done(pageRequest))\#(Notice.problem(problem, reader))\#
      \#(shown(secret, reader))<div class="card">\#
      \#(TableView(reader(.keys), columns, rows, empty: reader(.nothingYet)).html)</div>\#
      \#(pageRequest.mayChange ? newKey(client, pageRequest) : nil)</div>
      """#)
  }

  private static func chooser(_ client: Client, _ pageRequest: PageRequest) -> HTML {
    FilterForm(
      SitePath.keys, [FilterField.text("client", pageRequest.reader(.client), client.id)],
      button: pageRequest.reader(.show)
    ).html
  }

  /// The card with a new key's secret, which is shown only once.
  private static func shown(_ secret: String?, _ reader: Reader) -> HTML? {
    guard let secret else { return nil }
    return #"""
      <section class="card notice" role="status"><h2>\#(reader(.newSecret))</h2>\#
      <p>\#(reader(.shownOnce))</p>\#
      <p class="secret"><code id="secret">\#(secret)</code></p></section>
      """#
  }

  private static func row(_ key: KeyJSON, _ client: Client, _ pageRequest: PageRequest) -> HTML {
    let reader = pageRequest.reader
    func moment(_ instant: Timestamp?) -> String {
      instant.map { reader.moment($0, in: client.timeZone) } ?? "–"
    }
    let limits = [
      key.requestsPerMinute.map { reader(.requestCount(reader.number($0))) },
      key.tokensPerMinute.map { reader(.tokenCount(reader.number($0))) },
    ].compactMap(\.self).joined(separator: ", ")
    let may =
      (key.models ?? [])
      + (key.operations ?? []).map { name in
        Operation(rawValue: name).map { reader(.name(of: $0)) } ?? name
      }
    let lock: HTML? =
      key.isDeclared
      ? #" <span class="chip plain">\#(Icon.lock)\#(reader(.declaredInFile))</span>"# : nil
    let level = key.status == .active ? "ok" : "plain"
    return #"""
      <tr><th scope="row">\#(key.name)\#(lock)</th>\#
      <td><span class="chip \#(level)">\#(reader(.name(of: key.status)))</span></td>\#
      <td><code>\#(key.fingerprint)</code></td>\#
      <td>\#(may.isEmpty ? reader(.everything) : may.joined(separator: ", "))</td>\#
      <td>\#(limits.isEmpty ? "–" : limits)</td><td>\#(moment(key.expiresAt))</td>\#
      <td>\#(moment(key.lastUsedAt))</td>\#
      \#(pageRequest.mayChange ? actions(key, pageRequest) : nil)</tr>
      """#
  }

  private static func actions(_ key: KeyJSON, _ pageRequest: PageRequest) -> HTML {
    if key.isDeclared || key.status == .revoked { return "<td></td>" }
    let reader = pageRequest.reader
    let path = SitePath.keys.appending(key.clientID, key.name)
    return #"""
      <td><div class="inline"><form method="post" action="\#(path.appending("rotate"))" \#
      data-confirm="\#(reader(.reallyRotate))">\#(pageRequest.csrfField)<button>\#
      \#(reader(.rotate))<span class="unseen"> \#(key.name)</span></button></form>\#
      <form method="post" action="\#(path.appending("revoke"))" \#
      data-confirm="\#(reader(.reallyRevoke))">\#(pageRequest.csrfField)<button class="danger">\#
      \#(reader(.revoke))<span class="unseen"> \#(key.name)</span></button></form></div></td>
      """#
  }

  // MARK: Changing

  private static func newKey(_ client: Client, _ pageRequest: PageRequest) -> HTML {
    let reader = pageRequest.reader
    return #"""
      <section class="card"><h2>\#(reader(.newKey))</h2>\#
      <form method="post" class="fields" action="\#(SitePath.keys)">\#(pageRequest.csrfField)\#
      <input type="hidden" name="client_id" value="\#(client.id)">\#
      \#(InputField("name", reader(.name), isRequired: true).html)\#
      \#(InputField("models", reader(.models), hint: reader(.modelsHint)).html)\#
      \#(InputField("expires_at", reader(.expires), kind: .date).html)\#
      \#(InputField("requests_per_minute", reader(.requestsPerMinute)).html)\#
      \#(InputField("tokens_per_minute", reader(.tokensPerMinute)).html)\#
      <div><button class="primary">\#(reader(.makeKey))</button></div></form></section>
      """#
  }

  private static func create(_ pageRequest: PageRequest) async throws(APIError) -> Answer {
    let (form, reader) = (pageRequest.form, pageRequest.reader)
    let client = try pageRequest.call.client(form["client_id"] ?? "")
    return try await showing(pageRequest, client) { () throws(APIError) in
      try await pageRequest.perform(.post, api.appending(client.id, "keys")) { key in
        key.member("name", form["name"] ?? "")
        if let models = form["models"] {
          let patterns = models.split(whereSeparator: { $0 == "," || $0 == " " })
          key.member("models", patterns.map(String.init))
        }
        if let end = form["expires_at"] { key.member("expires_at", end) }
        for name in ["requests_per_minute", "tokens_per_minute"] {
          key.memberOfForm(name, count: form[name], reader)
        }
      }
    }
  }

  private static func rotate(_ pageRequest: PageRequest) async throws(APIError) -> Answer {
    let client = try pageRequest.call.client(pageRequest.call.parameter("client"))
    return try await showing(pageRequest, client) { () throws(APIError) in
      try await pageRequest.perform(
        .post, api.appending(client.id, "keys", pageRequest.call.parameter("key"), "rotate")
      ) { _ in }
    }
  }

  /// Calls the API and shows the page with the new secret, or with the error.
  private static func showing(
    _ pageRequest: PageRequest, _ client: Client, _ perform: () async throws(APIError) -> Answer
  ) async throws(APIError) -> Answer {
    let answer: Answer
    do throws(APIError) {
      answer = try await perform()
    } catch {
      if error.status >= 500 { throw error }
      return try page(pageRequest, client, problem: error)
    }
    let secret = try pageRequest.member("secret", of: answer)
    return try page(
      pageRequest, pageRequest.call.server.clients.client(client.id) ?? client, secret: secret)
  }

  private static func revoke(_ pageRequest: PageRequest) async throws(APIError) -> Answer {
    let client = try pageRequest.call.client(pageRequest.call.parameter("client"))
    _ = try await pageRequest.perform(
      .delete, api.appending(client.id, "keys", pageRequest.call.parameter("key"))
    ) { _ in }
    return .redirect(
      to: SitePath.keys.with("client", client.id).with("done", Notice.Done.revoked.rawValue))
  }
}
