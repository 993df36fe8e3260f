internal import HTTP

/// What the sandbox has decided to answer; nothing of it is sent yet.
enum SandboxAnswer {
  case plain([UInt8])
  case chat(ChatAnswer)
  case media(MediaAnswer)
  case billed(BilledAnswer)
  /// The events of a stream that was billed before.
  case events([[UInt8]])
  case error(ProviderError)

  /// Decides on the answer to a provider's call.
  ///
  /// - Parameter identity: of this answer, unless the script has a seed.
  init(
    to route: SandboxRoute, _ head: RequestHead, body: [UInt8], script: SandboxScript,
    responses: BackgroundResponses, identity: ChatAnswer.Identity
  ) throws(ProviderError) {
    if let status = script.status { throw .scripted(status: status) }
    let identity = script.seed.map(ChatAnswer.Identity.seeded) ?? identity
    switch route {
    case .models(let dialect): self = .plain(ModelList.all(of: dialect))
    case .model(let dialect, let id): self = .plain(try ModelList.one(id, of: dialect))
    case .inputTokens: self = .plain(try InputTokenCount.answer(to: body))
    case .chatCompletions(let dialect):
      self = .chat(
        ChatAnswer(
          try ChatRequest(body: body), script: script, dialect: dialect,
          identity: identity))
    case .speech: self = .media(try SpeechAnswer.answer(to: try MediaRequest(head, body)))
    case .transcription(let dialect, let isTranslation):
      self = .media(
        try TranscriptionAnswer.answer(
          to: try MediaRequest(head, body), dialect: dialect, isTranslation: isTranslation,
          number: identity.number))
    case .image(_, let isEdit):
      self = .media(
        ImageAnswer.answer(
          to: try MediaRequest(head, body), isEdit: isEdit, created: identity.created))
    case .text(.responses, let dialect):
      let answer = ChatAnswer(
        try ChatRequest(response: body), script: script, dialect: dialect, identity: identity)
      if answer.request.isBackground { responses.add(answer) }
      self = .billed(BilledAnswer(answer, shape: \.response))
    case .response(_, let id):
      let seen = try responses.look(at: id)
      let wantsEvents = head.query?.contains("stream=true") ?? false
      self =
        wantsEvents && seen.stage == .done
        ? .events(seen.answer.responseEvents) : .plain(seen.answer.response(at: seen.stage))
    case .cancelResponse(_, let id):
      let seen = try responses.cancel(id)
      self = .plain(seen.answer.response(at: seen.stage))
    case .text(let endpoint, let dialect):
      self = .billed(
        try endpoint.answer(to: body, script: script, dialect: dialect, identity: identity))
    case .readJournal, .clearJournal, .health, .unknown:
      throw .unknownPath(head.method.name, head.path)
    }
  }
}
