internal import Configuration
internal import HTTP

/// The settings of the export of traces and metrics, from OpenTelemetry's own environment
/// variables.
public struct TelemetrySettings: Sendable {
  /// The receiver of one signal.
  struct Receiver: Sendable {
    let url: BaseURL
    /// The fields that the receiver wants in each request, for example a key.
    let fields: HeaderFields
    /// The time limit of one request.
    let timeout: Duration
    /// The time limit of a body, including its retries.
    let patience: Duration
    /// A PEM file of additional certificate authorities; nil for none.
    let certificateFile: String?
  }

  /// An attribute of this process.
  struct Attribute: Hashable, Sendable {
    let name: String
    let value: String
  }

  enum Signal: String {
    case traces, metrics
  }

  /// The receiver of traces; nil if they aren't exported.
  let traces: Receiver?
  let metrics: Receiver?
  let sampler: Sampler
  let resource: [Attribute]
  /// The most spans that may wait.
  let queueSize: Int
  let batchSize: Int
  /// The longest time that a span waits.
  let batchInterval: Duration
  let metricInterval: Duration

  /// The exported signals, with their addresses.
  public var destinations: [(signal: String, url: String)] {
    [(Signal.traces, traces), (.metrics, metrics)].compactMap { signal, receiver in
      receiver.map { (signal.rawValue, "\($0.url)") }
    }
  }

  /// Returns nil if nothing is exported.
  /// - Throws: `TelemetryError` for a variable that can't be understood.
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
  /// The value; nil if it may be a secret.
  let value: String?
  let allowed: String

  public var description: String {
    "\(variable): \(value.map { "\"\($0)\"" } ?? "its value") is not valid; allowed: \(allowed)"
  }
}
