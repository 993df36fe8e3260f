internal import Budgets
internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Logging
internal import Metering
internal import Objects
internal import Pricing
internal import Time

/// One request's way through the house, from top to bottom:
///
/// 1. who is it? 2. what is it? 3. what may it cost? 4. can it be paid? 5. write it down
/// 6. pass it on, reading the usage in passing 7. settle, write it down, answer.
///
/// Steps 1 to 4 are here and end in a refusal or in a grant. From the grant on, `ForwardedRequest`
/// carries the request, because from there on every way out must end the hold and the intent.
final class RequestPipeline {
  let exchange: HTTPExchange
  let gateway: Gateway
  let resources: LoopResources
  let rules: RulesSnapshot
  let id: RequestID
  /// When the request came. A turn of a session begins anew: see `begin`.
  private(set) var startedAt: Timestamp
  private(set) var receivedAt: MonotonicInstant
  /// Its span; nil where nothing is traced.
  private(set) var trace: RequestTrace?
  /// Nil until it is known who asks.
  var clientID: String?

  init(_ exchange: HTTPExchange, through gateway: Gateway, at resources: LoopResources) {
    self.exchange = exchange
    self.gateway = gateway
    self.resources = resources
    rules = gateway.rules()
    startedAt = gateway.clock()
    receivedAt = exchange.receivedAt
    id = gateway.requestIDs.next(at: startedAt)
  }

  /// A further part of a session, with the rules that are now in force.
  convenience init(partOf session: RequestPipeline) {
    self.init(session.exchange, through: session.gateway, at: session.resources)
    trace = session.trace
  }

  /// Each part ends before the next begins, since what a function that waits has in hand rests with
  /// it: a stream may last for minutes.
  func run() async {
    if let claim = await claim(), let forwarded = await forwarded(for: claim),
      let stream = await forwarded.run()
    {
      await stream.run()
    }
    trace?.end(status: exchange.status)
  }

  /// The request with its quote: its facts, and its cost at most.
  private typealias Claim = (request: MeteredRequest, quote: Quote)

  /// Nil where all is answered.
  private func claim() async -> Claim? {
    do throws(Refusal) {
      let providers = rules.settings.providers.lazy.map { $0.name }
      switch ProxyRoute(path: exchange.head.path, providers: providers) {
      case .health:
        guard exchange.head.method == .get || exchange.head.method == .head else {
          throw .methodNotAllowed(allowed: "GET, HEAD")
        }
        await answer(healthy())
      case .own:
        exchange.addedFields.appendOwn(.catracaRequestID, "\(id)")
        await gateway.ownCalls.handle(exchange)
      case .unknown: throw .unknownPath(RequestPipeline.shortened(exchange.head.path))
      case .ambiguous: throw .ambiguousPath
      case .unknownProvider(let name):
        // Without a key, a client doesn't learn which providers there are.
        _ = try identify()
        throw .unknownProvider(RequestPipeline.shortened(name))
      case .provider(let name, let endpoint):
        trace = gateway.tracer.map { RequestTrace($0, of: self) }
        return try await forward(endpoint, to: name)
      }
    } catch {
      await refuse(error)
    }
    return nil
  }

  /// The part of a session that this stands for begins now, some time after its hold was taken.
  func begin() {
    startedAt = gateway.clock()
    receivedAt = .now()
  }

  private func forward(
    _ path: String, to providerName: String?
  ) async throws(Refusal) -> Claim? {
    if gateway.isStopping { throw .shuttingDown }
    let identity = try identify()
    trace?.note(identity)
    try WithheldFields.check(query: exchange.head.query)
    if exchange.head.method == .get, path == Endpoints.responses.path,
      exchange.head.fields.contains(.upgrade, token: "websocket")
    {
      throw .webSocketNotServed
    }
    switch Endpoints.classify(method: exchange.head.method.name, path: path) {
    case .metered(let endpoint):
      trace?.note(route: endpoint.path)
      try limitRate(identity)
      if endpoint.isWebSocket {
        try await serveRealtime(identity, of: providerName)
      } else {
        try WithheldFields.check(queryOfMetered: exchange.head.query)
        return try await serve(endpoint, identity, of: providerName)
      }
    case .batch:
      try limitRate(identity)
      try WithheldFields.check(queryOfMetered: exchange.head.query)
      return try await serveBatch(identity, of: providerName)
    case .models(let name): try await serveModels(named: name, identity, of: providerName)
    case .free:
      try await serveFree(path, identity, of: providerName)
    case .closed: throw .endpointNotMetered(method: exchange.head.method.name, path: path)
    case .refused:
      guard rules.allowsUnmetered(path) else {
        throw .endpointNotMetered(method: exchange.head.method.name, path: path)
      }
      try await serveFree(path, identity, of: providerName)
    }
    return nil
  }

  @inline(never)
  private func serveFree(
    _ path: String, _ identity: Identity, of providerName: String?
  ) async throws(Refusal) {
    try await UnmeteredForwarding(path: path, providerName: providerName, for: identity, on: self)
      .run()
  }

  @inline(never)
  private func serve(
    _ endpoint: Endpoint, _ identity: Identity, of providerName: String?
  ) async throws(Refusal) -> Claim {
    let claim = try read(
      await MeteredRequest.readBody(of: self), endpoint, identity, of: providerName)
    if mayNameObjects(claim.request) { try await checkObjects(of: claim) }
    return claim
  }

  @inline(never)
  private func mayNameObjects(_ request: MeteredRequest) -> Bool {
    let facts = request.facts
    return !facts.references.isEmpty || !facts.itemIDs.isEmpty || exchange.head.query != nil
      || !ObjectReferences.inFields(exchange.head.fields).isEmpty
  }

  /// Whether all objects that the request names are its client's own.
  @inline(never)
  private func checkObjects(of claim: Claim) async throws(Refusal) {
    var references =
      claim.request.facts.references + ObjectReferences.inFields(exchange.head.fields)
    do {
      references += try ObjectReferences.inQuery(exchange.head.query, list: nil)
    } catch {
      throw .unreadable(.tooManyReferences)
    }
    let (owners, provider) = (gateway.owners, claim.quote.provider)
    let identity = claim.request.identity
    try await owners.check(references, of: provider, for: identity, on: self)
    claim.request.foreignItemIDs = await owners.foreign(
      claim.request.facts.itemIDs, of: provider, for: identity, on: self)
  }

  // Functions that aren't inlined, here and further on, need much room for a moment. In an
  // asynchronous function it would have that for as long as the function waits, a stream's whole
  // time.
  @inline(never)
  private func read(
    _ body: [UInt8], _ endpoint: Endpoint, _ identity: Identity, of providerName: String?
  ) throws(Refusal) -> Claim {
    let request = try MeteredRequest(
      for: self, identity: identity, endpoint: endpoint, providerName: providerName, body: body)
    trace?.note(request)
    return (request, try Quote(for: request, in: self))
  }

  @inline(never)
  private func serveRealtime(
    _ identity: Identity, of providerName: String?
  ) async throws(Refusal) {
    let request = try RealtimeRequest(for: self, identity: identity, providerName: providerName)
    trace?.note(.realtime, model: request.model)
    try await RealtimeOpening.serve(request, on: self)
  }

  @inline(never)
  private func serveBatch(
    _ identity: Identity, of providerName: String?
  ) async throws(Refusal) -> Claim {
    let submission = try await BatchSubmission(
      for: self, identity: identity, providerName: providerName)
    let claim: Claim = try await submission.read()
    trace?.note(claim.request)
    return claim
  }

  /// Unknown keys are counted by where they come from, so that guessing is slow.
  @inline(never)
  private func identify() throws(Refusal) -> Identity {
    do throws(Refusal) {
      let identity = try Identity(of: exchange.head, among: rules.clients, at: startedAt)
      clientID = identity.client.id
      try noteCredential(of: identity)
      return identity
    } catch {
      if case .invalidKey(.unknown) = error,
        let seconds = gateway.failedSignIns.note(from: exchange.clientNetwork, at: receivedAt)
      {
        throw .tooManyWrongKeys(retryAfterSeconds: seconds)
      }
      throw error
    }
  }

  private func noteCredential(of identity: Identity) throws(Refusal) {
    do {
      try exchange.noteCredential(of: .key(client: identity.client.id, name: identity.key.name))
    } catch {
      throw .tooManyRequestsOfKey
    }
  }

  @inline(never)
  func limitRate(_ identity: Identity, isFree: Bool = false) throws(Refusal) {
    if let seconds = gateway.rateLimits.admit(
      identity.key, of: identity.client.id, isFree: isFree, at: startedAt)
    {
      throw .rateLimited(retryAfterSeconds: seconds)
    }
  }

  // MARK: Can it be paid?

  /// Nil where it can't, which is answered.
  private func forwarded(for claim: Claim) async -> ForwardedRequest? {
    do throws(Refusal) {
      trace?.note(claim.quote.provider)
      let place = try takePlace(for: claim.request)
      let forwarded = try await admit(claim.request, claim.quote)
      forwarded.place = place
      return forwarded
    } catch {
      await refuse(error)
      return nil
    }
  }

  /// Sets the request's bound aside. In the last mile the provider's own count may fit where the
  /// bytes don't.
  func admit(_ request: MeteredRequest, _ asked: Quote) async throws(Refusal) -> ForwardedRequest {
    if request.facts.asksForAgents { try checkAgents(of: request, asked) }
    let quote =
      request.facts.lacksCallLimit ? try limitingCalls(of: request, asked) : asked
    let verdict = await ask(request, quote)
    if verdict.isDenied, let counted = await countedQuote(request, quote, verdict) {
      let second = await ask(request, counted)
      if !second.isDenied { return try forwarded(of: request, counted, by: second) }
    }
    return try forwarded(of: request, quote, by: verdict)
  }

  @inline(never)
  private func countedQuote(
    _ request: MeteredRequest, _ quote: Quote, _ verdict: AdmissionController.Verdict
  ) async -> Quote? {
    await ProviderTokenCount(of: request, quote, verdict, on: self)?.countedQuote()
  }

  /// The request that a verdict admits.
  ///
  /// - Throws: the refusal, if the verdict refuses the request.
  @inline(never)
  private func forwarded(
    of request: MeteredRequest, _ quote: Quote, by verdict: AdmissionController.Verdict
  ) throws(Refusal) -> ForwardedRequest {
    switch verdict {
    case .held(let grant, let shadows):
      for denial in shadows { logShadow(denial, of: request, quote) }
      return ForwardedRequest(of: request, quote, Hold(grant, keeper: gateway.controller), on: self)
    case .denied(let denial):
      let refusal = budgetRefusal(denial, client: request.identity.client.id)
      report(refusal, of: request, quote)
      throw .budget(refusal)
    case .abandoned: throw .clientLeft
    case .ledgerUnavailable: throw .ledgerUnavailable
    }
  }

  private func ask(
    _ request: MeteredRequest, _ quote: Quote
  ) async -> AdmissionController.Verdict {
    if let leases = gateway.controller.leases {
      return await ask(request, quote, on: leases)
    }
    switch decide(request, quote) {
    case .decided(let verdict): return verdict
    case .waiting(let ticket): return await verdict(for: ticket)
    }
  }

  private func ask(
    _ request: MeteredRequest, _ quote: Quote, on leases: LeaseClient
  ) async -> AdmissionController.Verdict {
    let verdict = await gateway.controller.admit(
      quote.demand, for: request.caller(for: quote), patience: rules.settings.admission.wait,
      at: leases, on: exchange.loop, whenLeaving: { exchange.onClientGone = $0 })
    exchange.onClientGone = nil
    return verdict
  }

  private func verdict(for ticket: Ticket) async -> AdmissionController.Verdict {
    let verdict = await gateway.controller.verdict(
      for: ticket, patience: rules.settings.admission.wait, on: exchange.loop,
      whenLeaving: { exchange.onClientGone = $0 })
    exchange.onClientGone = nil
    return verdict
  }

  @inline(never)
  private func decide(_ request: MeteredRequest, _ quote: Quote) -> AdmissionController.Decision {
    gateway.controller.decide(quote.demand, for: request.caller(for: quote))
  }

  /// The provider of a request, with the key that its client's requests go out with: the one that
  /// the path names, else the header's, else the first.
  func provider(named name: String?) throws(Refusal) -> Provider {
    guard let first = rules.settings.providers.first else {
      preconditionFailure("a configuration has at least one provider")
    }
    let name = name ?? exchange.head.fields.first(.catracaProvider) ?? first.name
    guard let provider = rules.provider(name, for: clientID ?? "") else {
      throw .unknownProvider(name)
    }
    return provider
  }

  /// The fields that the provider gets.
  func forwardedFields(
    to provider: Provider, for purpose: WithheldFields.Purpose = .answer, readAsJSON: Bool = false
  ) -> HeaderFields {
    Forwarding.request(
      exchange.head.fields, to: provider, of: clientID ?? "", for: purpose,
      readAsJSON: readAsJSON, at: trace?.position)
  }

  // MARK: Our own answers

  private func healthy() -> HTTPAnswer {
    RefusalAnswer.httpAnswer(
      status: 200, fields: [], body: Array(#"{"status":"ok"}"#.utf8), requestID: "\(id)")
  }

  func answer(_ answer: HTTPAnswer) async {
    do {
      try await exchange.respond(answer)
    } catch {
      // The client is gone: nobody is left to be told.
      exchange.abort()
    }
  }
}
