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
internal import Upstream

/// Carries a request that can be paid: write it down, pass it on, settle.
///
/// Every way out of `run` ends the hold and the intent: `giveBack` where nothing can have reached
/// the provider, else `settle`. The client never gets the last byte of its answer before the row
/// is safe.
final class ForwardedRequest {
  let pipeline: RequestPipeline
  let request: MeteredRequest
  let quote: Quote
  let grant: Grant
  let rewrite: RequestRewrite
  private let dialect: ProviderDialect
  private var hold: Hold?
  private var hasIntent = false
  /// Of work that outlives its answer: the place that it takes among its client's, until the work
  /// itself takes it over.
  var place: DeferredPlace?
  /// The origin of work that outlives its answer. It tells a repeated request from a new one.
  private(set) var origin: DeferredWork.Origin?

  /// The client has hung up.
  var clientLeft = false
  /// When the provider's answer was taken over a client that had left.
  var isDraining = false
  /// The client may not see the rest of the answer: whose the objects in it are can't be recorded.
  var hidesAnswer = false
  /// See `awaitsObject`.
  var hangUp = HangUp()
  /// When the model began to write, where that isn't when the request was sent.
  var generationStartedAt: MonotonicInstant?
  /// When the first byte of the answer's body came.
  var firstByteAt: MonotonicInstant?
  /// Time that went by in our own work: see `overhead`.
  private var preparedAt: MonotonicInstant
  private var startedSendingAt: MonotonicInstant?

  var exchange: HTTPExchange { pipeline.exchange }
  var gateway: Gateway { pipeline.gateway }

  init(
    of request: MeteredRequest, _ quote: Quote, _ hold: consuming Hold, on pipeline: RequestPipeline
  ) {
    self.pipeline = pipeline
    self.request = request
    self.quote = quote
    grant = hold.grant
    self.hold = consume hold
    dialect = ProviderDialect(provider: quote.provider.name)
    rewrite = RequestRewrite(
      for: request.facts, endpoint: request.endpoint, dialect: dialect,
      outputLimit: grant.clampedOutput, callLimit: quote.callLimit,
      isSharedAccount: quote.provider.isShared, foreignItemIDs: request.foreignItemIDs)
    preparedAt = .now()
  }

  /// Returns the stream that the provider answers with, which is the caller's to run; nil where all
  /// is answered.
  func run() async -> StreamRelay? {
    do throws(Refusal) {
      try await writeIntent()
      guard !exchange.isClientGone else { throw .clientLeft }
      if request.identity.client.logsPrompts { logPrompt() }
      let transfer = try startTransfer()
      watchClient(transfer)
      switch await answer(of: transfer) {
      case .stream(let relay): return relay
      case .whole(var relay): await relay.run()
      case nil: break
      }
      forgetClient()
    } catch {
      await refuse(error)
    }
    return nil
  }

  /// Nobody waits for the client's end any more.
  func forgetClient() {
    exchange.onClientGone = nil
    exchange.onBreakOff = nil
  }

  @inline(never)
  private func refuse(_ refusal: Refusal) async {
    await giveBack()
    await pipeline.refuse(refusal)
  }

  // MARK: Write it down

  /// A turn of a session begins: until now nothing was done but to hold what it may need.
  func beginTurn() {
    pipeline.begin()
    preparedAt = .now()
    startedSendingAt = preparedAt
  }

  func writeIntent() async throws(Refusal) {
    do throws(LedgerError) {
      try await gateway.ledger.open(intent())
      hasIntent = true
    } catch .takenForDead {
      throw .ledgerUnavailable
    } catch {
      gateway.logger.log(.error, "ledger_unavailable") { line in
        line.member("request_id", "\(pipeline.id)")
        line.member("reason", error.description)
      }
      // With `on_failure: allow` the ledger has spooled the intent, and doesn't throw. A request
      // whose intent it can neither commit nor spool must not be forwarded: killed, the process
      // would lose it.
      throw .ledgerUnavailable
    }
    if gateway.controller.isVoid(grant) { throw .ledgerUnavailable }
  }

  // MARK: Pass it on

  @inline(never)
  private func startTransfer() throws(Refusal) -> Transfer {
    let body: [UInt8]
    do {
      body = try rewrite.applied(
        to: request.takeBody(), endpoint: request.endpoint, parser: pipeline.resources.parser
      ) { Forwarding.cacheName($0, of: request.identity.client.id) }
    } catch {
      throw .unreadable(error)
    }
    let limits = pipeline.rules.settings.limits
    let upstream = UpstreamRequest(
      url: Forwarding.url(
        request.endpoint.path, query: exchange.head.query, of: quote.provider),
      method: exchange.head.method,
      fields: pipeline.forwardedFields(to: quote.provider, readAsJSON: request.isJSON),
      body: .bytes(body), connectTimeout: limits.upstreamConnect,
      idleTimeout: limits.upstreamIdle, certificateAuthorities: quote.provider.caFile,
      bodyKeeper: exchange.takeBodyReservation())
    if request.outlivesAnswer { origin = DeferredWork.Origin(of: request, exchange.head) }
    exchange.forgetFields()
    do {
      startedSendingAt = .now()
      return try pipeline.resources.upstream.start(upstream)
    } catch {
      throw .overloaded
    }
  }

  private enum Answer {
    case stream(StreamRelay)
    case whole(AnswerRelay)
  }

  /// The relay of the provider's answer; nil if there was no answer and the request has ended.
  @inline(never)
  private func answer(of transfer: Transfer) async -> Answer? {
    do throws(UpstreamError) {
      let head = try await transfer.head()
      hangUp.hasAnswer = true
      return answer(head, of: transfer)
    } catch {
      await failUnanswered(error)
      return nil
    }
  }

  @inline(never)
  private func failUnanswered(_ error: UpstreamError) async {
    await fail(error, status: nil, report: nil)
  }

  @inline(never)
  private func answer(_ head: UpstreamResponseHead, of transfer: Transfer) -> Answer {
    head.status < 400 && (head.isEventStream || request.expectsStream && head.isPlainText)
      ? .stream(StreamRelay(of: self, head, transfer))
      : .whole(AnswerRelay(of: self, head, transfer))
  }

  /// When the client hangs up: `cancel` stops the provider, `drain` reads on within its bounds.
  /// With `cancel`, Catraca reads on for a moment if that tells whose a stored object is.
  ///
  /// Work that outlives its answer goes on at the provider, whatever becomes of this connection. So
  /// the answer, which alone names that work, is read to its end. Only a stop of the server that
  /// has waited long enough ends that.
  @inline(never)
  private func watchClient(_ transfer: Transfer) {
    exchange.onBreakOff = { transfer.cancel() }
    exchange.onClientGone = { [self] in
      clientLeft = true
      guard !request.outlivesAnswer else { return isDraining = true }
      switch quote.provider.onDisconnect {
      case .cancel:
        guard awaitsObject else { return transfer.cancel() }
        LoopTimer(on: exchange.loop) { transfer.cancel() }.start(after: HangUp.longestWait)
      case .drain(let longest, _):
        guard !gateway.isStopping else { return transfer.cancel() }
        isDraining = true
        LoopTimer(on: exchange.loop) { transfer.cancel() }.start(after: longest)
      }
    }
    if exchange.isClientGone { exchange.onClientGone?() }
  }

  /// Whether reading goes on for a client that has left, after `count` bytes.
  @inline(never)
  func mayDrain(after count: Int) -> Bool {
    if request.outlivesAnswer { return true }
    guard case .drain(_, let most) = quote.provider.onDisconnect else { return false }
    return !gateway.isStopping && count <= Int(clamping: most.bytes)
  }

  /// Ends a request whose provider failed before the client got anything of an answer.
  @inline(never)
  func fail(
    _ error: UpstreamError, status: Int?, report: UsageReport?, madeObjects: [MadeObject]? = nil
  ) async {
    pipeline.logUpstreamFailure(error) { pipeline.writeMembers(of: request, quote, to: &$0) }
    let refusal = Refusal(error, provider: quote.provider.name)
    guard error.wasSent else { return await refuse(refusal) }
    let answered = if case .clientLeft = refusal { 0 } else { RefusalAnswer(refusal).status }
    _ = await settle(
      Completion(
        status: status ?? answered, outcome: outcome(ofFailureAfter: status), report: report,
        isCut: true, madeObjects: madeObjects))
    await pipeline.refuse(refusal)
  }

  /// How a request ended whose answer broke off.
  ///
  /// - Parameter status: the provider's, if it came. An error costs nothing, cut or whole.
  private func outcome(ofFailureAfter status: Int?) -> Outcome {
    if let status, status >= 400 { return .providerError }
    // A client can't end work that outlives its answer.
    return clientLeft && !request.outlivesAnswer ? .clientDisconnected : .upstreamBroken
  }

  // MARK: Settle

  /// Ends the hold and the intent of a request that never reached the provider.
  func giveBack() async {
    if hasIntent {
      do throws(LedgerError) {
        try await gateway.ledger.discard(pipeline.id)
      } catch {
        // The intent stays, and is settled with its estimate when the ledger starts again.
        logRecordingFailure(error)
      }
    }
    hold.take()?.release()
  }

  /// Leaves the hold to work that outlives the request.
  func handOverHold() {
    guard let hold = hold.take() else { preconditionFailure("a request is settled once") }
    _ = hold.handOver()
  }

  /// Settles the hold with what the request used, and returns when its row is safe.
  @inline(never)
  func settle(_ completion: Completion) async -> RequestSettlement {
    await beginSessions(completion.report)
    let (settled, used) = conclude(completion)
    guard let hold = hold.take() else { preconditionFailure("a request is settled once") }
    let order = SettlementOrder(hold, with: used, in: gateway.controller)
    await record(settled.entry(charged: order.charges))
    settled.tightest = order.finish(in: gateway.ledger)
    report(settled)
    return settled
  }

  @inline(never)
  private func conclude(_ completion: Completion) -> (RequestSettlement, used: Consumption) {
    var completion = completion
    completion.report = completion.report?.completed(by: dialect)
    if completion.status < 400 || completion.isUnread { logDoubts(about: completion) }
    let figures = RequestSettlement.Figures(completion, of: self)
    gateway.rateLimits.use(
      figures.usage.totalTokens, by: request.identity.key, of: request.identity.client.id,
      at: gateway.clock())
    return (RequestSettlement(figures, completion, of: self), figures.consumption)
  }

  private func record(_ entry: SettledRequest) async {
    do throws(LedgerError) {
      try await gateway.ledger.settle(entry)
      gateway.owners.note(entry.objects)
    } catch {
      logRecordingFailure(error)
      if !entry.objects.isEmpty { hidesAnswer = true }
    }
  }

  func logRecordingFailure(_ error: LedgerError) {
    gateway.logger.log(.error, "usage_not_recorded") { line in
      line.member("request_id", "\(pipeline.id)")
      line.member("reason", error.description)
    }
  }

  @inline(never)
  private func report(_ settled: RequestSettlement) {
    pipeline.trace?.note(settled.row)
    gateway.logRequest(settled.row, traceID: pipeline.trace?.traceText)
  }

  /// From sending until now; nil before.
  var upstreamTime: Duration? {
    startedSendingAt.map { MonotonicInstant.now().elapsed(since: $0) }
  }

  /// The time in which the model may have written; nil before the request was sent.
  var generationTime: Duration? {
    guard let generationStartedAt else { return upstreamTime }
    return MonotonicInstant.now().elapsed(since: generationStartedAt)
  }

  /// From the request's receipt until now.
  var latency: Duration { MonotonicInstant.now().elapsed(since: pipeline.receivedAt) }

  /// From the request's receipt to the first byte of the answer's body; nil without one.
  var timeToFirstByte: Duration? { firstByteAt.map { $0.elapsed(since: pipeline.receivedAt) } }

  /// Our own share of the time so far: from the request's receipt to its sending, without the
  /// wait for holds. A commit comes after the answer's last byte.
  var overhead: Duration {
    (startedSendingAt ?? .now()).elapsed(since: preparedAt)
  }
}
