import HTTP
import Metrics
import Money
import Pricing
import Testing
import Time

@testable import Telemetry

@Suite struct OTLPTests {
  private static let envelope = OTLPEnvelope(
    resource: [TelemetrySettings.Attribute(name: "service.name", value: "a \"b\"")])
  private static let start = Timestamp(milliseconds: 1_795_000_000_123)
  private static let head = #"""
    {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name",\#
    "value":{"stringValue":"a \"b\""}}]},"scopeSpans":[{"scope":{"name":"catraca"},"spans":[
    """#

  private static func position(parent: UInt64?) -> TracePosition {
    TracePosition(
      context: TraceContext(traceHigh: 0xA, traceLow: 0xB, spanID: 0xC, isSampled: true),
      parentID: parent, traceState: parent.map { _ in SpanText("v=1") })
  }

  private static func json(_ span: RequestSpan) -> String {
    String(decoding: OTLPTraces.body([span], in: envelope), as: UTF8.self)
  }

  @Test("A span that knows little says little")
  func small() {
    let span = RequestSpan(
      at: OTLPTests.position(parent: nil), start: OTLPTests.start, method: .post,
      path: SpanText("/v1/x"), requestID: "r1")
    let expected = #"""
      {"traceId":"000000000000000a000000000000000b","spanId":"000000000000000c",\#
      "flags":257,"name":"POST","kind":2,"startTimeUnixNano":"1795000000123000000",\#
      "endTimeUnixNano":"1795000000123000000","attributes":[\#
      {"key":"http.request.method","value":{"stringValue":"POST"}},\#
      {"key":"url.path","value":{"stringValue":"/v1/x"}},\#
      {"key":"catraca.request_id","value":{"stringValue":"r1"}}]}]}]}]}
      """#
    #expect(OTLPTests.json(span) == OTLPTests.head + expected)
  }

  @Test("A span that knows all says it by the conventions' names")
  func whole() {
    var span = RequestSpan(
      at: OTLPTests.position(parent: 0xF), start: OTLPTests.start, method: .post,
      path: SpanText("/v1/chat/completions"), requestID: "r1")
    span.duration = .microseconds(1_500)
    span.operation = .chat
    span.model = SpanText("gpt-4o-mini")
    span.isStream = true
    span.choices = 2
    span.status = 429
    span.failure = "budget_exceeded"
    span.usage = Usage(inputTokens: 10, cachedInputTokens: 4, outputTokens: 7, reasoningTokens: 2)
    span.cost = Money(nanoUnits: 1_500, currency: .usd)
    span.timeToFirstToken = .milliseconds(250)
    let json = OTLPTests.json(span)
    for part in [
      #""parentSpanId":"000000000000000f","traceState":"v=1","flags":769"#,
      #""name":"chat gpt-4o-mini""#,
      #""endTimeUnixNano":"1795000000124500000""#,
      #"{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}"#,
      #"{"key":"gen_ai.request.model","value":{"stringValue":"gpt-4o-mini"}}"#,
      #"{"key":"gen_ai.request.stream","value":{"boolValue":true}}"#,
      #"{"key":"gen_ai.request.choice.count","value":{"intValue":"2"}}"#,
      #"{"key":"http.response.status_code","value":{"intValue":"429"}}"#,
      #"{"key":"error.type","value":{"stringValue":"budget_exceeded"}}"#,
      #"{"key":"gen_ai.usage.input_tokens","value":{"intValue":"10"}}"#,
      #"{"key":"gen_ai.usage.output_tokens","value":{"intValue":"7"}}"#,
      #"{"key":"gen_ai.usage.cache_read.input_tokens","value":{"intValue":"4"}}"#,
      #"{"key":"gen_ai.usage.reasoning.output_tokens","value":{"intValue":"2"}}"#,
      #"{"key":"gen_ai.response.time_to_first_chunk","value":{"doubleValue":0.25}}"#,
      #"{"key":"catraca.cost_usd","value":{"stringValue":"0.000001500"}}"#,
      #"{"key":"catraca.cost_nano_usd","value":{"intValue":"1500"}}"#,
      #""status":{"code":2}"#,
    ] { #expect(json.contains(part)) }
  }

  @Test(
    "Spans are called by what is asked, as far as that is known",
    arguments: [
      (Operation.chat, "chat m"), (.responses, "chat m"), (.completion, "text_completion m"),
      (.embedding, "embeddings m"), (.speech, "speech m"), (nil, "POST /v1/route"),
    ])
  func names(operation: Operation?, name: String) {
    var span = RequestSpan(
      at: OTLPTests.position(parent: nil), start: OTLPTests.start, method: .post,
      path: SpanText("/v1/route"), requestID: "r1")
    span.route = "/v1/route"
    span.operation = operation
    span.model = operation.map { _ in SpanText("m") }
    #expect(span.name == name)
  }

  @Test("A method that nobody knows doesn't make a name of its own")
  func otherMethod() {
    let span = RequestSpan(
      at: OTLPTests.position(parent: nil), start: OTLPTests.start, method: .other("BREW"),
      path: SpanText("/"), requestID: "r1")
    #expect(span.name == "HTTP")
    #expect(OTLPTests.json(span).contains(#""value":{"stringValue":"_OTHER"}"#))
  }

  @Test("Metrics are sums, gauges and histograms, exact to their last decimal")
  func metrics() {
    var writer = OTLPMetrics(
      since: Timestamp(milliseconds: 1_000), at: Timestamp(milliseconds: 2_000))
    let cost = MetricFamily("cost_total", .counter, "Cost.", outlivesProcess: true)
    let waiting = MetricFamily("waiting", .gauge, "Who waits.")
    let latency = MetricFamily("latency_seconds", .histogram, "How long.")
    writer.begin(cost)
    writer.sample(cost, ("client", "acme"), nanoUnits: 9_007_199_254_740_993)
    // Without a beginning, as on a second page.
    writer.sample(waiting, value: 3)
    writer.begin(MetricFamily("empty", .gauge, "Nobody."))
    var histogram = Histogram(bounds: [500, 1_000_000])
    for value: Int64 in [1, 500, 501, 2_000_000] { histogram.observe(value) }
    writer.histogram(latency, histogram)
    let json = String(decoding: writer.body(in: OTLPTests.envelope), as: UTF8.self)
    let expected = #"""
      "metrics":[{"name":"cost_total","description":"Cost.","sum":{\#
      "aggregationTemporality":2,"isMonotonic":true,"dataPoints":[{"attributes":[\#
      {"key":"client","value":{"stringValue":"acme"}}],"timeUnixNano":"2000000000",\#
      "asDouble":9007199.254740993}]}},\#
      {"name":"waiting","description":"Who waits.","gauge":{"dataPoints":[\#
      {"attributes":[],"startTimeUnixNano":"1000000000","timeUnixNano":"2000000000",\#
      "asInt":"3"}]}},\#
      {"name":"latency_seconds","description":"How long.","unit":"s","histogram":{\#
      "aggregationTemporality":2,"dataPoints":[{"attributes":[],\#
      "startTimeUnixNano":"1000000000","timeUnixNano":"2000000000","count":"4",\#
      "sum":2.001002,"bucketCounts":["2","1","1"],"explicitBounds":[0.0005,1.0]}]}}]}]}]}
      """#
    #expect(json.hasSuffix(expected))
  }
}
