internal import Configuration
internal import EventLoop
internal import HTTP
internal import JSON
internal import Logging
internal import Upstream

/// Posts the bodies of one signal to its receiver, and retries if OTLP says that the receiver may
/// accept the body later.
///
/// Once its task is canceled, it no longer waits: each body gets one last attempt.
final class OTLPSender: Sendable {
  /// The outcome of a body.
  enum Outcome: Hashable {
    /// The receiver accepted the body, except for this number of its parts.
    case taken(rejected: Int64, reason: String)
    case failed(reason: String)
  }

  /// The outcome of one attempt.
  private enum Attempt {
    case ended(Outcome)
    /// The body may be sent again, after the pause that the receiver asks for.
    case postponed(reason: String, pause: Duration?)
  }

  let receiver: TelemetrySettings.Receiver
  private let services: LoopBound<ServiceClient>
  /// The name of the member with the number of rejected parts.
  private let rejectedMember: StaticString

  /// The statuses of a receiver that may accept the body later.
  private static let passing: Set<Int> = [429, 502, 503, 504]

  init(
    to receiver: TelemetrySettings.Receiver, of signal: TelemetrySettings.Signal,
    through services: LoopBound<ServiceClient>
  ) {
    self.receiver = receiver
    self.services = services
    rejectedMember = signal == .traces ? "rejectedSpans" : "rejectedDataPoints"
  }

  func send(_ body: [UInt8]) async -> Outcome {
    let request = request(body)
    let start = MonotonicInstant.now()
    var generator = SystemRandomNumberGenerator()
    var attempts = 0
    while true {
      switch await attempt(request) {
      case .ended(let outcome): return outcome
      case .postponed(let reason, let asked):
        attempts += 1
        let pause = asked ?? ExportBackoff.pause(after: attempts, using: &generator)
        guard !Task.isCancelled,
          MonotonicInstant.now().elapsed(since: start) + pause < receiver.patience
        else { return .failed(reason: reason) }
        // An early wake-up is no error; the next attempt is then the last.
        try? await Task.sleep(for: pause)
      }
    }
  }

  private func attempt(_ request: UpstreamRequest) async -> Attempt {
    let timeout = receiver.timeout
    let work = Task(executorPreference: services.loop) {
      [services] () -> Result<ServiceClient.Answer, UpstreamError> in
      do throws(UpstreamError) {
        return .success(try await services.value.call(request, within: timeout))
      } catch {
        return .failure(error)
      }
    }
    switch await work.value {
    case .failure(let error): return .postponed(reason: "\(error)", pause: nil)
    case .success(let answer) where (200..<300).contains(answer.status):
      return .ended(taken(answer.body ?? []))
    case .success(let answer):
      let reason = "the receiver answered \(answer.status)"
      guard OTLPSender.passing.contains(answer.status) else {
        return .ended(.failed(reason: reason))
      }
      let asked = ExportBackoff.pause(retryAfter: answer.fields.first(.retryAfter))
      return .postponed(reason: reason, pause: asked)
    }
  }

  /// Reads the receiver's report of rejected parts. Without a report, it accepted all.
  private func taken(_ body: [UInt8]) -> Outcome {
    let success = (try? JSONParser().parse(body))?["partialSuccess"]
    let rejected = success?[rejectedMember]
    let count = rejected?.integer ?? rejected?.string.flatMap { Int64($0) } ?? 0
    return .taken(
      rejected: max(0, count), reason: SpanText(success?["errorMessage"]?.string ?? "").text)
  }

  private func request(_ body: [UInt8]) -> UpstreamRequest {
    var fields = receiver.fields
    fields.remove(.contentType)
    fields.append(.contentType, constant: "application/json")
    if !fields.contains(.userAgent) { fields.append(.userAgent, constant: "Catraca") }
    return UpstreamRequest(
      url: "\(receiver.url)", method: .post, fields: fields, body: .bytes(body),
      connectTimeout: receiver.timeout, idleTimeout: receiver.timeout,
      certificateAuthorities: receiver.certificateFile)
  }
}

/// The pause before a request is repeated to a receiver that may accept it later.
enum ExportBackoff {
  private static let firstMilliseconds: Int64 = 1_000
  private static let longestMilliseconds: Int64 = 16_000
  /// The longest `Retry-After` in seconds; longer than any export may take.
  private static let longestRetryAfter: Int64 = 86_400

  /// Returns a pause that doubles each time. Half of it is random, so that senders don't return
  /// simultaneously.
  ///
  /// - Parameter attempts: The number of failed attempts, at least one.
  static func pause(
    after attempts: Int, using generator: inout some RandomNumberGenerator
  ) -> Duration {
    let whole = min(longestMilliseconds, firstMilliseconds << Int64(min(attempts, 16) - 1))
    return .milliseconds(Int64.random(in: whole / 2...whole, using: &generator))
  }

  /// Returns the pause of a `Retry-After` in seconds; nil for a date, or without a value.
  static func pause(retryAfter text: String?) -> Duration? {
    guard let seconds = text.flatMap({ Int64($0) }), seconds >= 0 else { return nil }
    return .seconds(min(seconds, longestRetryAfter))
  }
}

/// Logs that a receiver doesn't accept its data. At most one line a minute is written, because a
/// dead receiver fails all the time.
final class ExportLog: Sendable {
  private let logger: Logger
  private let lastLine = Lock<[TelemetrySettings.Signal: MonotonicInstant]>([:])

  private static let interval = Duration.seconds(60)

  init(_ logger: Logger) {
    self.logger = logger
  }

  /// - Parameter droppedSpans: The number of spans dropped since the start; nil for metrics.
  func write(
    _ signal: TelemetrySettings.Signal, to url: BaseURL, _ reason: String, droppedSpans: Int64?
  ) {
    let now = MonotonicInstant.now()
    let isDue = lastLine.withLock { lines in
      if let last = lines[signal], now.elapsed(since: last) < ExportLog.interval { return false }
      lines[signal] = now
      return true
    }
    guard isDue else { return }
    logger.log(.warn, "telemetry_not_exported") { line in
      line.member("signal", signal.rawValue)
      line.member("url", "\(url)")
      line.member("reason", reason)
      if let droppedSpans { line.member("dropped_spans", droppedSpans) }
    }
  }
}
