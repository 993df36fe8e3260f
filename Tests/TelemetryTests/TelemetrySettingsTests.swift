import HTTP
import Testing

@testable import Telemetry

@Suite struct TelemetrySettingsTests {
  private static let endpoint = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"]

  private func settings(_ variables: [String: String]) throws -> TelemetrySettings? {
    try TelemetrySettings(environment: variables, version: "1.2")
  }

  @Test(
    "Without an endpoint, or switched off, nothing is exported",
    arguments: [
      [:], ["OTEL_EXPORTER_OTLP_ENDPOINT": " "], ["OTEL_TRACES_EXPORTER": "otlp"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_SDK_DISABLED": "TRUE"],
      ["OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "nonsense"],
      [
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_TRACES_EXPORTER": "none",
        "OTEL_METRICS_EXPORTER": "none",
      ],
    ])
  func nothing(variables: [String: String]) throws {
    #expect(try settings(variables) == nil)
  }

  @Test("One endpoint is that of both signals, each with its path")
  func endpoint() throws {
    let settings = try #require(try settings(TelemetrySettingsTests.endpoint))
    #expect(settings.traces.map { "\($0.url)" } == "http://collector:4318/v1/traces")
    #expect(settings.metrics.map { "\($0.url)" } == "http://collector:4318/v1/metrics")
    #expect(settings.traces?.timeout == .seconds(10))
    #expect(settings.traces?.patience == .seconds(30))
    #expect(settings.sampler == .parentBasedAlwaysOn)
    #expect(settings.queueSize == 2048 && settings.batchSize == 512)
    #expect(settings.batchInterval == .seconds(5) && settings.metricInterval == .seconds(60))
    #expect(
      settings.resource.map { "\($0.name)=\($0.value)" }
        == ["service.name=catraca", "service.version=1.2"])
  }

  @Test("What is said of one signal holds for it alone, and before what is said of all")
  func signals() throws {
    let settings = try #require(
      try settings([
        "OTEL_EXPORTER_OTLP_ENDPOINT": "https://all/base/",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://traces:1/as/it/stands",
        "OTEL_EXPORTER_OTLP_HEADERS": "api-key=all, team = a%20b ,x=1=2",
        "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "Api-Key=traces",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "1000", "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT": "2000",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
        "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json",
        "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "http/json",
        "OTEL_EXPORTER_OTLP_CERTIFICATE": "/ca.pem", "OTEL_BSP_EXPORT_TIMEOUT": "3000",
      ]))
    let traces = try #require(settings.traces)
    let metrics = try #require(settings.metrics)
    #expect("\(traces.url)" == "http://traces:1/as/it/stands")
    #expect("\(metrics.url)" == "https://all/base/v1/metrics")
    #expect(traces.fields.values("api-key") == ["traces"])
    #expect(metrics.fields.values("api-key") == ["all"])
    #expect(metrics.fields.first("team") == "a b" && metrics.fields.first("x") == "1=2")
    #expect(traces.timeout == .seconds(1) && metrics.timeout == .seconds(2))
    #expect(traces.patience == .seconds(3) && metrics.patience == .seconds(30))
    #expect(traces.certificateFile == "/ca.pem")
  }

  @Test("A signal's endpoint alone exports that signal alone")
  func oneSignal() throws {
    let settings = try #require(
      try settings(["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://c:1/m"]))
    #expect(settings.traces == nil && settings.metrics != nil)
  }

  @Test("The service's name is what is said last, and other attributes stay")
  func resource() throws {
    var variables = TelemetrySettingsTests.endpoint
    variables["OTEL_RESOURCE_ATTRIBUTES"] =
      "service.name=a,deployment.environment.name=test,service.version=9,x=%C3%A9"
    variables["OTEL_SERVICE_NAME"] = "gateway"
    let settings = try #require(try settings(variables))
    #expect(
      settings.resource.map { "\($0.name)=\($0.value)" } == [
        "deployment.environment.name=test", "service.version=9", "x=é", "service.name=gateway",
      ])
  }

  @Test("A smaller queue has smaller batches")
  func smallQueue() throws {
    var variables = TelemetrySettingsTests.endpoint
    variables["OTEL_BSP_MAX_QUEUE_SIZE"] = "10"
    #expect(try settings(variables)?.batchSize == 10)
  }

  @Test(
    "What can't be understood is named, with what is allowed",
    arguments: [
      ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", nil, "http://HOST:PORT/PATH or https://…"),
      ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:secret@collector", nil, "without a user"),
      ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://c/?key=secret", nil, "a query"),
      ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "grpc", "http/json"),
      ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf", "http/protobuf", "http/json"),
      ("OTEL_EXPORTER_OTLP_HEADERS", "secret", nil, "NAME=VALUE"),
      ("OTEL_EXPORTER_OTLP_HEADERS", "a b=secret", nil, "header fields"),
      ("OTEL_EXPORTER_OTLP_HEADERS", "a=se%0Acret", nil, "header fields"),
      ("OTEL_EXPORTER_OTLP_HEADERS", "a=secret%2", nil, "percent-encoded"),
      ("OTEL_EXPORTER_OTLP_TIMEOUT", "10s", "10s", "a whole number from 1 to 3600000"),
      ("OTEL_TRACES_EXPORTER", "console", "console", "otlp, none"),
      ("OTEL_METRICS_EXPORTER", "prometheus", "prometheus", "otlp, none"),
      ("OTEL_RESOURCE_ATTRIBUTES", "a", nil, "NAME=VALUE"),
      ("OTEL_TRACES_SAMPLER", "sometimes", "sometimes", "always_on, always_off, traceidratio"),
      ("OTEL_BSP_MAX_QUEUE_SIZE", "0", "0", "from 1 to 65536"),
      ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "2049", "2049", "from 1 to 2048"),
      ("OTEL_BSP_SCHEDULE_DELAY", "-1", "-1", "from 1 to 3600000"),
      ("OTEL_METRIC_EXPORT_INTERVAL", "1.5", "1.5", "from 1 to 3600000"),
    ] as [(String, String, String?, String)])
  func mistakes(name: String, text: String, shown: String?, allowed: String) {
    let variables = TelemetrySettingsTests.endpoint.merging([name: text]) { $1 }
    let error = #expect(throws: TelemetryError.self) { try settings(variables) }
    #expect(error?.variable == name && error?.value == shown)
    #expect(error?.allowed.contains(allowed) == true)
    #expect(error?.description.contains("secret") == false)
  }

  @Test("A sampler's argument is a ratio", arguments: ["2", "-0.1", "nan", "half"])
  func argument(text: String) {
    var variables = TelemetrySettingsTests.endpoint
    variables["OTEL_TRACES_SAMPLER"] = "traceidratio"
    variables["OTEL_TRACES_SAMPLER_ARG"] = text
    let error = #expect(throws: TelemetryError.self) { try settings(variables) }
    #expect(error?.variable == "OTEL_TRACES_SAMPLER_ARG" && error?.value == text)
  }
}
