internal import Budgets
internal import Configuration
internal import EventLoop
internal import HTTPServer
internal import Metering
internal import Pricing

// The holds that a session takes ahead. Only one of its two tasks takes or moves a hold at a time.

extension RealtimeSession {
  /// Holds what the next response may need, if nothing is held for it.
  func renew() async throws(Refusal) {
    await reserving.lock()
    defer { reserving.unlock() }
    if next == nil { next = try await reserveResponse() }
  }

  /// Makes sure that what is held pays for the conversation as it is now.
  ///
  /// While a response is under way nothing need be held: the next hold is measured anew.
  func cover() async throws(Refusal) {
    guard let held = next, !held.covers(neededByNext) else { return }
    await reserving.lock()
    defer { reserving.unlock() }
    try await replaceNext()
  }

  /// Takes what is held for the next response, opened, for one that is asked for or has begun.
  ///
  /// - Parameter limit: the response's own limit of its output.
  func takeNext(
    limit: RealtimeClientEvent.OutputLimit? = nil
  ) async throws(Refusal) -> RealtimeTurn {
    await reserving.lock()
    defer { reserving.unlock() }
    let tokens = (limit ?? outputLimit).tokens
    if let held = next,
      !held.covers(context.responseFacts(outputLimit: tokens, headroom: 0))
    {
      try await replaceNext(outputLimit: tokens)
    }
    let turn: RealtimeTurn
    if let held = next { turn = held } else { turn = try await reserveResponse() }
    next = turn
    try await turn.open()
    next = nil
    return turn
  }

  /// Opens what is held, before sound is sent: the provider may answer it by itself.
  func openForAudio() async throws(Refusal) {
    await reserving.lock()
    defer { reserving.unlock() }
    if case .by(let model) = transcription {
      let needed = context.transcriptionFacts(model: model, headroom: 0)
      if let held = transcript, !held.covers(needed), context.pendingTranscriptions == 0 {
        transcript = nil
        await held.giveBack()
      }
      if transcript == nil { transcript = try await reserveTranscription(by: model) }
      try await transcript?.open()
    }
    try await next?.open()
  }

  /// Holds what the next transcription may need, by the model that is now set.
  func renewTranscription() async throws(Refusal) {
    await reserving.lock()
    defer { reserving.unlock() }
    guard case .by(let model) = transcription else {
      if context.pendingTranscriptions == 0, let held = transcript {
        transcript = nil
        await held.giveBack()
      }
      return
    }
    guard let held = transcript else {
      transcript = try await reserveTranscription(by: model)
      return
    }
    guard held.model != model, context.pendingTranscriptions == 0 else { return }
    transcript = nil
    await held.giveBack()
    transcript = try await reserveTranscription(by: model)
    if held.isOpen { try await transcript?.open() }
  }

  // MARK: Steps, while `reserving` is locked

  private var neededByNext: RequestFacts {
    context.responseFacts(outputLimit: outputLimit.tokens, headroom: 0)
  }

  private func replaceNext(outputLimit limit: Int64? = nil) async throws(Refusal) {
    guard let held = next else { return }
    next = nil
    await held.giveBack()
    next = try await reserveResponse(outputLimit: limit)
    if held.isOpen { try await next?.open() }
  }

  private func reserveResponse(
    outputLimit limit: Int64? = nil
  ) async throws(Refusal) -> RealtimeTurn {
    let largest = limit.flatMap { own in outputLimit.tokens.map { max(own, $0) } }
    return try await reserve(
      context.responseFacts(outputLimit: largest ?? outputLimit.tokens), Endpoints.realtime)
  }

  func reserveTranscription(by model: String) async throws(Refusal) -> RealtimeTurn {
    try await reserve(
      context.transcriptionFacts(model: model), Endpoints.realtimeTranscription)
  }

  /// Under the rules that are now in force: a key that was revoked pays for nothing more.
  private func reserve(
    _ facts: RequestFacts, _ endpoint: Endpoint
  ) async throws(Refusal) -> RealtimeTurn {
    let pipeline = RequestPipeline(partOf: self.pipeline)
    defer { watchClient() }
    let identity = try Identity(
      of: exchange.head, among: pipeline.rules.clients, at: pipeline.startedAt)
    try identity.check(facts)
    return try await RealtimeTurn.reserve(facts, endpoint, for: request, on: pipeline)
  }
}

extension RealtimeTurn {
  /// Holds what `facts` may need on every budget that applies.
  static func reserve(
    _ facts: RequestFacts, _ endpoint: Endpoint, for request: RealtimeRequest,
    on pipeline: RequestPipeline
  ) async throws(Refusal) -> RealtimeTurn {
    let metered = request.metered(facts, endpoint)
    let quote = try Quote(for: metered, in: pipeline)
    return RealtimeTurn(try await pipeline.admit(metered, quote), bound: facts)
  }
}
