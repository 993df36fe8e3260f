public import EventLoop
internal import HTTP
public import HTTPServer

/// A stand-in for OpenAI and Groq, for trying and testing Catraca.
///
/// It answers calls in both providers' shapes. Its figures follow from the request alone. An
/// `x-sandbox` field makes it misbehave. It keeps a journal of its answers.
public final class SandboxHandler: HTTPHandler {
  private let journal = Journal()
  private let objects = ProviderObjects()
  private let unixTime: @Sendable () -> Int64

  private static let bodyLimit = 64 << 20

  /// - Parameter unixTime: the wall clock, in seconds since 1970.
  public init(unixTime: @escaping @Sendable () -> Int64) {
    self.unixTime = unixTime
  }

  public func handle(_ exchange: HTTPExchange) async {
    let route = SandboxRoute(method: exchange.head.method, path: exchange.head.path)
    do throws(HTTPExchangeError) {
      let body = try await exchange.readBody(limit: SandboxHandler.bodyLimit)
      switch route {
      case .readJournal:
        try await exchange.respond(HTTPAnswer(200, type: "application/x-ndjson", journal.lines))
      case .clearJournal:
        journal.clear()
        try await exchange.respond(HTTPAnswer(200, Array(#"{"cleared":true}"#.utf8)))
      case .health:
        try await exchange.respond(HTTPAnswer(200, Array(#"{"status":"ok"}"#.utf8)))
      case .organization(let part): try await report(part, on: exchange)
      case .realtime: try await serveSession(on: exchange)
      case .models, .model, .chatCompletions, .inputTokens, .text, .speech, .transcription, .image,
        .response, .cancelResponse, .upload, .file, .submitBatch, .batch, .cancelBatch, .unknown:
        try await serve(route, body, on: exchange)
      }
    } catch {
      // The client is gone, sent no HTTP, or its script asks for a break.
      exchange.abort()
    }
  }

  public func refuse(_ refusal: HTTPRefusal, of _: SocketAddress?) -> HTTPAnswer {
    let error =
      switch refusal {
      case .invalid(let error): ProviderError(status: error.status, message: "\(error)")
      case .requestTimeout: ProviderError(status: 408, message: "request timeout")
      case .tooManyConnections, .tooManyConnectionsOfAddress:
        ProviderError(status: 503, message: "too many connections")
      }
    return HTTPAnswer(error.status, error.json.bytes)
  }

  /// Answers a provider's call.
  private func serve(
    _ route: SandboxRoute, _ body: [UInt8], on exchange: HTTPExchange
  ) async throws(HTTPExchangeError) {
    let fields = exchange.head.fields
    let key = SandboxHandler.bearerKey(fields)
    let scriptText = fields.first("x-sandbox")
    let number = journal.open(
      JournalEntry(
        unixTime: unixTime(), method: exchange.head.method.name, path: exchange.head.path,
        keyEnding: JournalEntry.ending(ofKey: key),
        clientRequestID: fields.first("x-client-request-id"), script: scriptText,
        body: Array(body.prefix(JournalEntry.bodyLimit))))

    var script = SandboxScript()
    let answer: SandboxAnswer
    do throws(ProviderError) {
      guard key != nil else { throw .missingKey }
      if let scriptText { script = try SandboxScript(scriptText) }
      answer = try SandboxAnswer(
        to: route, exchange.head, body: body, script: script, objects: objects,
        identity: SandboxChatAnswer.Identity(number: number, created: unixTime()))
    } catch {
      answer = .error(error)
    }
    let call = SandboxCall(
      exchange: exchange, dialect: route.dialect, script: script, journal: journal,
      number: number)
    try await call.perform(answer)
  }

  /// Answers with the report of usage and costs. The request for it isn't in the journal.
  private func report(
    _ part: SandboxOrganizationReport.Part, on exchange: HTTPExchange
  ) async throws(HTTPExchangeError) {
    let head = exchange.head
    let answer: HTTPAnswer
    do throws(ProviderError) {
      guard SandboxHandler.bearerKey(head.fields) != nil else { throw .missingKey }
      let report = try SandboxOrganizationReport(part, query: head.query)
      answer = HTTPAnswer(200, report.page(of: journal.entries).bytes)
    } catch {
      answer = HTTPAnswer(error.status, error.json.bytes)
    }
    try await exchange.respond(answer)
  }

  /// Serves a session over a WebSocket. Each of its responses is an entry in the journal.
  private func serveSession(on exchange: HTTPExchange) async throws(HTTPExchangeError) {
    do throws(ProviderError) {
      guard SandboxHandler.bearerKey(exchange.head.fields) != nil else { throw .missingKey }
      let script = try exchange.head.fields.first("x-sandbox").map(SandboxScript.init)
      try await RealtimeStandIn.serve(
        exchange, script: script ?? SandboxScript(), journal: journal, unixTime: unixTime)
    } catch {
      try await exchange.respond(HTTPAnswer(error.status, error.json.bytes))
    }
  }

  static func bearerKey(_ fields: HeaderFields) -> String? {
    let scheme = "Bearer "
    guard let value = fields.first(.authorization), value.hasPrefix(scheme),
      value.count > scheme.count
    else { return nil }
    return String(value.dropFirst(scheme.count))
  }
}

extension HTTPAnswer {
  static let json: StaticString = "application/json"

  init(_ status: Int, type: StaticString = HTTPAnswer.json, _ body: [UInt8]) {
    var head = ResponseHead(status: status)
    head.fields.append(.contentType, constant: type)
    self.init(head: head, body: body)
  }
}
