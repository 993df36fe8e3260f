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
struct UnmeteredForwarding {
  let path: String
  let provider: Provider
  let pipeline: RequestPipeline
  let identity: Identity
  /// Its entry in the table of endpoints that keep objects; nil for a path that isn't there, which
  /// an operator has opened.
  let endpoint: ObjectEndpoint?
  /// See `FreeContent.namedIDs`.
  private(set) var namedIDs: Set<String> = []

  init(
    path: String, providerName: String?, for identity: Identity, on pipeline: RequestPipeline
  ) throws(Refusal) {
    self.path = path
    self.pipeline = pipeline
    self.identity = identity
    endpoint =
      ObjectEndpoints.match(method: pipeline.exchange.head.method.name, path: path)?.endpoint
    provider = try pipeline.provider(named: providerName)
  }

  /// Counts against the key's requests a minute, and is logged and counted once it has an answer.
  func run() async throws(Refusal) {
    try pipeline.limitRate(identity, isFree: true)
    pipeline.trace?.note(provider)
    let body = try await MeteredRequest.readBody(of: pipeline)
    var content = try FreeContent(body, of: self)
    try content.check(identity, path: path, parser: pipeline.resources.parser)
    try await checkOwners(of: content)
    try content.leaveOut(
      await pipeline.gateway.owners.foreign(
        content.itemIDs, of: provider, for: identity, on: pipeline),
      parser: pipeline.resources.parser)
    var forwarded = self
    forwarded.namedIDs = content.namedIDs
    try await forwarded.forward(content)
  }

  private func forward(_ content: FreeContent) async throws(Refusal) {
    defer { pipeline.exchange.onClientGone = nil }
    if let list = endpoint?.list, !list.isWithinOwner {
      return try await OwnListForwarding(try ListQuery(query, of: list), of: self).run()
    }
    let batch = try await unsettledBatch()
    let transfer = try start(content, isWhole: batch != nil)
    if !makesObjects { pipeline.exchange.onClientGone = { transfer.cancel() } }
    let head = try await self.head(of: transfer)
    note(status: head.status)
    if let batch, (200..<300).contains(head.status) {
      guard head.status == 200, head.coding != .unknown else {
        transfer.cancel()
        throw .unusableAnswer(provider: provider.name, .unreadable)
      }
      return await BatchResults(of: batch, for: self, head, transfer).run()
    }
    try await answer(head, transfer)
  }

  /// Lets a request pass that names only objects of its own client, and shared ones with all that
  /// is in them.
  private func checkOwners(of content: FreeContent) async throws(Refusal) {
    let owners = pipeline.gateway.owners
    try await owners.check(content.references, of: provider, for: identity, on: pipeline)
    guard let whole = content.whole, !content.parts.isEmpty,
      try await owners.owner(of: whole.id, of: provider, on: pipeline) != .everybody
    else { return }
    try await owners.check(content.parts, of: provider, for: identity, on: pipeline)
  }

  var query: String? { pipeline.exchange.head.query }

  /// Whether the provider makes objects for the request. Catraca reads the answer to such a request
  /// even if the client hangs up, because the objects would belong to nobody otherwise.
  private var makesObjects: Bool {
    pipeline.exchange.head.method == .post && endpoint?.makes.isEmpty == false
  }

  /// Whether the content of a file or of the like is asked for.
  private var isDownload: Bool {
    let method = pipeline.exchange.head.method
    return (method == .get || method == .head) && path.hasSuffix("/content")
  }

  /// - Parameter isWhole: Whether the answer must be the whole content, whatever range the client
  ///   asks for.
  private func start(_ content: FreeContent, isWhole: Bool) throws(Refusal) -> Transfer {
    let exchange = pipeline.exchange
    let limits = pipeline.rules.settings.limits
    var fields = pipeline.forwardedFields(
      to: provider, for: isDownload ? .content : .answer, readAsJSON: content.isJSON)
    if isWhole {
      for name: FieldName in ["range", "if-range"] { fields.remove(name) }
    }
    return try start(
      UpstreamRequest(
        url: Forwarding.url(path, query: query, of: provider),
        method: exchange.head.method, fields: fields,
        body: content.body.isEmpty ? .none : .bytes(content.body),
        connectTimeout: limits.upstreamConnect, idleTimeout: limits.upstreamIdle,
        certificateAuthorities: provider.caFile, bodyKeeper: exchange.takeBodyReservation()))
  }

  func start(_ request: UpstreamRequest) throws(Refusal) -> Transfer {
    do { return try pipeline.resources.upstream.start(request) } catch { throw .overloaded }
  }

  func head(of transfer: Transfer) async throws(Refusal) -> UpstreamResponseHead {
    do { return try await transfer.head() } catch {
      throw pipeline.refusal(for: error, of: provider.name)
    }
  }

  /// Counts and logs that the request has an answer of the provider.
  func note(status: Int) {
    pipeline.noteUnmetered(path, of: identity, provider: provider.name, status: status)
  }

  /// The work whose end the answer may show.
  var deferredWork: DeferredWork? {
    guard let id = Endpoints.responseID(inPath: path) else { return nil }
    return pipeline.gateway.deferredWorks.find(
      DeferredWork.ID(provider: provider.name, object: id))
  }
}

extension RequestPipeline {
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
      line.member("path", RequestPipeline.shortened(path))
      line.member("status", Int64(status))
    }
  }
}
