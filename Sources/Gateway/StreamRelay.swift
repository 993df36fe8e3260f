internal import Budgets
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import Ledger
internal import Metering
internal import Upstream

/// Passes on a stream of events as they come, reading the usage in passing.
///
/// The event that ends the stream is withheld until the row is safe; so is the end of the body,
/// where a stream has no such event. If the provider cuts the stream, the client's is cut too.
///
/// A response that is made in the background goes on without its stream. So it is deferred as soon
/// as its id is known, and settled by the stream only if that shows its end.
struct StreamRelay {
  private let passage: Passage
  private let head: UpstreamResponseHead
  private let transfer: Transfer
  private var deferred: DeferredWork?

  init(of passage: Passage, _ head: UpstreamResponseHead, _ transfer: Transfer) {
    self.passage = passage
    self.head = head
    self.transfer = transfer
  }

  mutating func run() async {
    var meter = StreamMeter(
      endpoint: passage.request.endpoint, facts: passage.request.facts,
      hidesUsage: passage.rewrite.addsUsage, parser: passage.journey.workbench.parser)
    let fields = passage.responseFields(head, remaining: passage.grant.tightest)
    await send { exchange throws(HTTPExchangeError) in
      try await exchange.start(
        ResponseHead(status: head.status, fields: fields), framing: .chunked)
    }
    var arrived: [UInt8] = []
    var passing: [UInt8] = []
    var drained = 0
    var isSettled = false
    var cut: UpstreamError?
    do throws(UpstreamError) {
      while try await transfer.next(into: &arrived) {
        if passage.firstByteAt == nil { passage.firstByteAt = .now() }
        passing.removeAll(keepingCapacity: true)
        let progress = meter.receive(arrived.span, into: &passing)
        if passage.request.facts.isBackground && deferred == nil {
          await deferIfUnderway(meter.report)
        }
        if progress == .terminated && !isSettled {
          isSettled = true
          await settle(meter.finish().report, cut: nil)
          meter.takeWithheld(into: &passing)
        }
        if passage.isDraining {
          drained += arrived.count
          if !passage.mayDrain(after: drained) { transfer.cancel() }
        } else if !passing.isEmpty {
          await send { exchange throws(HTTPExchangeError) in try await exchange.write(passing) }
        }
      }
    } catch {
      cut = error
    }
    await end(&meter, isSettled: isSettled, cut: cut)
  }

  private mutating func deferIfUnderway(_ report: UsageReport) async {
    guard let work = report.work, work.stage == .underway else { return }
    deferred = await passage.deferSettlement(to: work.id)
  }

  /// After the provider's last byte, or where it broke off.
  private func end(_ meter: inout StreamMeter, isSettled: Bool, cut: UpstreamError?) async {
    let ending = meter.finish()
    if !isSettled { await settle(ending.report, cut: cut) }
    guard cut == nil, !passage.clientLeft else { return passage.exchange.abort() }
    var last: [UInt8] = []
    meter.takeWithheld(into: &last)
    await passage.finish(last)
  }

  private func settle(_ report: UsageReport, cut: UpstreamError?) async {
    if let deferred {
      // Without its end the stream says nothing: then the provider is asked.
      guard let ending = Ending(of: deferred, report, status: head.status) else { return }
      return await passage.gateway.settle(deferred, ending)
    }
    let outcome: Outcome =
      if passage.clientLeft {
        .clientDisconnected
      } else if cut != nil {
        .upstreamBroken
      } else {
        report.isError ? .providerError : .ok
      }
    _ = await passage.settle(Ending(status: head.status, outcome: outcome, report: report))
  }

  /// Sends to the client, unless it has left; a client that takes nothing any more has left too.
  private func send(
    _ body: (HTTPExchange) async throws(HTTPExchangeError) -> Void
  ) async {
    guard !passage.clientLeft else { return }
    do {
      try await body(passage.exchange)
    } catch {
      passage.clientStopped()
    }
  }
}
