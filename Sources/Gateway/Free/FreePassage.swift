internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Logging
internal import Metering
internal import Objects
internal import Upstream

/// Passes a request on that costs nothing: no hold, no row, no metering; the same header rules.
///
/// It may name only objects of its own client, what it makes belongs to that client, and a list
/// shows nothing else.
struct FreePassage {
  let path: String
  let provider: Provider
  let journey: Journey
  let identity: Identity
  /// Its entry in the table of endpoints that keep objects; nil for a path that isn't there, which
  /// an operator has opened.
  let endpoint: ObjectEndpoint?
  /// See `FreeContent.namedIDs`.
  private(set) var namedIDs: Set<String> = []

  init(
    path: String, providerName: String?, for identity: Identity, on journey: Journey
  ) throws(Refusal) {
    self.path = path
    self.journey = journey
    self.identity = identity
    endpoint =
      ObjectEndpoints.match(method: journey.exchange.head.method.name, path: path)?.endpoint
    provider = try journey.provider(named: providerName)
  }

  /// Counts against the key's requests a minute, and is logged and counted once it has an answer.
  func run() async throws(Refusal) {
    try journey.limitRate(identity, isFree: true)
    journey.trace?.note(provider)
    let body = try await MeteredRequest.readBody(of: journey)
    let content = try FreeContent(body, of: self)
    try content.check(identity, path: path, parser: journey.workbench.parser)
    try await checkOwners(of: content)
    var passage = self
    passage.namedIDs = content.namedIDs
    try await passage.forward(content)
  }

  private func forward(_ content: FreeContent) async throws(Refusal) {
    defer { journey.exchange.onClientGone = nil }
    if let list = endpoint?.list, !list.isWithinOwner {
      return try await OwnListPassage(try ListQuery(query, of: list), of: self).run()
    }
    let batch = try await unsettledBatch()
    let transfer = try start(content)
    journey.exchange.onClientGone = { transfer.cancel() }
    let head = try await self.head(of: transfer)
    note(status: head.status)
    if let batch, head.status == 200, head.coding != .unknown {
      return await BatchResults(of: batch, for: self, head, transfer).run()
    }
    try await answer(head, transfer)
  }

  /// Lets a request pass that names only objects of its own client, and shared ones with all that
  /// is in them.
  private func checkOwners(of content: FreeContent) async throws(Refusal) {
    let owners = journey.gateway.owners
    try await owners.check(content.references, of: provider, for: identity, on: journey)
    guard let whole = content.whole, !content.parts.isEmpty,
      try await owners.owner(of: whole.id, of: provider, on: journey) != .everybody
    else { return }
    try await owners.check(content.parts, of: provider, for: identity, on: journey)
  }

  var query: String? { journey.exchange.head.query }

  /// Whether the content of a file or of the like is asked for.
  private var isDownload: Bool {
    let method = journey.exchange.head.method
    return (method == .get || method == .head) && path.hasSuffix("/content")
  }

  private func start(_ content: FreeContent) throws(Refusal) -> Transfer {
    let exchange = journey.exchange
    let limits = journey.rules.settings.limits
    return try start(
      UpstreamRequest(
        url: Forwarding.url(path, query: query, of: provider),
        method: exchange.head.method,
        fields: journey.forwardedFields(
          to: provider, for: isDownload ? .content : .answer, readAsJSON: content.isJSON),
        body: content.body.isEmpty ? .none : .bytes(content.body),
        connectTimeout: limits.upstreamConnect, idleTimeout: limits.upstreamIdle,
        certificateAuthorities: provider.caFile, bodyKeeper: exchange.takeBodyReservation()))
  }

  func start(_ request: UpstreamRequest) throws(Refusal) -> Transfer {
    do { return try journey.workbench.upstream.start(request) } catch { throw .overloaded }
  }

  func head(of transfer: Transfer) async throws(Refusal) -> UpstreamResponseHead {
    do { return try await transfer.head() } catch {
      throw Refusal(error, provider: provider.name, on: journey)
    }
  }

  /// Counts and logs that the request has an answer of the provider.
  func note(status: Int) {
    journey.noteUnmetered(path, of: identity, provider: provider.name, status: status)
  }

  /// The work whose end the answer may show.
  var deferredWork: DeferredWork? {
    guard let id = Endpoints.responseID(inPath: path) else { return nil }
    return journey.gateway.deferredWorks.find(
      DeferredWork.ID(provider: provider.name, object: id))
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
