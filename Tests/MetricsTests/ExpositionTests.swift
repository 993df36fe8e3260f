import Metrics
import Testing

@Suite struct ExpositionTests {
  static let costs = MetricFamily("costs_total", .counter, "What it cost")
  static let waits = MetricFamily("wait_seconds", .histogram, "How long it took")

  private static func text(_ write: (inout ExpositionWriter) -> Void) -> String {
    var writer = ExpositionWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("A family's lines precede its samples")
  func families() {
    let text = ExpositionTests.text { writer in
      writer.begin(ExpositionTests.costs)
      writer.sample(ExpositionTests.costs, ("client", "acme"), ("model", "m"), value: 3)
    }
    #expect(
      text == """
        # HELP costs_total What it cost
        # TYPE costs_total counter
        costs_total{client="acme",model="m"} 3

        """)
  }

  @Test("Money keeps its nine decimals, however large it is")
  func money() {
    let text = ExpositionTests.text { writer in
      writer.sample(ExpositionTests.costs, nanoUnits: 123_000)
      writer.sample(ExpositionTests.costs, nanoUnits: 9_007_199_254_740_993)
    }
    #expect(text == "costs_total 0.000123000\ncosts_total 9007199.254740993\n")
  }

  @Test(
    "Label values are escaped",
    arguments: [
      (#"a"b"#, #"a\"b"#), (#"a\b"#, #"a\\b"#), ("a\nb", #"a\nb"#), ("São", "São"), ("", ""),
    ])
  func escapes(value: String, written: String) {
    let text = ExpositionTests.text { writer in
      writer.sample(ExpositionTests.costs, ("model", value), value: 1)
    }
    #expect(text == "costs_total{model=\"\(written)\"} 1\n")
  }

  @Test("A histogram's bounds and sum are seconds, and its last bucket has all")
  func histograms() {
    var histogram = Histogram(bounds: [500, 1_000_000])
    for value in [400, 900_000, 2_000_000] as [Int64] { histogram.observe(value) }
    let text = ExpositionTests.text { $0.histogram(ExpositionTests.waits, histogram) }
    #expect(
      text == """
        wait_seconds_bucket{le="0.0005"} 1
        wait_seconds_bucket{le="1.0"} 2
        wait_seconds_bucket{le="+Inf"} 3
        wait_seconds_sum 2.9004
        wait_seconds_count 3

        """)
  }
}
