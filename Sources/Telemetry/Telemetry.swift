public import EventLoop
public import Logging
public import Time
internal import Upstream

/// Sends traces and metrics to a receiver of OpenTelemetry's protocol, OTLP over HTTP.
///
/// Requests never wait for it. They put their spans into a bounded queue, from which Swift's own
/// threads take batches and post them from one event loop. Data that a receiver doesn't accept in
/// time is dropped, counted, and logged.
public final class Telemetry: Sendable {
  /// Starts a round over all metrics. The result writes the next page of them, or returns false if
  /// there is none.
  public typealias MetricSource = @Sendable () -> (inout OTLPMetrics) -> Bool

  /// The tracer; nil if traces aren't exported.
  public let tracer: Tracer?
  private let spanExporter: SpanExporter?
  private let metricExporter: MetricExporter?
  private let services: LoopBound<ServiceClient>
  private let work = Lock<[Task<Void, Never>]>([])

  /// The time that a stop waits for unsent data.
  private static let stopPatience = Duration.seconds(5)

  /// - Parameter loop: The loop that posts the data.
  public init(
    _ settings: TelemetrySettings, on loop: EventLoop, logger: Logger,
    clock: @escaping @Sendable () -> Timestamp = { .readSystemClock() }
  ) async {
    let services = await Task(executorPreference: loop) {
      LoopBound(ServiceClient(on: loop), on: loop)
    }.value
    let envelope = OTLPEnvelope(resource: settings.resource)
    let log = ExportLog(logger)
    let queue = SpanQueue(capacity: settings.queueSize, batchSize: settings.batchSize)
    tracer = settings.traces.map { _ in Tracer(settings.sampler, queue) }
    spanExporter = settings.traces.map { receiver in
      SpanExporter(
        queue, to: OTLPSender(to: receiver, of: .traces, through: services), in: envelope,
        every: settings.batchInterval, log: log)
    }
    metricExporter = settings.metrics.map { receiver in
      MetricExporter(
        to: OTLPSender(to: receiver, of: .metrics, through: services), in: envelope,
        every: settings.metricInterval, log: log, clock: clock)
    }
    self.services = services
  }

  public func start(metrics: @escaping MetricSource) {
    var tasks: [Task<Void, Never>] = []
    if let spanExporter { tasks.append(Task { await spanExporter.run() }) }
    if let metricExporter { tasks.append(Task { await metricExporter.run(metrics) }) }
    let begun = tasks
    work.withLock { $0 = begun }
  }

  /// Sends the waiting data, for up to five seconds, and ends.
  public func stop() async {
    let tasks = work.withLock { tasks in
      defer { tasks = [] }
      return tasks
    }
    let deadline = Task {
      do { try await Task.sleep(for: Telemetry.stopPatience) } catch { return }
      await close()
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    deadline.cancel()
    await close()
  }

  private func close() async {
    await Task(executorPreference: services.loop) { [services] in services.value.close() }.value
  }
}
