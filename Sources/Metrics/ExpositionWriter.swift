internal import Money

/// Writes metrics in Prometheus' text format, version 0.0.4.
///
/// It writes numbers from integers, so money keeps its nine decimals.
public struct ExpositionWriter: MetricWriter {
  public private(set) var bytes: [UInt8] = []

  public static let contentType: StaticString = "text/plain; version=0.0.4; charset=utf-8"

  public init() {}

  /// Begins a family. Its samples must follow before those of any other family.
  public mutating func begin(_ family: MetricFamily) {
    append("# HELP ", family.name, " ", family.help, "\n# TYPE ", family.name, " ")
    bytes.append(contentsOf: family.kind.rawValue.utf8)
    append("\n")
  }

  /// Writes a sample that is a whole number.
  public mutating func sample(_ family: MetricFamily, _ labels: MetricLabel..., value: Int64) {
    name(family, suffix: "", labels)
    end(with: value)
  }

  /// Writes a sample in units of 10⁻⁹, exact: `0.000123000`.
  public mutating func sample(_ family: MetricFamily, _ labels: MetricLabel..., nanoUnits: Int64) {
    name(family, suffix: "", labels)
    bytes.append(UInt8(ascii: " "))
    Money(nanoUnits: nanoUnits, currency: .usd).appendDecimal(to: &bytes)
    append("\n")
  }

  /// Writes all lines of a histogram, in seconds.
  public mutating func histogram(_ family: MetricFamily, _ histogram: Histogram) {
    let counts = histogram.cumulativeCounts
    for (bound, count) in zip(histogram.bounds, counts) {
      name(family, suffix: "_bucket", [("le", MetricNumber.seconds(microseconds: bound))])
      end(with: count)
    }
    name(family, suffix: "_bucket", [("le", "+Inf")])
    end(with: histogram.count)
    name(family, suffix: "_sum", [])
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: MetricNumber.seconds(microseconds: histogram.sum).utf8)
    append("\n")
    name(family, suffix: "_count", [])
    end(with: histogram.count)
  }

  private mutating func name(_ family: MetricFamily, suffix: StaticString, _ labels: [MetricLabel])
  {
    append(family.name, suffix)
    guard !labels.isEmpty else { return }
    var separator: StaticString = "{"
    for label in labels {
      append(separator, label.name, "=\"")
      appendEscaped(label.value)
      append("\"")
      separator = ","
    }
    append("}")
  }

  private mutating func end(with value: Int64) {
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: String(value).utf8)
    append("\n")
  }

  private mutating func appendEscaped(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\n"): append("\\n")
      default: bytes.append(byte)
      }
    }
  }

  private mutating func append(_ texts: StaticString...) {
    for text in texts {
      text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
  }
}
