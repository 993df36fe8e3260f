public import Configuration
public import EventLoop
internal import Ledger
public import Time
internal import Upstream

/// Sends one text through one channel, once. Deliveries and tests share it.
public final class AlertQueue: Sendable {
  /// The outcome of sending.
  public struct Outcome: Sendable, Hashable {
    public let isDelivered: Bool
    /// `200 in 12 ms`, or the reason of the failure.
    public let detail: String
  }

  private let loop: EventLoop
  private let services: LoopBound<ServiceClient>
  private let clock: @Sendable () -> Timestamp
  private let ids = RequestIDSource()

  /// The time after which sending has failed.
  public static let timeout = Duration.seconds(10)

  /// - Parameter loop: The loop that posts to webhooks.
  public init(
    on loop: EventLoop, clock: @escaping @Sendable () -> Timestamp = { .readSystemClock() }
  ) async {
    self.loop = loop
    self.clock = clock
    services = await Task(executorPreference: loop) {
      LoopBound(ServiceClient(on: loop), on: loop)
    }.value
  }

  /// Sends a test message.
  ///
  /// - Parameter channel: One of `settings.channelNames`; the result is nil for any other.
  public func test(_ channel: String, of settings: AlertSettings) async -> Outcome? {
    await send(through: channel, of: settings) { AlertText(testWithID: $0, at: $1) }
  }

  /// Sends a sentence about a difference between a provider's figures and Catraca's, once.
  ///
  /// - Parameter channel: One of `settings.channelNames`; the result is nil for any other.
  public func tell(
    ofDifference sentence: String, through channel: String, of settings: AlertSettings
  ) async -> Outcome? {
    await send(through: channel, of: settings) {
      AlertText(differenceWithID: $0, sentence, at: $1)
    }
  }

  private func send(
    through channel: String, of settings: AlertSettings,
    _ text: (_ id: String, _ now: Timestamp) -> AlertText
  ) async -> Outcome? {
    guard let channel = settings.channels.first(where: { $0.name == channel }) else { return nil }
    let now = clock()
    let id = ids.next(at: now).description
    return await send(text(id, now), id: id, through: channel)
  }

  func send(_ text: AlertText, id: String, through channel: AlertChannel) async -> Outcome {
    let start = MonotonicInstant.now()
    switch channel.kind {
    case .webhook(let webhook):
      let request = WebhookRequest(
        text, id: id, to: webhook, within: AlertQueue.timeout, at: clock())
      return await post(request, since: start)
    case .mail(let settings):
      let message = MailMessage(text, id: id, settings, at: clock())
      do throws(MailError) {
        try await MailTransfer.send(
          message.bytes, settings.envelope, within: AlertQueue.timeout)
        return Outcome(isDelivered: true, detail: "taken\(AlertQueue.time(since: start))")
      } catch {
        return Outcome(isDelivered: false, detail: "\(error)")
      }
    }
  }

  private func post(
    _ request: WebhookRequest, since start: MonotonicInstant
  ) async -> Outcome {
    let work = Task(executorPreference: loop) { [services] () -> Result<Int, UpstreamError> in
      do throws(UpstreamError) {
        return .success(
          try await services.value.call(request.upstream, within: AlertQueue.timeout).status)
      } catch {
        return .failure(error)
      }
    }
    switch await work.value {
    case .success(let status):
      return Outcome(
        isDelivered: (200..<300).contains(status),
        detail: "\(status)\(AlertQueue.time(since: start))")
    case .failure(let error):
      return Outcome(isDelivered: false, detail: AlertQueue.describe(error))
    }
  }

  /// Cancels the posts in progress. No further one can be sent.
  public func close() async {
    await Task(executorPreference: loop) { [services] in services.value.close() }.value
  }

  private static func time(since start: MonotonicInstant) -> String {
    let (seconds, attoseconds) = MonotonicInstant.now().elapsed(since: start).components
    return " in \(seconds * 1000 + attoseconds / 1_000_000_000_000_000) ms"
  }

  private static func describe(_ error: UpstreamError) -> String {
    switch error {
    case .timeout, .cancelled: "no answer within \(timeout.components.seconds) s"
    case .unreachable(.address): "the address can't be called"
    case .unreachable(.name): "the host's name has no address"
    case .unreachable(.connection): "no connection"
    case .unreachable(.handshake): "the TLS handshake failed"
    case .unreachable(.certificate): "the certificate isn't trusted"
    case .unreachable(.trustStore): "ca_file can't be read"
    case .unreachable(.other(let code)): "no connection (libcurl code \(code))"
    case .broken: "the connection broke off before an answer"
    case .invalidResponse: "the answer isn't HTTP"
    case .tooManyTransfers: "too many deliveries are under way"
    }
  }
}
