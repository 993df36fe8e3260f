internal import HTTP
internal import HTTPServer
internal import JSON
internal import Metering
internal import Objects
internal import Upstream

/// Passes on the events of a response that is read again, `GET /v1/responses/ID?stream=true`.
///
/// The objects that an event shows are recorded before it goes on. If the events tell of work that
/// the provider went on with, its row is safe before the last event goes. Coded events go on
/// decoded.
struct ResponseEvents: ~Copyable {
  private let forwarded: UnmeteredForwarding
  private let work: DeferredWork?
  private let head: UpstreamResponseHead
  private let transfer: Transfer
  private var body: DecodedBody
  private var splitter = ServerSentEventSplitter()
  private var seen: Set<MadeObject> = []
  /// Whether an event has told of an error, which may repeat the provider's key.
  private var tellsError = false

  init(
    of forwarded: UnmeteredForwarding, work: DeferredWork?, _ head: UpstreamResponseHead,
    _ transfer: Transfer
  ) {
    self.forwarded = forwarded
    self.work = work
    self.head = head.withoutCoding
    self.transfer = transfer
    body = DecodedBody(of: transfer, head)
  }

  /// Where an event shows objects: in the whole response, in an item, or by an item's id alone, if
  /// the events begin in the middle (`starting_after`).
  private static let places: [(place: String, kind: ObjectKind)] =
    ObjectEndpoints.madeWithResponse.map { ("response.\($0.place)", $0.kind) } + [
      ("item_id", .item)
    ]
    + ObjectEndpoints.madeWithItem.map { ("item.\($0.place)", $0.kind) }
    + ObjectEndpoints.madeWithCitation.map { ("annotation.\($0.place)", $0.kind) }

  consuming func run() async {
    do {
      try await forwarded.begin(head)
      if let work { try await pass(settling: work) } else { try await pass() }
    } catch {
      // Either side broke off, or an object can't be recorded.
      transfer.cancel()
      forwarded.pipeline.exchange.abort()
    }
  }

  private mutating func pass() async throws {
    var arrived: [UInt8] = []
    while try await body.next(into: &arrived) {
      splitter.receive(&arrived)
      let start = splitter.unfinished.lowerBound
      try await recordShown()
      try await forwarded.pipeline.exchange.write(
        redacted(Array(splitter.bytes[start..<splitter.unfinished.lowerBound])))
    }
    let rest = Array(splitter.bytes[splitter.unfinished])
    try await recordRest()
    try await forwarded.pipeline.exchange.finish(redacted(rest))
  }

  private mutating func pass(settling work: DeferredWork) async throws {
    let exchange = forwarded.pipeline.exchange
    let gateway = forwarded.pipeline.gateway
    var meter = StreamMeter(
      endpoint: Endpoints.responses, facts: work.record.facts, hidesUsage: false,
      parser: forwarded.pipeline.resources.parser)
    var arrived: [UInt8] = []
    var passing: [UInt8] = []
    while try await body.next(into: &arrived) {
      var copy = arrived
      splitter.receive(&copy)
      try await recordShown()
      passing.removeAll(keepingCapacity: true)
      if meter.receive(&arrived, into: &passing) == .terminated {
        await gateway.settle(work, seenIn: meter.finish().report, status: head.status)
        meter.takeWithheld(into: &passing)
      }
      try await exchange.write(redacted(passing))
    }
    try await recordRest()
    await gateway.settle(work, seenIn: meter.finish().report, status: head.status)
    passing.removeAll()
    meter.takeWithheld(into: &passing)
    try await exchange.finish(redacted(passing))
  }

  /// Takes the provider's key out of events; out of an error's event, and of what follows it, the
  /// keys of all providers too, masked or not.
  private func redacted(_ bytes: [UInt8]) -> [UInt8] {
    if tellsError && !bytes.isEmpty { return forwarded.pipeline.keyRedaction.redacted(bytes) }
    var bytes = bytes
    forwarded.provider.takeKeyOut(of: &bytes)
    return bytes
  }

  /// Records what the events show that have come whole.
  private mutating func recordShown() async throws {
    var made: [MadeObject] = []
    while let event = try splitter.next() { made += fresh(in: event) }
    try await forwarded.record(made)
  }

  private mutating func recordRest() async throws {
    guard let event = splitter.finish() else { return }
    try await forwarded.record(fresh(in: event))
  }

  /// The objects of an event that no event before it has shown.
  private mutating func fresh(in event: ServerSentEvent) -> [MadeObject] {
    let parser = forwarded.pipeline.resources.parser
    let root: JSONValue?
    switch event.data {
    case .none: return []
    case .line(let range): root = try? parser.parse(splitter.bytes.span.extracting(range))
    case .lines(let data): root = try? parser.parse(data)
    }
    // `[DONE]` is no JSON.
    guard let root else { return [] }
    let isError = root["type"]?.isString("error") ?? false
    let errors = [root["error"], root["response"]?["error"]]
    if isError || errors.contains(where: { $0.map { !$0.isNull } ?? false }) { tellsError = true }
    return MadeObjects.inAnswer(root, at: ResponseEvents.places).filter {
      seen.insert($0).inserted
    }
  }
}
