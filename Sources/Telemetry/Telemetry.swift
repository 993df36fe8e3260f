public import EventLoop
public import Logging
public import Time
internal import Upstream

/// Sends traces and metrics to a receiver of OpenTelemetry's protocol, OTLP over HTTP.
///
/// It works beside the requests, and none of them ever waits for it: they leave their spans in a
/// bounded queue, from which batches are taken on Swift's own threads and posted from one event
/// loop. What a receiver doesn't take within its time is dropped, counted, and logged.
public final class Telemetry: Sendable {
  /// Begins a round of all metrics: the result writes the next page of them, or says that there is
  /// none.
  public typealias MetricSource = @Sendable () -> (inout OTLPMetrics) -> Bool

  /// Nil where traces aren't exported.
  public let tracer: Tracer?
  private let spanExporter: SpanExporter?
  private let metricExporter: MetricExporter?
  private let services: LoopBound<ServiceClient>
  private let work = Lock<[Task<Void, Never>]>([])

  /// How long a stop waits for what is still to be sent.
  private static let stopPatience = Duration.seconds(5)

  /// - Parameter loop: where it is posted from.
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

  /// Sends what still waits, as far as that goes within five seconds, and ends.
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
