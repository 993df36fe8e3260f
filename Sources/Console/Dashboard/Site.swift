internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Logging
internal import Pages
internal import Time

/// Serves the pages of a listener: finds the page and identifies the visitor.
final class Site: Sendable {
  private let routes: Router<PageRoute>
  private let server: any RunningServer
  private let signIns: SignIns
  private let liveEvents: LiveEvents
  private let logger: Logger
  private let clock: @Sendable () -> Timestamp

  init(
    _ routes: [PageRoute], server: any RunningServer, signIns: SignIns, logger: Logger,
    clock: @escaping @Sendable () -> Timestamp
  ) {
    self.routes = Router(routes)
    self.server = server
    self.signIns = signIns
    liveEvents = LiveEvents(server: server)
    self.logger = logger
    self.clock = clock
  }

  /// Whether the path belongs to a page.
  static func serves(_ path: String) -> Bool {
    path == "/" || path == "/dashboard" || path.hasPrefix("/dashboard/") || path == "/widget"
      || path.hasPrefix("/widget/") || path == SiteFiles.favicon
  }

  /// - Parameter error: Refuses the request whatever it asks for; nil if it may go on.
  func handle(_ exchange: HTTPExchange, refusing error: APIError?) async {
    let (answer, cause): (Answer, String?)
    if let error {
      (answer, cause) = (RefusedPage(error: error, head: exchange.head).answer, error.cause)
    } else if exchange.head.path == PageFrame.events.text {
      return await tell(exchange)
    } else {
      (answer, cause) = await self.answer(to: exchange)
    }
    logger.log(answer.status >= 500 || cause != nil ? .error : .debug, "page_visit") { line in
      line.member("method", exchange.head.method.name)
      line.member("path", exchange.head.path)
      line.member("status", Int64(answer.status))
      if let cause { line.member("reason", cause) }
    }
    do {
      try await exchange.respond(answer.httpAnswer)
    } catch {
      // The browser disconnected, so the answer can't be sent.
      exchange.abort()
    }
  }

  /// The page, and why the server couldn't read all of it, for the log; nil if it could.
  private func answer(to exchange: HTTPExchange) async -> (Answer, cause: String?) {
    let head = exchange.head
    let now = clock()
    let network = exchange.clientNetwork
    do throws(APIError) {
      // Only the body is read on an event loop, since the ledger blocks.
      let admission = try await Console.work { () throws(APIError) in
        try self.admission(of: head, at: now)
      }
      switch admission {
      case .redirected(let answer): return (answer, nil)
      case .admitted(let entry):
        if let credential = entry.credential { try exchange.count(credential) }
        let form = try await Site.form(of: entry.route, from: exchange)
        return try await Console.work { () throws(APIError) in
          try await self.answer(head, entry, form, from: network, at: now)
        }
      }
    } catch {
      return (RefusedPage(error: error, head: head).answer, error.cause)
    }
  }

  /// The result of checking a request's head, before its body is read.
  private enum Admission: Sendable {
    case admitted(Entry)
    /// The browser is redirected.
    case redirected(Answer)
  }

  /// A page that the visitor may see, and the visitor.
  private struct Entry: Sendable {
    let route: PageRoute
    let parameters: [String: String]
    let credential: Credential?
    /// Nil if the visitor isn't signed in.
    let session: Session?
  }

  private func admission(of head: RequestHead, at now: Timestamp) throws(APIError) -> Admission {
    let (route, parameters) = try routes.route(head.method, path: head.path)
    let session = signIns.session(of: head.fields, at: now)
    let credential: Credential?
    if let session {
      credential = try signIns.credential(of: session.digest, at: now)
    } else {
      credential = nil
    }
    if let elsewhere = try check(credential, for: route, head) { return .redirected(elsewhere) }
    return .admitted(
      Entry(
        route: route, parameters: parameters, credential: credential,
        session: credential == nil ? nil : session))
  }

  /// Reads a form. A request for a page (GET) has none. A form that needs no session, such as the
  /// sign-in, has a smaller limit and less time.
  private static func form(
    of route: PageRoute, from exchange: HTTPExchange
  ) async throws(APIError) -> PageForm {
    guard route.method == .post else { return .empty }
    guard case .anyone = route.access else { return try PageForm(await Body.read(from: exchange)) }
    return try PageForm(
      await Body.read(from: exchange, limit: Body.largestForm, beforeCredential: true))
  }

  private func answer(
    _ head: RequestHead, _ entry: Entry, _ form: PageForm, from network: SocketAddress.Network?,
    at now: Timestamp
  ) async throws(APIError) -> (Answer, cause: String?) {
    let route = entry.route
    let call = Call(
      server: server, credential: entry.credential, parameters: entry.parameters,
      query: try Query(head.query, allowed: route.query, isOfForm: true), body: ([], .none),
      fields: HeaderFields(), now: now)
    let pageRequest = PageRequest(
      call, head: head, from: network, session: entry.session, form: form,
      signIns: signIns, cookie: cookie)
    if route.method == .post { try checkOrigin(of: pageRequest, route) }
    let answer = try await route.handler(pageRequest)
    return (answer, pageRequest.failures.compactMap(\.cause).first)
  }

  private var cookie: SessionCookie {
    SessionCookie(isSecure: server.settings.admin.tls != nil)
  }

  /// Notifies an open page of changes as long as the visitor is signed in.
  private func tell(_ exchange: HTTPExchange) async {
    let (fields, signIns, clock) = (exchange.head.fields, signIns, clock)
    let session = signIns.session(of: fields, at: clock())
    let isSignedIn = { signIns.session(of: fields, at: clock()) != nil }
    if let session, await liveEvents.serve(exchange, of: session, while: isSignedIn) { return }
    let error = session == nil ? APIError.invalidCredential : .tooManyPages
    do {
      try await exchange.respond(error.answer.httpAnswer)
    } catch {
      exchange.abort()
    }
  }

  // MARK: Who may see what

  /// The redirect for a visitor who isn't signed in; nil if the page may be shown. Throws if the
  /// visitor may not see the page.
  private func check(
    _ credential: Credential?, for route: PageRoute, _ head: RequestHead
  ) throws(APIError) -> Answer? {
    switch (route.access, credential) {
    case (.anyone, _), (.client, .some), (.viewer, .token), (.admin, .token(_, .admin)): return nil
    case (_, nil):
      let back = route.method == .get ? head.target.text : nil
      return .redirect(to: SitePath.signIn.with("back", back))
    case (.admin, .token): throw .ofViewer
    case (_, .key(let owner)):
      if head.path == SitePath.overview.text {
        return .redirect(to: SitePath.client(owner.client.id))
      }
      throw .forbidden(
        "This page needs an administrator's token.",
        portuguese: "Esta página exige o token de um administrador.")
    }
  }

  /// Throws unless the form was sent from a page of this site with the session's CSRF token.
  private func checkOrigin(of pageRequest: PageRequest, _ route: PageRoute) throws(APIError) {
    if let origin = pageRequest.head.fields.first(.origin) {
      let host = pageRequest.head.host ?? ""
      guard origin == "http://\(host)" || origin == "https://\(host)" else {
        throw .ofForeignForm
      }
    }
    // Browsers send this field also when they omit `Origin`.
    let sender = pageRequest.head.fields.first(Site.fetchSite)
    if let sender, !["same-origin", "none"].contains(sender) {
      throw .ofForeignForm
    }
    if case .anyone = route.access { return }
    guard pageRequest.session?.isCSRFToken(pageRequest.form["csrf"]) == true else {
      throw .forbidden(
        "The form is out of date. Load its page again.",
        portuguese: "O formulário está desatualizado. Carregue a página de novo.")
    }
  }

  private static let fetchSite: FieldName = "sec-fetch-site"
}
