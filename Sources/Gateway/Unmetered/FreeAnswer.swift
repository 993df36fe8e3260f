internal import Configuration
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Logging
internal import Metering
internal import Objects
internal import Upstream

// The way of the provider's answer to a request that costs nothing.

extension UnmeteredForwarding {
  /// The largest answer that is read whole.
  static let largestAnswer = 32 << 20

  /// Passes an answer on. Objects that it makes are recorded, and objects that it ends are
  /// forgotten, before its last byte goes.
  func answer(
    _ head: UpstreamResponseHead, _ transfer: Transfer
  ) async throws(Refusal) {
    let isGood = (200..<300).contains(head.status)
    // The fields of a redirection may name objects that aren't recorded.
    if endpoint?.list != nil, (300..<400).contains(head.status) {
      transfer.cancel()
      throw .unusableAnswer(provider: provider.name, .unreadable)
    }
    if endpoint?.ends == true {
      if head.status == 404 { return try await answerUnknown(head, transfer) }
      if isGood { return try await answerDeletion(head, transfer) }
    }
    guard isGood, let endpoint, !endpoint.makes.isEmpty else {
      return try await relay(head, transfer)
    }
    if head.isEventStream {
      return await ResponseEvents(of: self, work: deferredWork, head, transfer).run()
    }
    let (body, text) = try await readable(head, transfer)
    let made: [MadeObject]
    let tellsError: Bool
    do {
      let root = try pipeline.resources.parser.parse(text)
      made = MadeObjects.inAnswer(root, at: endpoint.makes)
      // A response that failed in the background has such an error, for example.
      tellsError = root["error"].map { !$0.isNull } ?? false
    } catch {
      throw .unusableAnswer(provider: provider.name, .unreadable)
    }
    try await record(made)
    if let deferredWork {
      await pipeline.gateway.settle(
        deferredWork, seenIn: text, status: head.status, at: pipeline.resources)
    }
    await respond(head, body, tellsError: tellsError)
  }

  private func answerDeletion(
    _ head: UpstreamResponseHead, _ transfer: Transfer
  ) async throws(Refusal) {
    let (body, text) = try await readable(head, transfer)
    try await end(saidBy: text)
    await respond(head, body)
  }

  /// Answers a deletion that found nothing.
  private func answerUnknown(
    _ head: UpstreamResponseHead, _ transfer: Transfer
  ) async throws(Refusal) {
    let body = try await whole(transfer)
    if let text = head.coding.text(of: body, atMost: UnmeteredForwarding.largestAnswer) {
      try await end(deniedBy: text)
    }
    await respond(head, body)
  }

  /// Reads a whole answer.
  ///
  /// - Returns: the body as it came, and decoded.
  private func readable(
    _ head: UpstreamResponseHead, _ transfer: Transfer
  ) async throws(Refusal) -> (body: [UInt8], text: [UInt8]) {
    let body = try await whole(transfer)
    guard let text = head.coding.text(of: body, atMost: UnmeteredForwarding.largestAnswer) else {
      throw .unusableAnswer(provider: provider.name, .unreadable)
    }
    return (body, text)
  }

  /// Reads a whole answer.
  private func whole(_ transfer: Transfer) async throws(Refusal) -> [UInt8] {
    let body: [UInt8]?
    do { body = try await transfer.body(atMost: UnmeteredForwarding.largestAnswer) } catch {
      throw pipeline.refusal(for: error, of: provider.name)
    }
    guard let body else {
      throw .unusableAnswer(
        provider: provider.name, .tooLarge(limit: UnmeteredForwarding.largestAnswer))
    }
    return body
  }

  /// Sends an answer that was read whole.
  func respond(
    _ head: UpstreamResponseHead, _ body: [UInt8], tellsError: Bool = false
  ) async {
    let fields = Forwarding.response(head.fields, from: provider)
    var answer =
      tellsError || head.status >= 400
      ? pipeline.errorAnswer(head.status, fields, body, from: provider)
      : pipeline.answer(head.status, fields, body, from: provider)
    answer.head.fields.appendOwn(.catracaRequestID, "\(pipeline.id)")
    await pipeline.answer(answer)
  }

  /// Passes an answer on as it comes, but for the provider's key. A coded page goes on decoded.
  func relay(_ head: UpstreamResponseHead, _ transfer: Transfer) async throws(Refusal) {
    if head.status >= 400 && head.coding != .plain {
      return await respond(head, try await whole(transfer))
    }
    let isDecoded = head.isCodedPage
    var body = DecodedBody(of: transfer, isDecoded ? head : head.withoutCoding)
    do {
      try await begin(isDecoded ? head.withoutCoding : head)
      if head.status >= 400 { return try await relayError(status: head.status, transfer) }
      var piece: [UInt8] = []
      var filter = KeyFilter(of: provider)
      while try await body.next(into: &piece) {
        filter.filter(&piece)
        if !piece.isEmpty { try await pipeline.exchange.write(piece) }
      }
      try await pipeline.exchange.finish(filter.takeRest())
    } catch {
      // Either side broke off: the client must not take what it has for the whole.
      transfer.cancel()
      pipeline.exchange.abort()
    }
  }

  /// Sends the head of an answer that is passed on as it comes.
  func begin(_ head: UpstreamResponseHead) async throws(HTTPExchangeError) {
    var fields = Forwarding.response(head.fields, from: provider)
    if head.status >= 400 { fields = pipeline.keyRedaction.redacted(fields) }
    fields.appendOwn(.catracaRequestID, "\(pipeline.id)")
    try await pipeline.exchange.start(
      ResponseHead(status: head.status, fields: fields), framing: .chunked)
  }

  /// Passes an error on without the provider's key. Its beginning is read whole for that.
  private func relayError(status: Int, _ transfer: Transfer) async throws {
    var error: [UInt8] = []
    var piece: [UInt8] = []
    while error.count < ProviderKeyRedaction.largestError, try await transfer.next(into: &piece) {
      error += piece
    }
    let redacted = pipeline.redacted(errorBody: error, status: status, from: provider)
    if !redacted.isEmpty { try await pipeline.exchange.write(redacted) }
    while try await transfer.next(into: &piece) { try await pipeline.exchange.write(piece) }
    try await pipeline.exchange.finish()
  }
}

/// Why an answer of a provider can't be passed on: Catraca must know what it shows.
enum UnusableAnswer: Hashable {
  /// - Parameter limit: the most bytes that Catraca reads.
  case tooLarge(limit: Int)
  /// It isn't the JSON that the endpoint answers with.
  case unreadable
}

extension RefusalAnswer {
  static func unusableAnswer(provider: String, _ fault: UnusableAnswer) -> RefusalAnswer {
    let message =
      switch fault {
      case .tooLarge(let limit):
        "The provider '\(provider)' sent an answer of more than \(limit) bytes. Catraca must read "
          + "such answers whole, to know what is yours, so it passes none that are larger."
      case .unreadable:
        "The provider '\(provider)' sent an answer in which Catraca can't find out what is yours."
      }
    return RefusalAnswer(502, "server_error", "upstream_invalid_response", message)
  }
}
