internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Logging
internal import Metering
internal import Upstream

/// Passes a request on that costs nothing: no hold, no row, no metering; the same header rules.
struct FreePassage {
  private let path: String
  private let provider: Provider
  private let journey: Journey

  init(path: String, providerName: String?, on journey: Journey) throws(Refusal) {
    self.path = path
    self.journey = journey
    provider = try journey.provider(named: providerName)
  }

  /// Counts against the key's requests a minute, and is logged and counted once it has an answer.
  ///
  /// - Parameter onlyForBatches: whether what is uploaded must be the file of a batch.
  func run(for identity: Identity, onlyForBatches: Bool = false) async throws(Refusal) {
    let exchange = journey.exchange
    try journey.limitRate(identity, isFree: true)
    journey.trace?.note(provider)
    let body = try await MeteredRequest.readBody(of: journey)
    if onlyForBatches { try checkPurpose(of: body) }
    let limits = journey.rules.settings.limits
    let request = UpstreamRequest(
      url: Forwarding.url(path, query: exchange.head.query, of: provider),
      method: exchange.head.method, fields: journey.forwardedFields(to: provider),
      body: body.isEmpty ? .none : .bytes(body), connectTimeout: limits.upstreamConnect,
      idleTimeout: limits.upstreamIdle, certificateAuthorities: provider.caFile,
      bodyKeeper: exchange.takeBodyReservation())
    let transfer: Transfer
    do { transfer = try journey.workbench.upstream.start(request) } catch { throw .overloaded }
    exchange.onClientGone = { transfer.cancel() }
    defer { exchange.onClientGone = nil }
    let head: UpstreamResponseHead
    do { head = try await transfer.head() } catch {
      throw Refusal(error, provider: provider.name, on: journey)
    }
    journey.noteUnmetered(path, of: identity, provider: provider.name, status: head.status)
    await relay(head, transfer)
  }

  private func checkPurpose(of body: [UInt8]) throws(Refusal) {
    let form: MultipartForm
    do {
      form = try MultipartForm(
        body, contentType: journey.exchange.head.fields.first(.contentType) ?? "")
    } catch {
      throw .unreadable(.notAForm(error))
    }
    let purposes = form.parts.filter { $0.name == "purpose" }
    guard purposes.count == 1, body[purposes[0].content].elementsEqual("batch".utf8) else {
      throw .filePurpose
    }
  }

  /// The work whose end the answer may show.
  private var deferredWork: DeferredWork? {
    guard let id = Endpoints.responseID(inPath: path) else { return nil }
    return journey.gateway.deferredWorks.find(
      DeferredWork.ID(provider: provider.name, object: id))
  }

  /// Passes an answer on as it comes.
  func relay(_ head: UpstreamResponseHead, _ transfer: Transfer) async {
    var fields = Forwarding.response(head.fields)
    if head.status >= 400 { fields = journey.keyRedaction.redacted(fields) }
    fields.appendOwn(.catracaRequestID, "\(journey.id)")
    do {
      try await journey.exchange.start(
        ResponseHead(status: head.status, fields: fields), framing: .chunked)
      if head.status >= 400 { return try await relayError(status: head.status, transfer) }
      if let work = deferredWork {
        return try await DeferredRelay(
          work: work, journey: journey, head: head, transfer: transfer
        ).run()
      }
      var piece: [UInt8] = []
      while try await transfer.next(into: &piece) { try await journey.exchange.write(piece) }
      try await journey.exchange.finish()
    } catch {
      // Either side broke off: the client must not take what it has for the whole.
      transfer.cancel()
      journey.exchange.abort()
    }
  }
}

extension FreePassage {
  /// Passes an error on without the provider's key. Its beginning is read whole for that.
  private func relayError(status: Int, _ transfer: Transfer) async throws {
    var error: [UInt8] = []
    var piece: [UInt8] = []
    while error.count < ProviderKeyRedaction.largestError, try await transfer.next(into: &piece) {
      error += piece
    }
    let redacted = journey.redacted(errorBody: error, status: status, from: provider)
    if !redacted.isEmpty { try await journey.exchange.write(redacted) }
    while try await transfer.next(into: &piece) { try await journey.exchange.write(piece) }
    try await journey.exchange.finish()
  }
}

extension Journey {
  /// Logs and counts an answer that costs nothing.
  ///
  /// - Parameter provider: nil where none was asked.
  func noteUnmetered(_ path: String, of identity: Identity, provider: String?, status: Int) {
    gateway.unmeteredRequests.count(identity.client.id)
    gateway.logger.log(.info, "unmetered_request") { line in
      line.member("request_id", "\(id)")
      line.member("client", identity.client.id)
      line.member("key", identity.key.name)
      line.member("provider", provider)
      line.member("method", exchange.head.method.name)
      line.member("path", Journey.shortened(path))
      line.member("status", Int64(status))
    }
  }
}

extension Refusal {
  /// What the client is told of a provider that failed before it answered; the operator is told
  /// more.
  init(_ error: UpstreamError, provider: String, on journey: Journey) {
    journey.gateway.logger.log(.warn, "upstream_failed") { line in
      line.member("request_id", "\(journey.id)")
      line.member("provider", provider)
      line.member("reason", "\(error)")
    }
    switch error {
    case .cancelled: self = .clientLeft
    case .tooManyTransfers: self = .overloaded
    case .timeout(wasSent: true): self = .upstreamTimeout(provider: provider)
    case .unreachable, .timeout: self = .upstreamUnreachable(provider: provider)
    case .broken, .invalidResponse: self = .upstreamInvalid(provider: provider)
    }
  }
}
