internal import HTTP

/// The sandbox's decision about an answer. Nothing of it has been sent yet.
enum SandboxAnswer {
  case plain(JSONText)
  /// The content of a file.
  case file([UInt8])
  case chat(SandboxChatAnswer)
  case media(MediaAnswer)
  case billed(BilledAnswer)
  /// A batch that was submitted, and the usage of its lines to bill.
  case batch(JSONText, [SandboxBatchLine])
  /// The events of a stream that was billed before.
  case events([[UInt8]])
  case error(ProviderError)

  /// Decides on the answer to a provider's call.
  ///
  /// - Parameter identity: of this answer, unless the script has a seed.
  /// - Throws: The error that the provider would answer.
  init(
    to route: SandboxRoute, _ head: RequestHead, body: [UInt8], script: SandboxScript,
    objects: ProviderObjects, identity: SandboxChatAnswer.Identity
  ) throws(ProviderError) {
    if let status = script.status { throw .scripted(status: status) }
    let identity = script.seed.map(SandboxChatAnswer.Identity.seeded) ?? identity
    switch route {
    case .models(let dialect): self = .plain(SandboxModelList.all(of: dialect))
    case .model(let dialect, let id): self = .plain(try SandboxModelList.one(id, of: dialect))
    case .inputTokens: self = .plain(try InputTokenCount.answer(to: body))
    case .chatCompletions(let dialect):
      self = .chat(
        SandboxChatAnswer(
          try ChatRequest(body: body), script: script, dialect: dialect,
          identity: identity))
    case .speech: self = .media(try SandboxSpeechAnswer.answer(to: try MediaRequest(head, body)))
    case .transcription(let dialect, let isTranslation):
      self = .media(
        try SandboxTranscriptionAnswer.answer(
          to: try MediaRequest(head, body), dialect: dialect, isTranslation: isTranslation,
          number: identity.number))
    case .image(_, let isEdit):
      self = .media(
        SandboxImageAnswer.answer(
          to: try MediaRequest(head, body), isEdit: isEdit, created: identity.created))
    case .text(.responses, let dialect):
      let answer = SandboxChatAnswer(
        try ChatRequest(response: body), script: script, dialect: dialect, identity: identity)
      if answer.request.isBackground { objects.responses.add(answer) }
      self = .billed(BilledAnswer(answer, shape: \.response))
    case .response(_, let id):
      let seen = try objects.responses.look(at: id)
      let wantsEvents = head.query?.contains("stream=true") ?? false
      self =
        wantsEvents && seen.stage == .done
        ? .events(seen.answer.responseEvents) : .plain(seen.answer.response(at: seen.stage))
    case .cancelResponse(_, let id):
      let seen = try objects.responses.cancel(id)
      self = .plain(seen.answer.response(at: seen.stage))
    case .upload: self = .plain(try objects.files.upload(head, body))
    case .file(_, let id, let isContent):
      self =
        isContent
        ? .file(try objects.files.file(id).content) : .plain(try objects.files.object(id))
    case .submitBatch(let dialect):
      self = try SandboxAnswer.batch(
        of: body, dialect, head, script: script, objects: objects, identity: identity)
    case .batch(_, let id): self = .plain(try objects.batches.look(at: id))
    case .cancelBatch(_, let id): self = .plain(try objects.batches.cancel(id))
    case .text(let endpoint, let dialect):
      self = .billed(
        try endpoint.answer(to: body, script: script, dialect: dialect, identity: identity))
    case .organization, .realtime, .readJournal, .clearJournal, .health, .unknown:
      throw .unknownPath(head.method.name, head.path)
    }
  }

  /// Submits a batch and answers its requests.
  private static func batch(
    of body: [UInt8], _ dialect: SandboxProviderDialect, _ head: RequestHead, script: SandboxScript,
    objects: ProviderObjects, identity: SandboxChatAnswer.Identity
  ) throws(ProviderError) -> SandboxAnswer {
    var lines: [SandboxBatchLine] = []
    let batch = try objects.batches.submit(body, script: script, number: identity.number) {
      path, body throws(ProviderError) in
      let line = try SandboxAnswer.line(
        of: path, body, dialect, head, script: script, objects: objects, identity: identity)
      lines.append(line)
      return line.answer
    }
    return .batch(batch, lines)
  }

  /// The answer to one request of a batch.
  private static func line(
    of path: String, _ body: [UInt8], _ dialect: SandboxProviderDialect, _ head: RequestHead,
    script: SandboxScript, objects: ProviderObjects, identity: SandboxChatAnswer.Identity
  ) throws(ProviderError) -> SandboxBatchLine {
    let prefix = dialect == .groq ? "/openai" : ""
    let answer = try SandboxAnswer(
      to: SandboxRoute(method: .post, path: prefix + path), head, body: body, script: script,
      objects: objects, identity: identity)
    switch answer {
    case .chat(let chat):
      return SandboxBatchLine(
        path: path, model: chat.request.model, usage: chat.usage, answer: chat.body)
    case .billed(let billed):
      if case .whole(let body) = billed.content {
        return SandboxBatchLine(path: path, model: billed.model, usage: billed.usage, answer: body)
      }
    default: break
    }
    throw .unknownPath("POST", path)
  }
}
