public import Budgets
internal import Configuration
public import EventLoop
internal import HTTP
public import HTTPServer
internal import JSON
public import Ledger
public import Logging
internal import Metering
internal import Pricing
internal import Synchronization
public import Telemetry
public import Time
public import Upstream

/// The interceptor between apps and providers: each request on the proxy listener walks through
/// it once, and `RequestPipeline` is that walk.
public final class Gateway: HTTPHandler {
  let rules: @Sendable () -> RulesSnapshot
  let controller: AdmissionController
  let ledger: any Ledger
  /// The owners of the objects that providers keep.
  let owners: ObjectOwners
  /// Answers what clients ask about their own use.
  let ownCalls: any HTTPHandler
  let statistics = ModelStatistics()
  let overhead = LearnedOverhead()
  let containers = ContainerSessions()
  let rateLimits = RateLimits()
  let refusedKeys = RefusedKeys()
  /// Answers that passed without being metered.
  public let unmeteredRequests = ClientCounts()
  /// The requests that needed prices which are missing.
  public let missingPrices = MissingPriceCounts()
  /// How often refusals by budgets are written down.
  public let denialLimits = DenialLimits()
  let failedSignIns: FailedSignIns
  let requestIDs = RequestIDSource()
  let logger: Logger
  /// Nil where nothing is traced.
  let tracer: Tracer?
  let clock: @Sendable () -> Timestamp
  /// Work that providers go on with after their answers.
  let deferredWorks = DeferredWorks()
  private let poller = Lock<LoopBound<WorkPoller>?>(nil)
  private let workbenches: [LoopBound<LoopResources>]
  private let stopping = Lock(false)
  private let inFlight = Atomic<Int>(0)

  /// - Parameters:
  ///   - rules: gives the rules in force; asked once for each request.
  ///   - budgets: the budgets with what was used of them so far.
  ///   - owners: knows whose the objects are that providers keep.
  ///   - lender: lends what may be used of limits, where other replicas share them; nil where none
  ///     does.
  ///   - ownCalls: answers requests for `/api/…`, where clients ask about their own use.
  ///   - failedSignIns: those of the proxy's listener.
  ///   - deferred: requests whose providers went on with the work when an earlier process ended.
  ///     Their holds are taken again before the first request is served.
  ///   - recentAnswers: the last answers of each model, to know it as before a restart.
  ///   - tracer: takes a span of each request to a provider.
  ///   - upstream: makes what calls providers, once for each loop and on it.
  public init(
    rules: @escaping @Sendable () -> RulesSnapshot, budgets: BudgetState, ledger: any Ledger,
    owners: ObjectOwners, lender: (any LeaseLender)? = nil,
    deferred: [DeferredRequest] = [], ownCalls: any HTTPHandler, failedSignIns: FailedSignIns,
    recentAnswers: [RecentAnswers], loops: [EventLoop], logger: Logger, tracer: Tracer? = nil,
    upstream: @escaping @Sendable (EventLoop) -> UpstreamClient = { UpstreamClient(on: $0) },
    clock: @escaping @Sendable () -> Timestamp = { .readSystemClock() }
  ) async {
    self.rules = rules
    self.ledger = ledger
    self.owners = owners
    self.ownCalls = ownCalls
    self.failedSignIns = failedSignIns
    self.logger = logger
    self.tracer = tracer
    self.clock = clock
    var budgets = budgets
    let deferredWorks = deferredWorks
    let works = deferred.map { request in
      DeferredWork(
        request, budgets.restore(request.recordedHold, at: clock()),
        place: deferredWorks.takePlaceAnyway(for: request.expected.row.clientID), origin: nil)
    }
    let leases = lender.map { LeaseClient($0) }
    controller = AdmissionController(budgets, leases: leases, clock: clock) { events in
      for event in events {
        BudgetEventLog.write(event, to: logger)
        // Thresholds are recorded with the charge that reaches them.
        switch event {
        case .exceeded(let denial, let window):
          ledger.record(Alert(firstRefusal: denial, in: window, at: clock()))
        case .limitPause(let pause): ledger.record(pause)
        case .admitted, .denied, .wouldRefuse, .thresholdReached, .overrun: break
        }
      }
    }
    var workbenches: [LoopBound<LoopResources>] = []
    for loop in loops {
      workbenches.append(
        await Task(executorPreference: loop) {
          LoopBound(LoopResources(upstream(loop)), on: loop)
        }.value)
    }
    self.workbenches = workbenches
    let prices = rules().prices
    for recent in recentAnswers {
      let model = prices.model(recent.model, of: recent.provider)?.name ?? recent.model
      statistics.note(recent, model: model)
    }
    await startPolling(on: loops[0])
    for work in works { followAgain(work) }
  }

  private func startPolling(on loop: EventLoop) async {
    let poller = await Task(executorPreference: loop) {
      LoopBound(WorkPoller(for: self, at: self.workbenches[0].value, on: loop), on: loop)
    }.value
    self.poller.withLock { $0 = poller }
  }

  /// Follows work of another process, unless this one follows it already.
  func followAgain(_ work: DeferredWork) {
    if case .inserted = deferredWorks.insert(work) { startFollowing(work) }
  }

  /// Has a provider asked how its work stands, until that has ended.
  func startFollowing(_ work: DeferredWork) {
    guard let poller = poller.withLock({ $0 }) else { return }
    Task(executorPreference: poller.loop) { poller.value.follow(work) }
  }

  public func handle(_ exchange: HTTPExchange) async {
    guard let resources = workbenches.first(where: { $0.loop === exchange.loop })?.value else {
      preconditionFailure("a request arrived on a loop that the gateway doesn't know")
    }
    let pipeline = RequestPipeline(exchange, through: self, at: resources)
    inFlight.add(1, ordering: .relaxed)
    await pipeline.run()
    inFlight.subtract(1, ordering: .relaxed)
  }

  /// How many requests and sessions are being served.
  public var requestsInFlight: Int { inFlight.load(ordering: .relaxed) }

  public func refuse(_ refusal: HTTPRefusal, of client: SocketAddress?) -> HTTPAnswer {
    let own: Refusal =
      switch refusal {
      case .invalid(let error) where error.status == 431:
        .headerTooLarge(limit: Int(clamping: rules().settings.limits.header.bytes))
      case .invalid(let error): .malformed(error)
      case .requestTimeout: .requestTimeout
      case .tooManyConnections: .overloaded
      case .tooManyConnectionsOfAddress: .tooManyConnectionsOfAddress
      }
    let requestID = requestIDs.next(at: clock())
    let answer = RefusalAnswer(own)
    logger.log(.info, "request_refused") { line in
      line.member("request_id", "\(requestID)")
      line.member("status", Int64(answer.status))
      line.member("code", answer.code)
      line.member("reason", answer.message)
      line.member("address", client?.host)
    }
    return answer.httpAnswer(requestID: "\(requestID)")
  }

  /// Requests that arrive from now on are refused, and drained answers are cut short.
  public func stop() {
    stopping.withLock { $0 = true }
  }

  /// Administrators may have changed the owners of objects.
  public func ownersMayHaveChanged() {
    // The instant comes first: what is recorded from then on may still wait in the spool.
    let now = MonotonicInstant.now()
    owners.doubtAll(written: ledger.isHealthy ? now : nil)
  }

  var isStopping: Bool { stopping.withLock { $0 } }

  /// Ends the connections to providers, and the questions to them about deferred work. The
  /// listeners must have stopped.
  public func close() async {
    if let poller = poller.withLock({ $0 }) {
      await Task(executorPreference: poller.loop) { await poller.value.stop() }.value
    }
    for resources in workbenches {
      await Task(executorPreference: resources.loop) { resources.value.upstream.close() }.value
    }
  }
}

/// The tools of one event loop, shared by its requests one after the other.
final class LoopResources {
  let upstream: UpstreamClient
  let parser = JSONParser()

  init(_ upstream: UpstreamClient) {
    self.upstream = upstream
  }
}
