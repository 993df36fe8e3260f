internal import Budgets
internal import Compression
internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Metering
internal import Objects
internal import Pricing
internal import Upstream

/// Passes on an answer that isn't announced as a stream: read whole, settled, then sent, with its
/// cost. If it is a stream all the same, its events are read.
///
/// An answer without usage is passed on as it comes. If its format never has usage, the request is
/// charged. If its body exceeds `largestMetered`, the hold is charged. Such a body is refused if it
/// may show objects, because they would belong to nobody.
struct AnswerRelay {
  private let forwarded: ForwardedRequest
  private var head: UpstreamResponseHead
  private let transfer: Transfer
  /// Whether the answer is JSON or events.
  private var isRead = true

  /// The largest body that is read whole to be metered.
  private static let largestMetered = 32 << 20

  init(of forwarded: ForwardedRequest, _ head: UpstreamResponseHead, _ transfer: Transfer) {
    self.forwarded = forwarded
    self.head = head
    self.transfer = transfer
  }

  @inline(never)
  mutating func run() async {
    if head.status < 400, isOpaque {
      return await passOn(
        [],
        report: AnswerMeter.charge(
          for: forwarded.request.facts, endpoint: forwarded.request.endpoint))
    }
    var body: [UInt8] = []
    do throws(UpstreamError) {
      var piece: [UInt8] = []
      while try await transfer.next(into: &piece) {
        if forwarded.firstByteAt == nil { forwarded.firstByteAt = .now() }
        if body.isEmpty { swap(&body, &piece) } else { body += piece }
        if forwarded.isDraining && !forwarded.mayDrain(after: body.count) { transfer.cancel() }
        if body.count > AnswerRelay.largestMetered {
          return await endUnread(body, .tooLarge(limit: AnswerRelay.largestMetered))
        }
      }
    } catch {
      return await forwarded.fail(
        error, status: head.status, report: nil, madeObjects: objects(inPart: body))
    }
    let report = read(&body)
    // Nobody could tell whose the objects are that it shows.
    if !isRead, !body.isEmpty, head.status < 400, forwarded.request.makesObjects {
      return await endUnread(body, .unreadable)
    }
    // A batch has its usage in files of results, also when it has ended at once.
    let isBatch = forwarded.request.facts.operation == .batch
    if let work = report.work, head.status < 400 {
      if work.stage == .underway || isBatch {
        _ = await forwarded.deferSettlement(to: work.id, showing: report.madeObjects)
        return await answerUnsettled(body, report)
      }
      if await forwarded.endsEarlierWork(work, report, status: head.status) {
        return await answerUnsettled(body, report)
      }
    }
    let settled = await forwarded.settle(
      Completion(status: head.status, outcome: outcome(isError: report.isError), report: report))
    guard !forwarded.clientLeft else { return forwarded.exchange.abort() }
    guard !forwarded.hidesAnswer else { return await forwarded.pipeline.refuse(.ledgerUnavailable) }
    await forwarded.pipeline.answer(answer(body, settled, isError: report.isError))
  }

  /// The objects that the first part of an answer shows. The provider may keep them although the
  /// answer broke off.
  @inline(never)
  private func objects(inPart body: [UInt8]) -> [MadeObject] {
    guard !body.isEmpty, head.status < 400, forwarded.request.makesObjects, !head.isPartial,
      let text = CutJSON.repaired(
        head.coding.beginning(of: body, atMost: AnswerRelay.largestMetered))
    else { return [] }
    return AnswerMeter.read(
      text, status: head.status, to: forwarded.request.facts, endpoint: forwarded.request.endpoint,
      parser: forwarded.pipeline.resources.parser
    ).madeObjects
  }

  /// Ends an answer that can't be read.
  @inline(never)
  private func endUnread(_ beginning: [UInt8], _ fault: UnusableAnswer) async {
    guard head.status < 400, forwarded.request.makesObjects else {
      return await passOn(beginning, report: nil)
    }
    transfer.cancel()
    _ = await forwarded.settle(
      Completion(
        status: head.status, outcome: .upstreamBroken, report: nil, isCut: true,
        isUnintelligible: true))
    await forwarded.pipeline.refuse(
      .unusableAnswer(provider: forwarded.quote.provider.name, fault))
  }

  /// Whether the answer is bytes that say nothing of usage. If events were asked for, JSON isn't.
  private var isOpaque: Bool {
    AnswerMeter.isOpaque(forwarded.request.endpoint)
      && !(forwarded.request.expectsStream && head.isJSON)
  }

  /// Reads an answer, and takes out of it what the client doesn't get.
  @inline(never)
  private mutating func read(_ body: inout [UInt8]) -> UsageReport {
    let text =
      head.isPartial ? nil : head.coding.text(of: body, atMost: AnswerRelay.largestMetered)
    let parser = forwarded.pipeline.resources.parser
    let mayBeEvents = forwarded.request.facts.stream || forwarded.request.makesObjects
    if head.status < 400, mayBeEvents, let text,
      let events = AnswerMeter.read(
        events: text, to: forwarded.request.facts, endpoint: forwarded.request.endpoint,
        hidesUsage: forwarded.rewrite.addsUsage, parser: parser,
        limit: AnswerRelay.largestMetered)
    {
      if forwarded.rewrite.addsUsage {
        body = events.shown
        head = head.withoutCoding
      }
      return events.report
    }
    let report = AnswerMeter.read(
      text, status: head.status, to: forwarded.request.facts, endpoint: forwarded.request.endpoint,
      parser: parser)
    isRead = !report.isUnreadable
    return report
  }

  /// The client's answer, with its cost.
  @inline(never)
  private func answer(_ body: [UInt8], _ settled: RequestSettlement, isError: Bool) -> HTTPAnswer {
    var fields = forwarded.responseFields(head, remaining: settled.tightest)
    fields.appendOwn(.catracaCost, settled.costUSD)
    guard let rendering = rendering(of: body) else {
      return shown(body, fields, isError: isError || head.status >= 400)
    }
    fields.remove(.contentEncoding)
    fields.remove(.contentType)
    fields.append(.contentType, constant: rendering.contentType)
    return forwarded.pipeline.answer(
      head.status, fields, rendering.body, from: forwarded.quote.provider)
  }

  /// Passes on an answer whose cost isn't known yet, or is charged to an earlier request.
  @inline(never)
  private func answerUnsettled(_ body: [UInt8], _ report: UsageReport) async {
    guard !forwarded.clientLeft else { return forwarded.exchange.abort() }
    guard !forwarded.hidesAnswer else { return await forwarded.pipeline.refuse(.ledgerUnavailable) }
    let fields = forwarded.responseFields(head, remaining: forwarded.grant.tightest)
    await forwarded.pipeline.answer(shown(body, fields, isError: report.isError))
  }

  private func shown(_ body: [UInt8], _ fields: HeaderFields, isError: Bool) -> HTTPAnswer {
    let (pipeline, provider) = (forwarded.pipeline, forwarded.quote.provider)
    return isError
      ? pipeline.errorAnswer(head.status, fields, body, from: provider)
      : pipeline.answer(head.status, fields, body, from: provider)
  }

  /// The answer in the format that the client asked for, where another one was asked for instead.
  private func rendering(of body: [UInt8]) -> TranscriptRendering? {
    guard head.status < 400, forwarded.rewrite.transcriptFormat != nil,
      let format = forwarded.request.facts.transcript?.format
    else { return nil }
    return TranscriptRendering(
      head.coding.text(of: body, atMost: AnswerRelay.largestMetered) ?? [], as: format,
      parser: forwarded.pipeline.resources.parser)
  }

  private func outcome(isError: Bool) -> Outcome {
    // The provider's refusal costs nothing, whether or not the client waited for it.
    if head.status >= 400 { return .providerError }
    if forwarded.clientLeft { return .clientDisconnected }
    return isError ? .providerError : .ok
  }

  /// With the cost and what it leaves, where they are known before the answer is read.
  private func fields(charging report: UsageReport?, _ outcome: Outcome) -> HeaderFields {
    guard let report else {
      return forwarded.responseFields(head, remaining: forwarded.grant.tightest)
    }
    let figures = RequestSettlement.Figures(
      Completion(status: head.status, outcome: outcome, report: report), of: forwarded)
    var fields = forwarded.responseFields(
      head,
      remaining: forwarded.gateway.controller.tightest(
        settling: forwarded.grant.hold, with: figures.consumption))
    fields.appendOwn(.catracaCost, figures.costUSD)
    return fields
  }

  /// Passes on the rest as it comes, but for the provider's key. The last byte waits for the row.
  /// A coded page goes on decoded.
  ///
  /// - Parameter report: by what it is charged, where that is known before it is read.
  @inline(never)
  private func passOn(_ beginning: [UInt8], report: UsageReport?) async {
    var held = beginning
    var outcome = outcome(isError: false)
    var isCut = false
    let isDecoded = beginning.isEmpty && head.isCodedPage
    var body = DecodedBody(of: transfer, isDecoded ? head : head.withoutCoding)
    var filter = KeyFilter(of: forwarded.quote.provider)
    do {
      await forwarded.beginSessions(report)
      var fields = fields(charging: report, outcome)
      if isDecoded { fields.remove(.contentEncoding) }
      try await forwarded.exchange.start(
        ResponseHead(status: head.status, fields: fields), framing: .chunked)
      var piece: [UInt8] = []
      filter.filter(&held)
      while try await body.next(into: &piece) {
        if forwarded.firstByteAt == nil { forwarded.firstByteAt = .now() }
        filter.filter(&piece)
        guard !piece.isEmpty else { continue }
        if !held.isEmpty { try await forwarded.exchange.write(held) }
        swap(&held, &piece)
      }
      held += filter.takeRest()
    } catch {
      let isBroken = error is UpstreamError || error is DecodingError
      outcome = isBroken && !forwarded.clientLeft ? .upstreamBroken : .clientDisconnected
      isCut = true
      transfer.cancel()
    }
    _ = await forwarded.settle(
      Completion(status: head.status, outcome: outcome, report: report, isCut: isCut))
    guard outcome == .ok || outcome == .providerError else { return forwarded.exchange.abort() }
    await forwarded.finish(held)
  }
}
