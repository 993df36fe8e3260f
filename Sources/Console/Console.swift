internal import Configuration
public import EventLoop
internal import HTTP
public import HTTPServer
internal import JSON
public import Logging
public import Time

/// Serves the admin listener: the API and the dashboard.
public final class Console: HTTPHandler {
  private let server: any RunningServer
  private let routes: Router<APIRoute>
  /// Whether only clients' keys are valid, as on the proxy's listener.
  private let servesKeysAlone: Bool
  private let signIns: SignIns
  private let site: Site
  private let idempotentCalls = IdempotentCalls()
  private let logger: Logger
  private let clock: @Sendable () -> Timestamp

  /// Makes the console of the admin listener.
  ///
  /// - Parameter server: The server that the console shows and changes.
  public convenience init(
    server: any RunningServer, logger: Logger,
    clock: @escaping @Sendable () -> Timestamp = { .readSystemClock() }
  ) {
    self.init(
      server: server, routes: Routes.admin, servesKeysAlone: false, pages: PageRoutes.admin,
      failedSignIns: FailedSignIns(most: FailedSignIns.mostOfOperators), logger: logger,
      clock: clock)
  }

  /// Makes the console of the proxy's listener, with the calls that clients' keys may make.
  ///
  /// - Parameter failedSignIns: The failed sign-ins at that listener.
  public static func ofClients(
    server: any RunningServer, failedSignIns: FailedSignIns, logger: Logger,
    clock: @escaping @Sendable () -> Timestamp = { .readSystemClock() }
  ) -> Console {
    Console(
      server: server, routes: Routes.clients, servesKeysAlone: true, pages: PageRoutes.clients,
      failedSignIns: failedSignIns, logger: logger, clock: clock)
  }

  private init(
    server: any RunningServer, routes: [APIRoute], servesKeysAlone: Bool, pages: [PageRoute],
    failedSignIns: FailedSignIns, logger: Logger, clock: @escaping @Sendable () -> Timestamp
  ) {
    self.server = server
    self.routes = Router(routes)
    self.servesKeysAlone = servesKeysAlone
    signIns = SignIns(server: server, failures: failedSignIns)
    site = Site(pages, server: server, signIns: signIns, logger: logger, clock: clock)
    self.logger = logger
    self.clock = clock
  }

  public func handle(_ exchange: HTTPExchange) async {
    if Site.serves(exchange.head.path) {
      return await site.handle(exchange, refusing: misdirection(of: exchange.head))
    }
    let answer: Answer
    var cause: String?
    do throws(APIError) {
      if let error = misdirection(of: exchange.head) { throw error }
      answer = try await self.answer(to: exchange)
    } catch {
      cause = error.cause
      answer = error.answer(
        saysSuccess: exchange.head.path.hasPrefix(TokenBillingCalls.path))
    }
    logger.log(answer.status >= 500 ? .error : .debug, "admin_call") { line in
      line.member("method", exchange.head.method.name)
      line.member("path", exchange.head.path)
      line.member("status", Int64(answer.status))
      if let cause { line.member("reason", cause) }
    }
    do {
      try await send(answer, on: exchange)
    } catch {
      // The client disconnected, so the answer can't be sent.
      exchange.abort()
    }
  }

  /// The refusal of a request whose `Host` isn't a name of the admin listener; nil if it is one.
  /// Probes use any name, and their answers reveal nothing.
  private func misdirection(of head: RequestHead) -> APIError? {
    guard !servesKeysAlone, !HealthCalls.paths.contains(head.path),
      // The refusal's page needs these files, and they reveal nothing.
      !SiteFiles.lookAndFeel.contains(head.path),
      !HostRule(settings: server.settings.admin).allows(head.host)
    else { return nil }
    let host = String((head.host ?? "").prefix(253))
    logger.log(.warn, "admin_host_refused") { line in
      line.member("host", host)
      line.member("path", head.path)
      line.member("advice", "if this server is called so, add the name to admin.hosts")
    }
    return .misdirected(host)
  }

  private func send(
    _ answer: Answer, on exchange: HTTPExchange
  ) async throws(HTTPExchangeError) {
    let begin = answer.httpAnswer
    guard let rest = answer.rest else { return try await exchange.respond(begin) }
    try await exchange.start(begin.head, framing: .chunked)
    guard exchange.head.method != .head else { return }
    try await exchange.write(begin.body)
    while true {
      // The ledger blocks, so pieces must not be read on an event loop.
      let read = Task { () -> Result<[UInt8]?, APIError> in
        do throws(APIError) { return .success(try await rest()) } catch { return .failure(error) }
      }
      switch await read.value {
      case .success(let piece?): try await exchange.write(piece)
      case .success(nil): return try await exchange.finish()
      case .failure(let error):
        // The client notices that the body is incomplete, since its end is missing.
        logger.log(.error, "admin_answer_broken") { line in
          line.member("path", exchange.head.path)
          line.member("reason", error.message)
        }
        return exchange.abort()
      }
    }
  }

  public func refuse(_ refusal: HTTPRefusal, of client: SocketAddress?) -> HTTPAnswer {
    let error: APIError =
      switch refusal {
      case .invalid(let error) where error.status == 431:
        .headTooLarge(limit: Int(clamping: server.settings.limits.header.bytes))
      case .invalid(let error): .malformed(error)
      case .requestTimeout: .requestTimeout
      case .tooManyConnections: .overloaded
      case .tooManyConnectionsOfAddress: .tooManyConnectionsOfAddress
      }
    logger.log(.debug, "admin_call") { line in
      line.member("status", Int64(error.status))
      line.member("reason", error.message)
      line.member("address", client?.host)
    }
    return error.answer.httpAnswer
  }

  private func answer(to exchange: HTTPExchange) async throws(APIError) -> Answer {
    let head = exchange.head
    let (route, parameters) = try routes.route(head.method, path: head.path)
    let now = clock()
    let credential = try await credential(of: exchange, for: route, at: now)
    let body = try await self.body(of: exchange, for: route)
    let idempotencyKey = head.fields.first(IdempotentCalls.field)
    return try await Console.work { [self] () throws(APIError) in
      let query = try Query(head.query, allowed: route.query)
      let call = Call(
        server: server, credential: credential, parameters: parameters, query: query,
        body: (body, route.body), fields: head.fields, now: now)
      guard route.method == .post, let idempotencyKey else {
        return try await route.carryOut(call)
      }
      return try await idempotentCalls.answer(
        call, key: idempotencyKey, of: route, target: head.target.text)
    }
  }

  /// Reads the body. A route without a credential has no body, unless the body is signed.
  private func body(
    of exchange: HTTPExchange, for route: APIRoute
  ) async throws(APIError) -> [UInt8] {
    guard case .anyone = access(to: route) else { return try await Body.read(from: exchange) }
    guard route.takesAnyObject else { return [] }
    return try await Body.read(
      from: exchange, limit: Body.largestSigned, beforeCredential: true)
  }

  private func access(to route: APIRoute) -> APIRoute.Access {
    route.access(under: server.settings.admin)
  }

  // MARK: Who is it?

  /// Identifies the caller before the body is read. Bodies of strangers must not take memory or
  /// time.
  private func credential(
    of exchange: HTTPExchange, for route: APIRoute, at now: Timestamp
  ) async throws(APIError) -> Credential? {
    if case .anyone = access(to: route) { return nil }
    let (fields, network) = (exchange.head.fields, exchange.clientNetwork)
    let credential = try await Console.work { [self] () throws(APIError) in
      try signIn(fields, from: network, to: route, at: now)
    }
    try exchange.count(credential)
    return credential
  }

  /// Runs `body` off the event loops, since it uses the ledger, which blocks.
  static func work<Answer: Sendable>(
    _ body: @escaping @Sendable () async throws(APIError) -> Answer
  ) async throws(APIError) -> Answer {
    let work = Task { () -> Result<Answer, APIError> in
      do throws(APIError) { return .success(try await body()) } catch { return .failure(error) }
    }
    return try await work.value.get()
  }

  private func signIn(
    _ fields: HeaderFields, from network: SocketAddress.Network?, to route: APIRoute,
    at now: Timestamp
  ) throws(APIError) -> Credential {
    let credential = try credential(
      in: fields, from: network, isChange: route.method != .get, at: now)
    if servesKeysAlone, case .token = credential { throw .invalidCredential }
    switch (access(to: route), credential) {
    case (.anyone, _), (.key, _), (_, .token(_, .admin)), (.viewer, .token(_, .viewer)),
      (.adminOrKey, .key):
      return credential
    case (.admin, .token), (.adminOrKey, .token), (.scraper, .token):
      throw .ofViewer
    case (_, .key): throw .forbidden("This call is for an administrator's token.")
    }
  }

  /// The caller's credential, from the field `Authorization` or from a browser's session. A session
  /// must send its CSRF token with each change.
  private func credential(
    in fields: HeaderFields, from network: SocketAddress.Network?, isChange: Bool,
    at now: Timestamp
  ) throws(APIError) -> Credential {
    if let secret = Credential.secret(in: fields.first(.authorization)) {
      return try signIns.credential(of: secret, from: network, at: now)
    }
    guard !fields.contains(.authorization), let session = signIns.session(of: fields, at: now),
      let credential = try signIns.credential(of: session.digest, at: now)
    else { throw .invalidCredential }
    guard !isChange || session.isCSRFToken(fields.first(Console.csrfField)) else {
      throw .forbidden("A session's changes say its CSRF token, in \(Console.csrfField).")
    }
    return credential
  }

  private static let csrfField: FieldName = "x-catraca-csrf"
}
