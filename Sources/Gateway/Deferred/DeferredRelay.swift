internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Metering
internal import Objects
internal import Upstream

/// Passes on an answer that may show the end of deferred work: when somebody reads or cancels the
/// response. The last byte is held back until the row is safe, as with any other answer.
struct DeferredRelay {
  let work: DeferredWork
  let journey: Journey
  let head: UpstreamResponseHead
  let transfer: Transfer

  /// The largest answer that is read whole.
  private static let largestMetered = 32 << 20

  /// Sends the body; the head was sent.
  func run() async throws {
    if head.isEventStream { try await passEvents() } else { try await passWhole() }
  }

  private func passWhole() async throws {
    var body: [UInt8] = []
    var piece: [UInt8] = []
    while try await transfer.next(into: &piece) {
      body += piece
      guard body.count <= DeferredRelay.largestMetered else { return try await passOn(body) }
    }
    let report = AnswerMeter.read(
      body, status: head.status, to: work.record.facts, endpoint: Endpoints.responses,
      parser: journey.workbench.parser)
    await record(report.madeObjects)
    await settle(report)
    try await journey.exchange.finish(body)
  }

  /// What is too large is passed on as it comes: the end is seen when the provider is asked.
  private func passOn(_ beginning: [UInt8]) async throws {
    try await journey.exchange.write(beginning)
    var piece: [UInt8] = []
    while try await transfer.next(into: &piece) { try await journey.exchange.write(piece) }
    try await journey.exchange.finish()
  }

  private func passEvents() async throws {
    var meter = StreamMeter(
      endpoint: Endpoints.responses, facts: work.record.facts, hidesUsage: false,
      parser: journey.workbench.parser)
    var arrived: [UInt8] = []
    var passing: [UInt8] = []
    while try await transfer.next(into: &arrived) {
      passing.removeAll(keepingCapacity: true)
      let progress = meter.receive(&arrived, into: &passing)
      await record(meter.takeMadeObjects())
      if progress == .terminated {
        await settle(meter.finish().report)
        meter.takeWithheld(into: &passing)
      }
      try await journey.exchange.write(passing)
    }
    await settle(meter.finish().report)
    passing.removeAll()
    meter.takeWithheld(into: &passing)
    try await journey.exchange.finish(passing)
  }

  /// Records what the answer shows before it is passed on.
  private func record(_ made: [MadeObject]) async {
    guard !made.isEmpty else { return }
    await journey.gateway.record(work.objects(made, at: journey.gateway.clock()))
  }

  private func settle(_ report: UsageReport) async {
    guard let ending = Ending(of: work, report, status: head.status) else { return }
    await journey.gateway.settle(work, ending)
  }
}

extension Ending {
  /// How deferred work ended, by what the provider says of it; nil while it is under way.
  init?(of work: DeferredWork, _ report: UsageReport, status: Int) {
    guard status < 400, let seen = report.work, seen.id == work.record.objectID,
      case .ended(let end) = seen.stage
    else { return nil }
    let outcome: Outcome =
      switch end {
      case .completed: .ok
      case .failed, .expired: .providerError
      case .cancelled: .clientDisconnected
      }
    self.init(status: status, outcome: outcome, report: report)
  }
}
