internal import Budgets
internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import Ledger
internal import Metering
internal import Objects
internal import Upstream

/// Passes on a stream of events as they come, reading the usage in passing.
///
/// The event that ends the stream is withheld until the row is safe; so is the end of the body,
/// where a stream has no such event. If the provider cuts the stream, the client's is cut too. If
/// an event is too large to be read, and may show objects, an event of an error ends the stream in
/// its place: the objects would be nobody's.
///
/// A response that is made in the background goes on without its stream. So it is deferred as soon
/// as its id is known, and settled by the stream only if that shows its end.
final class StreamRelay {
  private let forwarded: ForwardedRequest
  private let status: Int
  /// Nil once it is sent.
  private var head: UpstreamResponseHead?
  private let transfer: Transfer
  private var meter: StreamMeter
  private var deferred: DeferredWork?
  /// Nil for a stream that isn't coded.
  private let coded: CodedStream?
  /// The bytes to pass on, of those that came last.
  private var passing: [UInt8] = []
  /// Why events don't pass any more; nil while they do.
  private var refusal: Refusal?
  /// Whether a provider's key stood in an error.
  private var hasTakenKeyOut = false
  private var drained = 0
  /// How long the provider's bytes were left unread, since the client took none.
  private var timeAtClient = Duration.zero

  /// A client that reads slowly has the provider's text wait in buffers, where nobody sees how much
  /// there is. Estimates leave out text that a model writes in less than this time.
  private static let longestUnread = Duration.milliseconds(100)
  private var isSettled = false

  @inline(never)
  init(of forwarded: ForwardedRequest, _ head: UpstreamResponseHead, _ transfer: Transfer) {
    self.forwarded = forwarded
    status = head.status
    self.transfer = transfer
    let (coding, passesDecoded) = (head.coding, forwarded.rewrite.addsUsage)
    coded = CodedStream(coding, passesDecoded: passesDecoded)
    self.head = coded != nil && passesDecoded ? head.withoutCoding : head
    meter = StreamMeter(
      endpoint: forwarded.request.endpoint, facts: forwarded.request.facts,
      hidesUsage: forwarded.rewrite.addsUsage, parser: forwarded.pipeline.resources.parser,
      passesUnread: !forwarded.request.makesObjects,
      leastSecret: forwarded.quote.provider.apiKey?.leastShownBytes ?? .max,
      showsSecret: forwarded.quote.provider.showsKey)
    if coding == .unknown || head.isPartial { meter.giveUp() }
  }

  func run() async {
    await start()
    await end(cut: await passEvents())
    forwarded.forgetClient()
  }

  @inline(never)
  private func start() async {
    guard let head = answerHead() else { return }
    do {
      try await forwarded.exchange.start(
        head, framing: .chunked, isHeldBack: transfer.hasArrived)
    } catch {
      forwarded.clientStopped()
    }
  }

  @inline(never)
  private func answerHead() -> ResponseHead? {
    guard let head = head.take(), !forwarded.clientLeft else { return nil }
    return ResponseHead(
      status: status, fields: forwarded.responseFields(head, remaining: forwarded.grant.tightest))
  }

  /// Returns what has cut the stream, if it was.
  private func passEvents() async -> UpstreamError? {
    var arrived: [UInt8] = []
    do throws(UpstreamError) {
      while try await coded == nil
        ? transfer.next(into: &arrived) : nextDecoded(into: &arrived)
      {
        let count = arrived.count
        let progress = receive(&arrived)
        if forwarded.request.facts.isBackground && deferred == nil && !isSettled {
          await deferIfUnderway()
        }
        if progress == .terminated && !isSettled {
          await settle(cut: nil)
          meter.takeWithheld(into: &passing)
          redact(&passing)
        }
        let made = meter.takeMadeObjects()
        if !made.isEmpty { await record(made) }
        // An event that shows an object without an owner doesn't pass.
        if forwarded.hidesAnswer { return refuse(.ledgerUnavailable) }
        if let coded { try takePassing(of: coded) }
        if forwarded.isDraining {
          drained += count
          if !forwarded.mayDrain(after: drained) { transfer.cancel() }
        } else if !passing.isEmpty || forwarded.exchange.holdsHeadBack {
          await pass()
        }
        forwarded.exchange.loop.spareBytes.takeBack(&passing)
        if progress == .refused { return refuseUnreadable() }
      }
    } catch {
      // The rest of a faulty coding may report more usage than the events before it.
      if coded?.isFaulty == true && !isSettled { meter.giveUp() }
      return error
    }
    return nil
  }

  private func nextDecoded(into arrived: inout [UInt8]) async throws(UpstreamError) -> Bool {
    guard let coded else { return false }
    return try await coded.next(of: transfer, into: &arrived)
  }

  @inline(never)
  private func receive(_ arrived: inout [UInt8]) -> StreamMeter.Progress {
    if forwarded.firstByteAt == nil { forwarded.firstByteAt = .now() }
    forwarded.exchange.loop.spareBytes.lend(to: &passing)
    if coded?.isOpaque == true { meter.giveUp() }
    let progress = meter.receive(&arrived, into: &passing)
    redact(&passing)
    return progress
  }

  /// Has the coded bytes pass for the events in `passing`.
  ///
  /// - Throws: where a provider's key would pass too. It can't be taken out any more, so the stream
  ///   is cut.
  @inline(never)
  private func takePassing(of coded: CodedStream) throws(UpstreamError) {
    guard !coded.passesDecoded else { return }
    guard !hasTakenKeyOut else {
      transfer.cancel()
      throw .broken(.coding)
    }
    coded.replace(&passing, isBetweenEvents: meter.isBetweenEvents)
  }

  /// Takes the provider's key out of what passes; out of the event of an error, and of what follows
  /// it, the keys of all providers too, masked or not.
  ///
  /// To search each event of every stream would make them a tenth dearer. An event that repeats one
  /// before it, but for a few letters of text, can't show a key, so it isn't searched.
  private func redact(_ bytes: inout [UInt8]) {
    guard meter.takeSecretFound() || meter.isError, !bytes.isEmpty else { return }
    takeKeysOut(of: &bytes)
  }

  @inline(never)
  private func takeKeysOut(of bytes: inout [UInt8]) {
    guard meter.isError else {
      if forwarded.quote.provider.takeKeyOut(of: &bytes) { hasTakenKeyOut = true }
      return
    }
    let redacted = forwarded.pipeline.keyRedaction.redacted(bytes)
    hasTakenKeyOut = hasTakenKeyOut || redacted != bytes
    bytes = redacted
  }

  /// Sends to the client, unless it has left; a client that takes nothing any more has left too.
  @inline(never)
  private func pass() async {
    guard !forwarded.clientLeft else { return }
    // The loop's time stands still unless the write has to wait.
    let begin = forwarded.exchange.loop.now
    do {
      try await forwarded.exchange.write(passing)
    } catch {
      forwarded.clientStopped()
    }
    timeAtClient += forwarded.exchange.loop.now.elapsed(since: begin)
  }

  /// Records objects before the events that show them are passed on. A client that has left is
  /// their owner too.
  @inline(never)
  private func record(_ made: [MadeObject]) async {
    if await !forwarded.gateway.record(forwarded.objects(made)) { forwarded.hidesAnswer = true }
    if forwarded.endsWithObject() { transfer.cancel() }
  }

  /// Ends the provider's stream, since its events may not pass.
  @inline(never)
  private func refuse(_ refusal: Refusal) -> UpstreamError {
    self.refusal = refusal
    transfer.cancel()
    return .cancelled(wasSent: true)
  }

  private var unreadable: Refusal {
    .unusableAnswer(
      provider: forwarded.quote.provider.name,
      meter.hasLargeEvent
        ? .tooLarge(limit: ServerSentEventSplitter.largestEvent) : .unreadable)
  }

  @inline(never)
  private func deferIfUnderway() async {
    if await defers(meter.report) {
      // Nothing is left to be settled by this stream where there is nothing to follow.
      isSettled = deferred == nil
    }
  }

  /// Defers the settlement of work that a report shows to be under way; false where it shows none.
  private func defers(_ report: UsageReport) async -> Bool {
    guard let work = report.work, work.stage == .underway else { return false }
    deferred = await forwarded.deferSettlement(to: work.id, showing: meter.takeMadeObjects())
    return true
  }

  /// After the provider's last byte, or where it broke off.
  @inline(never)
  private func end(cut: UpstreamError?) async {
    if !isSettled { await settle(cut: cut) }
    let rest = meter.takeMadeObjects()
    if !rest.isEmpty { await record(rest) }
    noteRefusal()
    guard cut == nil, refusal == nil, !forwarded.clientLeft else { return await breakOff() }
    var last: [UInt8] = []
    meter.takeWithheld(into: &last)
    redact(&last)
    if let coded, !coded.passesDecoded {
      guard !hasTakenKeyOut else { return forwarded.exchange.abort() }
      last = coded.takeRest()
    }
    await forwarded.finish(last)
  }

  @inline(never)
  private func noteRefusal() {
    if forwarded.hidesAnswer { refusal = refusal ?? .ledgerUnavailable }
    if meter.isRefusing { refusal = refusal ?? unreadable }
  }

  /// Ends the client's stream before its proper end.
  private func breakOff() async {
    guard let refusal, !forwarded.clientLeft, coded?.passesDecoded ?? true else {
      return forwarded.exchange.abort()
    }
    await forwarded.finish(StreamRelay.event(of: refusal))
  }

  // Not inlined, so that a resting stream's frame has no room for a refusal.
  @inline(never)
  private static func event(of refusal: Refusal) -> [UInt8] { RefusalAnswer(refusal).event() }

  @inline(never)
  private func refuseUnreadable() -> UpstreamError { refuse(unreadable) }

  @inline(never)
  private func settle(cut: UpstreamError?) async {
    isSettled = true
    let end = meter.finish()
    let report = end.report
    // A JSON object that came for a stream is read at its end.
    if cut == nil, forwarded.request.facts.isBackground, deferred == nil, await defers(report) {
      return
    }
    if let deferred {
      // Without its end the stream says nothing: then the provider is asked.
      guard let completion = Completion(of: deferred, report, status: status) else { return }
      return await forwarded.gateway.settle(deferred, completion)
    }
    if let work = report.work, await forwarded.endsEarlierWork(work, report, status: status) {
      return
    }
    var completion = completion(end, cut: cut)
    // The others were recorded before their events were passed on.
    completion.madeObjects = meter.takeMadeObjects()
    _ = await forwarded.settle(completion)
  }

  @inline(never)
  private func completion(_ end: StreamEnd, cut: UpstreamError?) -> Completion {
    let report = end.report
    let outcome: Outcome =
      if forwarded.clientLeft && !(forwarded.request.outlivesAnswer && cut != nil) {
        .clientDisconnected
      } else if cut != nil || meter.isRefusing {
        .upstreamBroken
      } else {
        report.isError ? .providerError : .ok
      }
    return Completion(
      status: status, outcome: outcome, report: report, isCut: cut != nil,
      isUnintelligible: isUnintelligible(end, cut: cut),
      showsAllText: report.outputTextBytes > 0 && !report.isUnreadable
        && timeAtClient < StreamRelay.longestUnread)
  }

  private func isUnintelligible(_ end: StreamEnd, cut: UpstreamError?) -> Bool {
    switch cut {
    case nil: end.isIncomplete || coded?.isTruncated == true
    case .broken(.coding): true
    default: meter.isRefusing
    }
  }
}
