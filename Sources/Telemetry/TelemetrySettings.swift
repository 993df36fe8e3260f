internal import Configuration
internal import HTTP

/// How traces and metrics are exported: OpenTelemetry's own variables of the environment.
public struct TelemetrySettings: Sendable {
  /// Where one signal goes.
  struct Receiver: Sendable {
    let url: BaseURL
    /// What the receiver wants to be told with each request, such as a key.
    let fields: HeaderFields
    /// For one request.
    let timeout: Duration
    /// For a body and its further attempts.
    let patience: Duration
    /// A PEM file of further certificate authorities.
    let certificateFile: String?
  }

  /// What describes this process.
  struct Attribute: Hashable, Sendable {
    let name: String
    let value: String
  }

  enum Signal: String {
    case traces, metrics
  }

  /// Nil where the signal isn't exported.
  let traces: Receiver?
  let metrics: Receiver?
  let sampler: Sampler
  let resource: [Attribute]
  /// How many spans may wait, and how many are sent together.
  let queueSize: Int
  let batchSize: Int
  /// The longest that a span waits.
  let batchInterval: Duration
  let metricInterval: Duration

  /// What is exported, and where to.
  public var destinations: [(signal: String, url: String)] {
    [(Signal.traces, traces), (.metrics, metrics)].compactMap { signal, receiver in
      receiver.map { (signal.rawValue, "\($0.url)") }
    }
  }

  /// Nil where nothing is to be exported. Throws what can't be understood.
  public init?(
    environment: [String: String], version: String
  ) throws(TelemetryError) {
    let variables = EnvironmentVariables(environment)
    guard variables.text("OTEL_SDK_DISABLED")?.lowercased() != "true" else { return nil }
    traces = try variables.receiver(of: .traces, patience: "OTEL_BSP_EXPORT_TIMEOUT")
    metrics = try variables.receiver(of: .metrics, patience: "OTEL_METRIC_EXPORT_TIMEOUT")
    guard traces != nil || metrics != nil else { return nil }
    sampler = try variables.sampler()
    queueSize = try variables.count("OTEL_BSP_MAX_QUEUE_SIZE", upTo: 65_536) ?? 2_048
    batchSize =
      try variables.count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", upTo: queueSize)
      ?? min(512, queueSize)
    batchInterval = try variables.milliseconds("OTEL_BSP_SCHEDULE_DELAY") ?? .seconds(5)
    metricInterval = try variables.milliseconds("OTEL_METRIC_EXPORT_INTERVAL") ?? .seconds(60)
    resource = try variables.resource(version: version)
  }
}

/// A variable that can't be understood.
public struct TelemetryError: Error, Hashable, CustomStringConvertible {
  let variable: String
  /// Nil where it may be a secret.
  let value: String?
  let allowed: String

  public var description: String {
    "\(variable): \(value.map { "\"\($0)\"" } ?? "its value") is not valid; allowed: \(allowed)"
  }
}
