internal import Configuration
internal import JSON
internal import Ledger
internal import Objects
internal import Pages
internal import Time

/// The objects that providers keep, and the client that owns each.
enum ObjectsPage {
  static var routes: [PageRoute] {
    [
      PageRoute(
        .get, "/dashboard/objects", .viewer,
        query: ObjectCalls.filters + [QueryParameter("after", ""), Notice.parameter]
      ) { pageRequest throws(APIError) in try page(pageRequest) },
      PageRoute(.post, "/dashboard/objects", .admin, assign),
      PageRoute(.post, "/dashboard/objects/forget", .admin, forget),
    ]
  }

  private static let api = PageAddress("/api/admin/objects")
  private static let pageLength = 50
  private static let everybody = ProviderObject.Owner.everybody.text

  /// The page. After a failed assignment, it has the form as it was sent and the error.
  private static func page(
    _ pageRequest: PageRequest, problem: APIError? = nil
  ) throws(APIError) -> Answer {
    let reader = pageRequest.reader
    let page = try ObjectCalls.page(pageRequest.call, limit: pageLength)
    let client = try pageRequest.call.query.text("client").flatMap {
      pageRequest.call.clients.client($0)
    }
    let zone = client?.timeZone ?? .utc
    var columns: [TableView.Column] = [
      .text(reader(.object)), .text(reader(.kind)), .text(reader(.provider)),
      .text(reader(.owner)), .text(reader(.key)), .text(reader(.recordedIn(zone.identifier))),
    ]
    if pageRequest.mayChange { columns.append(.text(reader(.actions))) }
    let table = TableView(
      reader(.objects), columns, page.entries.map { row($0, zone, pageRequest) },
      empty: reader(.noObjects))
    return pageRequest.page(
      .objects, in: .objects, status: problem?.status ?? 200,
      #"""
      <div class="head"><h1>\#(reader(.objects))</h1></div><div class="stack">\#
      \#(Notice.done(pageRequest))\#(Notice.problem(problem, reader))\#
      <p>\#(reader(.objectsExplained))</p>\#
      <div class="card">\#(try filterForm(pageRequest).html)</div><div class="card" id="objects">\#
      \#(table.html)\#(try older(page.next, pageRequest))</div>\#
      \#(pageRequest.mayChange ? assignment(pageRequest) : nil)</div>
      """#)
  }

  private static func filterForm(_ pageRequest: PageRequest) throws(APIError) -> FilterForm {
    let (reader, query) = (pageRequest.reader, pageRequest.call.query)
    return FilterForm(
      SitePath.objects,
      [
        FilterField.text("client", reader(.client), try query.text("client")),
        FilterField.choice(
          "provider", reader(.provider), try query.text("provider"),
          [("", reader(.all))] + providers(pageRequest)),
        FilterField.choice(
          "kind", reader(.kind), try query.text("kind"), [("", reader(.all))] + kinds(reader)),
        FilterField.text("object", reader(.objectID), try query.text("object")),
      ], button: reader(.show))
  }

  private static func older(_ next: String?, _ pageRequest: PageRequest) throws(APIError) -> HTML? {
    guard let next else { return nil }
    var address = SitePath.objects
    for filter in ObjectCalls.filters {
      address = address.with(parameter: filter.name, try pageRequest.call.query.text(filter.name))
    }
    return
      #"<p><a href="\#(address.with("after", next))">\#(pageRequest.reader(.nextPage))</a></p>"#
  }

  private static func providers(_ pageRequest: PageRequest) -> [(value: String, name: String)] {
    pageRequest.call.settings.providers.map { ($0.name, $0.name) }
  }

  private static func kinds(_ reader: Reader) -> [(value: String, name: String)] {
    ObjectKind.allCases.map { ($0.rawValue, reader(.name(of: $0))) }
  }

  // MARK: The table

  private static func row(
    _ object: ProviderObject, _ zone: TimeZoneRules, _ pageRequest: PageRequest
  ) -> HTML {
    let reader = pageRequest.reader
    let deleted = object.deletedAt.map { instant -> HTML in
      #" <span class="chip plain">\#(reader(.deletedAt(reader.moment(instant, in: zone))))</span>"#
    }
    return #"""
      <tr><th scope="row" class="id"><code>\#(object.objectID)</code>\#(deleted)</th>\#
      <td>\#(reader(.name(of: object.kind)))</td><td>\#(object.provider)</td>\#
      <td>\#(owner(object, reader))</td><td>\#(object.keyName ?? "–")</td>\#
      <td class="moment">\#(reader.moment(object.createdAt, in: zone))</td>\#
      \#(pageRequest.mayChange ? actions(object, pageRequest) : nil)</tr>
      """#
  }

  private static func owner(_ object: ProviderObject, _ reader: Reader) -> HTML {
    switch object.owner {
    case .client(let id): #"<a href="\#(SitePath.client(id))">\#(id)</a>"#
    case .everybody: #"<span class="chip attention">\#(reader(.sharedWithAll))</span>"#
    }
  }

  private static func actions(_ object: ProviderObject, _ pageRequest: PageRequest) -> HTML {
    let reader = pageRequest.reader
    let names: HTML = #"""
      \#(pageRequest.csrfField)<input type="hidden" name="provider" value="\#(object.provider)">\#
      <input type="hidden" name="object_id" value="\#(object.objectID)">
      """#
    let unseen: HTML = #"<span class="unseen"> \#(object.objectID)</span>"#
    let share: HTML = #"""
      <form method="post" class="share" action="\#(SitePath.objects)" \#
      data-confirm="\#(reader(.reallyShare))">\#(names)\#
      <input type="hidden" name="kind" value="\#(object.kind.rawValue)">\#
      <input type="hidden" name="client_id" value="\#(everybody)"><button>\#(reader(.share))\#
      \#(unseen)</button></form>
      """#
    let isShareable = object.owner != .everybody && object.deletedAt == nil
    return #"""
      <td><div class="inline">\#(isShareable ? share : nil)\#
      <form method="post" class="forget" action="\#(SitePath.objects.appending("forget"))" \#
      data-confirm="\#(reader(.reallyForget))">\#(names)<button class="danger">\#
      \#(reader(.forget))\#(unseen)</button></form></div></td>
      """#
  }

  // MARK: Changing

  private static func assignment(_ pageRequest: PageRequest) -> HTML {
    let (reader, form) = (pageRequest.reader, pageRequest.form)
    return #"""
      <section class="card"><h2>\#(reader(.assignObject))</h2>\#
      <form method="post" class="fields assign" action="\#(SitePath.objects)">\#
      \#(pageRequest.csrfField)\#
      \#(InputField.choice(
        "provider", reader(.provider), form["provider"], providers(pageRequest)))\#
      \#(InputField(
        "object_id", reader(.objectID), form["object_id"] ?? "", hint: reader(.objectIDHint),
        isRequired: true).html)\#
      \#(InputField.choice("kind", reader(.kind), form["kind"], kinds(reader)))\#
      \#(InputField(
        "client_id", reader(.client), form["client_id"] ?? "", hint: reader(.everybodyHint),
        isRequired: true).html)\#
      <div><button class="primary">\#(reader(.assign))</button></div></form></section>
      """#
  }

  private static func assign(_ pageRequest: PageRequest) async throws(APIError) -> Answer {
    let form = pageRequest.form
    do throws(APIError) {
      _ = try await pageRequest.perform(.post, api) { object in
        for name in ["provider", "object_id", "kind", "client_id"] {
          object.member(name, form[name] ?? "")
        }
      }
    } catch {
      if error.status >= 500 { throw error }
      return try page(pageRequest, problem: error)
    }
    return .redirect(
      to: SitePath.objects.with("object", form["object_id"])
        .with("done", Notice.Done.saved.rawValue))
  }

  private static func forget(_ pageRequest: PageRequest) async throws(APIError) -> Answer {
    let form = pageRequest.form
    let address = api.with("provider", form["provider"]).with("object_id", form["object_id"])
    do throws(APIError) {
      _ = try await pageRequest.perform(.delete, address) { _ in }
    } catch {
      if error.status >= 500 { throw error }
      return try page(pageRequest, problem: error)
    }
    return .redirect(to: SitePath.objects.with("done", Notice.Done.forgotten.rawValue))
  }
}
