internal import Budgets
internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import Ledger
internal import Logging
internal import Metering
internal import Pricing
internal import TLS
internal import Upstream

/// The beginning of a realtime session: the first hold, then the provider's upgrade, then ours.
///
/// Until the provider has agreed, everything is answered in HTTP: our refusals, and its own.
struct RealtimeOpening {
  let transfer: Transfer
  let context: RealtimeContext
  let turn: RealtimeTurn

  /// Serves a session from its first byte to its last.
  static func serve(_ request: RealtimeRequest, on pipeline: RequestPipeline) async throws(Refusal)
  {
    let (provider, model) = try Quote.find(
      request.model, of: request.providerName, for: request.identity.client.id, in: pipeline)
    try await pipeline.gateway.owners.check(
      request.references, of: provider, for: request.identity, on: pipeline)
    let context = RealtimeContext(
      model: request.model, contextTokens: model?.declaration.contextTokens)
    let turn = try await RealtimeTurn.reserve(
      context.responseFacts(outputLimit: nil), Endpoints.realtime, for: request, on: pipeline)
    pipeline.trace?.note(turn.provider)
    do throws(Refusal) {
      guard !pipeline.exchange.isClientGone else { throw .clientLeft }
      let transfer = try start(request, turn.provider, on: pipeline)
      pipeline.exchange.onClientGone = { transfer.cancel() }
      let head = try await agreement(of: transfer, turn.provider, on: pipeline)
      pipeline.exchange.onClientGone = nil
      guard head.status == 101 else {
        await turn.giveBack()
        // If the provider refuses the session, the client gets the provider's answer.
        transfer.finishSending()
        return try await UnmeteredForwarding(
          path: Endpoints.realtime.path, providerName: turn.provider.name,
          for: request.identity, on: pipeline
        ).relay(head, transfer)
      }
      try check(head, request, transfer, turn.provider)
      let opening = RealtimeOpening(transfer: transfer, context: context, turn: turn)
      let stream = try await opening.upgrade(head, request, on: pipeline)
      await RealtimeSession(request, opening, stream, on: pipeline).run()
    } catch {
      await turn.giveBack()
      throw error
    }
  }

  private static func start(
    _ request: RealtimeRequest, _ provider: Provider, on pipeline: RequestPipeline
  ) throws(Refusal) -> Transfer {
    let limits = pipeline.rules.settings.limits
    var fields = pipeline.forwardedFields(to: provider, for: .upgrade)
    fields.remove(.secWebSocketExtensions)
    fields.remove(.secWebSocketProtocol)
    fields.append(.upgrade, constant: "websocket")
    if !request.protocols.isEmpty {
      do {
        try fields.append(.secWebSocketProtocol, request.protocols.joined(separator: ", "))
      } catch {
        throw .malformed(error)
      }
    }
    let upstream = UpstreamRequest(
      url: Forwarding.url(
        Endpoints.realtime.path, query: pipeline.exchange.head.query, of: provider),
      method: .get, fields: fields, body: .upgrade, connectTimeout: limits.upstreamConnect,
      idleTimeout: limits.upstreamIdle, certificateAuthorities: provider.caFile)
    do { return try pipeline.resources.upstream.start(upstream) } catch { throw .overloaded }
  }

  private static func agreement(
    of transfer: Transfer, _ provider: Provider, on pipeline: RequestPipeline
  ) async throws(Refusal) -> UpstreamResponseHead {
    do {
      return try await transfer.head()
    } catch {
      throw pipeline.refusal(for: error, of: provider.name)
    }
  }

  /// The provider must have read our request, and chosen what was offered.
  private static func check(
    _ head: UpstreamResponseHead, _ request: RealtimeRequest, _ transfer: Transfer,
    _ provider: Provider
  ) throws(Refusal) {
    let chosen = head.fields.values(.secWebSocketProtocol)
    guard
      head.fields.values(.secWebSocketAccept)
        == [WebSocketAccept.value(for: request.upgrade.key)],
      head.fields.contains(.upgrade, token: "websocket"),
      !head.fields.contains(.secWebSocketExtensions),
      chosen.count <= 1, chosen.allSatisfy(request.protocols.contains)
    else {
      transfer.cancel()
      throw .upstreamInvalid(provider: provider.name)
    }
  }

  private func upgrade(
    _ head: UpstreamResponseHead, _ request: RealtimeRequest, on pipeline: RequestPipeline
  ) async throws(Refusal) -> UpgradedStream {
    var fields = turn.responseFields(head)
    fields.append(.upgrade, constant: "websocket")
    do {
      return try await pipeline.exchange.upgrade(ResponseHead(status: head.status, fields: fields))
    } catch {
      transfer.cancel()
      throw .clientLeft
    }
  }
}
