internal import Budgets
internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Logging
internal import Metering
internal import Objects
internal import Time
internal import Upstream

/// One realtime session: a WebSocket whose messages are passed on in both directions.
///
/// A session costs by its responses, which a client asks for or the provider begins by itself when
/// it hears that somebody has spoken. So what the next response may need is always held (`next`),
/// from before the upgrade on. Its intent is written before anything is sent that can bring it
/// about; it is settled before its `response.done` is passed on; then the next is held. Where that
/// can't be paid, the session is closed. Another model transcribes the
/// sound, with a hold of its own (`transcript`).
///
/// Two tasks of one loop serve a session: RealtimeClientSide.swift has what the client sends,
/// RealtimeProviderSide.swift what the provider sends. Whichever finds an end calls `end`, which
/// stops both; `finish` then settles what is left and says good-bye.
final class RealtimeSession {
  let request: RealtimeRequest
  let pipeline: RequestPipeline
  let stream: UpgradedStream
  let transfer: Transfer
  let provider: Provider

  var context: RealtimeContext
  /// The items and responses that its events may name.
  var objects = SessionObjects()
  /// For the response that comes next; nil while none can be paid yet.
  var next: RealtimeTurn?
  /// Those that were asked for or have begun, the oldest first.
  var responses: [RealtimeTurn] = []
  /// For the transcription that comes next.
  var transcript: RealtimeTurn?

  /// The limit of output for responses that set none of their own.
  var outputLimit = RealtimeClientEvent.OutputLimit.model
  var transcription = RealtimeClientEvent.Transcription.none
  /// Changes of the session that the provider hasn't confirmed.
  var unconfirmedUpdates = 0
  /// The request that began the session was counted as its first response.
  var isFirstResponse = true
  private var isStopping = false
  private(set) var completion: RealtimeEnd?

  let reserving = LoopMutex()
  private let writing = LoopMutex()
  private var toClient = WebSocketWriter(as: .server)
  private var toProvider = WebSocketWriter(as: .client)
  private lazy var silence = LoopTimer(on: exchange.loop) { [unowned self] in end(.silent) }
  private lazy var goodbye = LoopTimer(on: exchange.loop) { [unowned self] in
    end(.clientClosed(nil))
  }

  var exchange: HTTPExchange { pipeline.exchange }
  var gateway: Gateway { pipeline.gateway }
  var parser: JSONParser { pipeline.resources.parser }

  /// How long a provider may take to answer a close.
  private static let closePatience = Duration.seconds(2)
  /// A buffer that grew beyond this is given back.
  static let keptBuffer = 16 << 10

  init(
    _ request: RealtimeRequest, _ opening: RealtimeOpening, _ stream: UpgradedStream,
    on pipeline: RequestPipeline
  ) {
    self.request = request
    self.pipeline = pipeline
    self.stream = stream
    transfer = opening.transfer
    provider = opening.turn.provider
    context = opening.context
    next = opening.turn
  }

  func run() async {
    stream.onStop = { [unowned self] in stop() }
    if gateway.isStopping { stop() }
    watchClient()
    noteActivity()
    let own = LoopBound(self, on: exchange.loop)
    let providerSide = Task(executorPreference: exchange.loop) {
      await own.value.serveProvider()
    }
    await serveClient()
    await providerSide.value
    await finish()
  }

  // MARK: Ending

  /// Ends the session, for the first reason that is given.
  func end(_ reason: RealtimeEnd) {
    guard completion == nil else { return }
    completion = reason
    transfer.cancel()
    stream.interrupt()
    // Gives up a wait for a hold.
    let leave = exchange.onClientGone
    exchange.onClientGone = nil
    leave?()
  }

  func watchClient() {
    guard completion == nil else { return }
    exchange.onClientGone = { [unowned self] in end(.clientLeft) }
    if exchange.isClientGone { end(.clientLeft) }
  }

  /// The server stops: a response that is under way may end.
  private func stop() {
    isStopping = true
    endIfStopping()
  }

  /// Says whether it ended.
  @discardableResult
  func endIfStopping() -> Bool {
    guard isStopping, responses.isEmpty else { return false }
    end(.stopping)
    return true
  }

  /// The client has said that it closes; the provider is waited for.
  func awaitProviderClose() {
    goodbye.start(after: RealtimeSession.closePatience)
  }

  var isClosing: Bool { goodbye.isRunning }

  func noteActivity() {
    silence.start(after: pipeline.rules.settings.limits.upstreamIdle)
  }

  /// Settles what is left, then tells the client.
  private func finish() async {
    silence.stop()
    goodbye.stop()
    stream.onStop = nil
    exchange.onClientGone = nil
    guard let completion else { preconditionFailure("a session ends for a reason") }
    for turn in responses {
      await turn.settle(
        completion.outcome, turn.meter.report, isCut: !turn.meter.report.isUnreadable)
    }
    await next?.giveBack()
    if context.pendingTranscriptions > 0 {
      await transcript?.settle(completion.outcome, RealtimeMeter().report)
    } else {
      await transcript?.giveBack()
    }
    if case .refused(let refusal) = completion { pipeline.trace?.note(refusal) }
    gateway.logger.log(.info, "realtime_session_ended") { line in
      line.member("request_id", "\(pipeline.id)")
      line.member("client", request.identity.client.id)
      line.member("reason", completion.name)
    }
    guard !exchange.isClientGone, let close = completion.close else { return }
    if case .refused(let refusal) = completion { _ = await sendError(refusal) }
    var bytes: [UInt8] = []
    toClient.append(.close(close), to: &bytes)
    _ = await stream.write(bytes)
  }

  // MARK: Sending

  /// Appends a message for the client to `bytes`.
  func append(_ kind: WebSocketMessageKind, _ message: [UInt8], to bytes: inout [UInt8]) {
    toClient.append(kind, message.span, to: &bytes)
  }

  func append(_ control: WebSocketControl, to bytes: inout [UInt8]) {
    toClient.append(control, to: &bytes)
  }

  /// Sends frames to the client and waits until it takes them; false when it is gone.
  func sendToClient(_ bytes: inout [UInt8]) async {
    guard !bytes.isEmpty, completion == nil else { return }
    await writing.lock()
    defer { writing.unlock() }
    if await !stream.write(bytes) { end(.clientLeft) }
    if bytes.capacity > RealtimeSession.keptBuffer {
      bytes = []
    } else {
      bytes.removeAll(keepingCapacity: true)
    }
  }

  func sendToProvider(_ kind: WebSocketMessageKind, _ message: [UInt8]) async {
    var bytes: [UInt8] = []
    toProvider.append(kind, message.span, to: &bytes)
    await sendToProvider(bytes)
  }

  func sendToProvider(_ control: WebSocketControl) async {
    var bytes: [UInt8] = []
    toProvider.append(control, to: &bytes)
    await sendToProvider(bytes)
  }

  private func sendToProvider(_ bytes: [UInt8]) async {
    guard completion == nil else { return }
    do {
      _ = try await transfer.send(bytes)
    } catch {
      end(.providerLeft)
    }
  }

  /// Tells the client of a refusal, in the form of the API's own error events.
  func sendError(_ refusal: Refusal, eventID: String? = nil) async {
    let answer: RefusalAnswer
    switch refusal {
    case .budget(let refusal): answer = refusal.answer
    case .clientLeft: return
    default:
      gateway.noteMissingPrice(
        refusal, client: request.identity.client.id, at: gateway.clock())
      answer = RefusalAnswer(refusal)
    }
    var event = JSONWriter()
    event.object { event in
      event.member("type", "error")
      event.member("event_id", "event_\(gateway.requestIDs.next(at: gateway.clock()))")
      event.member("error") { error in
        error.object {
          $0.member("message", answer.message)
          $0.member("type", answer.type)
          $0.member("param", answer.param)
          $0.member("code", answer.shownCode)
          $0.member("event_id", eventID)
        }
      }
    }
    var bytes: [UInt8] = []
    toClient.append(.text, event.bytes.span, to: &bytes)
    await writing.lock()
    defer { writing.unlock() }
    _ = await stream.write(bytes)
  }
}
