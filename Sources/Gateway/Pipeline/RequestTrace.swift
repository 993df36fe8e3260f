internal import Budgets
internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import Ledger
internal import Metering
internal import Money
internal import Pricing
internal import Telemetry
internal import Time

/// The span of one request. The pipeline adds attributes on the way, and the end records them.
///
/// A session is one span, with the sum of what its responses used; the rest is of the last of them.
final class RequestTrace {
  let position: TracePosition
  private let tracer: Tracer
  private let receivedAt: MonotonicInstant
  /// Nil where the request isn't sampled.
  private var span: RequestSpan?
  /// How the last row ended.
  private var outcome: Outcome?

  init(_ tracer: Tracer, of pipeline: RequestPipeline) {
    let head = pipeline.exchange.head
    self.tracer = tracer
    position = tracer.begin(head.fields)
    receivedAt = pipeline.receivedAt
    guard position.isSampled else { return }
    span = RequestSpan(
      at: position, start: pipeline.startedAt, method: head.method,
      path: SpanText(head.path), requestID: "\(pipeline.id)")
  }

  /// The trace's id, for log lines.
  var traceText: String { position.context.traceText }

  // MARK: The request

  func note(_ identity: Identity) {
    span?.client = identity.client.id
    span?.key = identity.key.name
  }

  func note(route: String) {
    span?.route = route
  }

  func note(_ request: MeteredRequest) {
    note(request.facts.operation, model: request.facts.model)
    span?.isStream = request.facts.stream
    span?.outputLimit = request.facts.outputLimit
    span?.choices = request.facts.choices
    span?.conversation = request.conversation.map { SpanText($0) }
  }

  func note(_ operation: Operation, model: String) {
    span?.operation = operation
    span?.model = SpanText(model)
  }

  func note(_ provider: Provider) {
    span?.provider = provider.name
    span?.providerHost = provider.baseURL.host
    span?.providerPort = provider.baseURL.portInUse
  }

  // MARK: How it ends

  func note(_ row: UsageRow) {
    outcome = row.outcome
    guard var noted = span.take() else { return }
    noted.responseModel = row.responseModel.map { SpanText($0) }
    noted.usage = Usage.sum(of: [noted.usage ?? .zero, row.usage])
    noted.usageSource = row.usageSource.rawValue
    noted.cost = Money.usd(adding: row.costNanoUSD, to: noted.cost)
    noted.heldTokens = row.heldTokens
    noted.heldCost = Money(nanoUnits: row.heldNanoUSD, currency: .usd)
    noted.timeToFirstToken = row.timeToFirstTokenMilliseconds.map { .milliseconds($0) }
    span = noted
  }

  func note(_ refusal: Refusal) {
    switch refusal {
    case .clientLeft: span?.failure = Outcome.clientDisconnected.rawValue
    case .budget(let refusal):
      span?.failure = refusal.code
      span?.refusingBudget = "\(refusal.denial.budget)"
    default: span?.failure = refusal.code
    }
  }

  /// - Parameter status: of the answer that the app got; nil where it got none.
  func end(status: Int?) {
    guard var span = span.take() else { return }
    span.duration = MonotonicInstant.now().elapsed(since: receivedAt)
    span.status = status
    if span.failure == nil {
      if let status, status >= 400 {
        span.failure = "\(status)"
      } else if let outcome, outcome != .ok {
        span.failure = outcome.rawValue
      }
    }
    tracer.record(span)
  }
}

extension Money {
  /// Stops at the largest amount.
  fileprivate static func usd(adding nanoUnits: Int64, to other: Money?) -> Money {
    let (sum, overflows) = nanoUnits.addingReportingOverflow(other?.nanoUnits ?? 0)
    return Money(nanoUnits: overflows ? .max : sum, currency: .usd)
  }
}
