internal import Money

extension ValueFormat<Duration> {
  /// A whole number with its unit: `500ms`, `10s`, `5m`, `1h`.
  static func duration(_ range: ClosedRange<Duration>) -> ValueFormat {
    let bounds = "\(durationText(range.lowerBound)) to \(durationText(range.upperBound))"
    return .scalar(
      "a duration with its unit (ms, s, m, h), from \(bounds)", text: durationText
    ) { text in
      parseDuration(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

private let durationUnits: [(suffix: String, milliseconds: Int64)] = [
  ("ms", 1), ("h", 3_600_000), ("m", 60000), ("s", 1000),
]

private func parseDuration(_ text: String) -> Duration? {
  guard let unit = durationUnits.first(where: { text.hasSuffix($0.suffix) }),
    let count = wholeNumber(text.dropLast(unit.suffix.count))
  else { return nil }
  let (milliseconds, overflow) = count.multipliedReportingOverflow(by: unit.milliseconds)
  return overflow ? nil : .milliseconds(milliseconds)
}

/// Returns a duration of whole milliseconds in the largest unit that divides it.
func durationText(_ duration: Duration) -> String {
  let (seconds, attoseconds) = duration.components
  let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
  for (suffix, size) in [("h", 3_600_000), ("m", 60000), ("s", 1000)] as [(String, Int64)]
  where milliseconds != 0 && milliseconds % size == 0 {
    return "\(milliseconds / size)\(suffix)"
  }
  return "\(milliseconds)ms"
}

/// A number of bytes, written with a binary unit.
public struct ByteCount: Hashable, Comparable, Sendable {
  public let bytes: Int

  public init(bytes: Int) {
    self.bytes = bytes
  }

  public static func kibibytes(_ count: Int) -> ByteCount { ByteCount(bytes: count << 10) }
  public static func mebibytes(_ count: Int) -> ByteCount { ByteCount(bytes: count << 20) }
  public static func gibibytes(_ count: Int) -> ByteCount { ByteCount(bytes: count << 30) }

  public static func < (left: ByteCount, right: ByteCount) -> Bool {
    left.bytes < right.bytes
  }
}

extension ValueFormat<ByteCount> {
  /// A whole number with its unit: `512B`, `64KiB`, `64MiB`, `1GiB`.
  static func size(_ range: ClosedRange<ByteCount>) -> ValueFormat {
    let bounds = "\(sizeText(range.lowerBound)) to \(sizeText(range.upperBound))"
    return .scalar("a size with its unit (B, KiB, MiB, GiB), from \(bounds)", text: sizeText) {
      parseSize($0).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

private let sizeUnits: [(suffix: String, bytes: Int64)] = [
  ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
]

private func parseSize(_ text: String) -> ByteCount? {
  guard let unit = sizeUnits.first(where: { text.hasSuffix($0.suffix) }),
    let count = wholeNumber(text.dropLast(unit.suffix.count))
  else { return nil }
  let (bytes, overflow) = count.multipliedReportingOverflow(by: unit.bytes)
  return overflow ? nil : ByteCount(bytes: Int(bytes))
}

func sizeText(_ size: ByteCount) -> String {
  for (suffix, bytes) in sizeUnits where size.bytes >= bytes && size.bytes % Int(bytes) == 0 {
    return "\(size.bytes / Int(bytes))\(suffix)"
  }
  return "\(size.bytes)B"
}

extension ValueFormat<PriceFactor> {
  /// A factor on prices: `1.1`.
  static var priceFactor: ValueFormat {
    .scalar(PriceFactor.rule) { PriceFactor($0) }
  }
}

extension ValueFormat<Markup> {
  /// A percentage with its sign: `20%`, `-5%`.
  static var markup: ValueFormat {
    .scalar(.markup)
  }
}
