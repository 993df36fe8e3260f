internal import JSON
public import Metrics
internal import Time

/// Writes metrics in OTLP's JSON: cumulative values, and money with nine decimals.
public struct OTLPMetrics: MetricWriter {
  private struct Metric {
    let family: MetricFamily
    /// The points, each a JSON object.
    var points: [[UInt8]] = []
  }

  private var metrics: [Metric] = []
  private let start: Timestamp
  private let now: Timestamp

  /// `AGGREGATION_TEMPORALITY_CUMULATIVE`.
  private static let cumulative: Int64 = 2

  /// - Parameter start: The start of metrics that count from the start of the process.
  init(since start: Timestamp, at now: Timestamp) {
    self.start = start
    self.now = now
  }

  var isEmpty: Bool { metrics.isEmpty }

  // MARK: Metrics

  public mutating func begin(_ family: MetricFamily) {
    metrics.append(Metric(family: family))
  }

  public mutating func sample(_ family: MetricFamily, _ labels: MetricLabel..., value: Int64) {
    add(family, labels) { $0.member("asInt", "\(value)") }
  }

  public mutating func sample(_ family: MetricFamily, _ labels: MetricLabel..., nanoUnits: Int64) {
    add(family, labels) { point in
      point.key("asDouble")
      point.raw(MetricNumber.decimal(nanoUnits: nanoUnits).utf8)
    }
  }

  public mutating func histogram(_ family: MetricFamily, _ histogram: Histogram) {
    add(family, []) { point in
      point.member("count", "\(histogram.count)")
      point.key("sum")
      point.raw(MetricNumber.seconds(microseconds: histogram.sum).utf8)
      point.member("bucketCounts") { list in
        list.array { list in for count in histogram.counts { list.string("\(count)") } }
      }
      point.member("explicitBounds") { list in
        list.array { list in
          for bound in histogram.bounds {
            list.raw(MetricNumber.seconds(microseconds: bound).utf8)
          }
        }
      }
    }
  }

  private mutating func add(
    _ family: MetricFamily, _ labels: [MetricLabel], _ value: (inout JSONWriter) -> Void
  ) {
    // A family that doesn't fit on a page continues on the next.
    if metrics.last?.family != family { begin(family) }
    var writer = JSONWriter()
    writer.object { point in
      point.member("attributes") { list in
        list.array { list in for label in labels { list.attribute(label.name, label.value) } }
      }
      if !family.outlivesProcess {
        point.member("startTimeUnixNano", start.unixNanoseconds())
      }
      point.member("timeUnixNano", now.unixNanoseconds())
      value(&point)
    }
    metrics[metrics.count - 1].points.append(writer.bytes)
  }

  // MARK: The whole

  func body(in envelope: OTLPEnvelope) -> [UInt8] {
    envelope.body("Metrics") { scope in
      scope.member("metrics") { list in
        list.array { list in
          for metric in metrics where !metric.points.isEmpty { write(metric, to: &list) }
        }
      }
    }
  }

  private func write(_ metric: Metric, to list: inout JSONWriter) {
    let family = metric.family
    list.object { object in
      object.member("name", "\(family.name)")
      object.member("description", "\(family.help)")
      if family.kind == .histogram { object.member("unit", "s") }
      object.member(OTLPMetrics.member(for: family.kind)) { data in
        data.object { data in
          if family.kind != .gauge {
            data.member("aggregationTemporality", OTLPMetrics.cumulative)
          }
          if family.kind == .counter { data.member("isMonotonic", true) }
          data.member("dataPoints") { list in
            list.array { list in for point in metric.points { list.raw(point) } }
          }
        }
      }
    }
  }

  private static func member(for kind: MetricFamily.Kind) -> String {
    switch kind {
    case .counter: "sum"
    case .gauge: "gauge"
    case .histogram: "histogram"
    }
  }
}
