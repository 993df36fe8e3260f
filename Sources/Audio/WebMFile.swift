/// WebM and Matroska files: nested elements. `Info/Duration` has the duration. Browsers leave it
/// out when they record; then the time of the last block gives it.
enum WebMFile {
  static let signature: UInt64 = 0x1A45_DFA3

  private enum Element {
    static let segment: UInt64 = 0x1853_8067
    static let info: UInt64 = 0x1549_A966
    static let cluster: UInt64 = 0x1F43_B675
    static let blockGroup: UInt64 = 0xA0
    static let timestampScale: UInt64 = 0x2AD7B1
    static let duration: UInt64 = 0x4489
    static let timestamp: UInt64 = 0xE7
    static let simpleBlock: UInt64 = 0xA3
    static let block: UInt64 = 0xA1
  }

  /// The longest duration of one block of Opus, in nanoseconds: 120 ms.
  private static let longestBlock: UInt64 = 120_000_000
  private static let nanosecondsPerSecond: UInt64 = 1_000_000_000

  static func duration(_ bytes: Span<UInt8>) -> TickCount? {
    var scale: UInt64 = 1_000_000
    var stated: Double?
    var cluster: UInt64 = 0
    var last: UInt64?
    var position = 0
    while let id = number(bytes, &position, keepsMarker: true),
      let size = number(bytes, &position, keepsMarker: false)
    {
      switch id {
      case Element.segment, Element.info, Element.cluster, Element.blockGroup:
        // The element's own elements come next, whether or not its size is known.
        continue
      case Element.timestampScale: scale = integer(bytes, position, size) ?? scale
      case Element.duration: stated = real(bytes, position, size)
      case Element.timestamp: cluster = integer(bytes, position, size) ?? cluster
      case Element.simpleBlock, Element.block:
        if let time = blockTime(bytes, position) {
          last = max(last ?? 0, cluster &+ UInt64(bitPattern: time))
        }
      default: break
      }
      guard size <= UInt64(bytes.count - position) else { break }
      position += Int(size)
    }
    if let stated { return nanoseconds(stated * Double(scale)) }
    guard let last else { return nil }
    let (time, overflows) = last.multipliedReportingOverflow(by: scale)
    guard !overflows, time < UInt64.max / 2000 else { return nil }
    return TickCount(time + longestBlock, perSecond: nanosecondsPerSecond)
  }

  private static func nanoseconds(_ value: Double) -> TickCount? {
    guard value.isFinite, value > 0, value < Double(UInt64.max / 2000) else { return nil }
    return TickCount(UInt64(value.rounded(.up)), perSecond: nanosecondsPerSecond)
  }

  /// A number whose first byte gives its length: each leading zero bit stands for one more byte.
  static func number(
    _ bytes: Span<UInt8>, _ position: inout Int, keepsMarker: Bool
  ) -> UInt64? {
    guard let first = bytes.byte(at: position), first != 0 else { return nil }
    let length = first.leadingZeroBitCount + 1
    guard let value = bytes.bigEndian(at: position, count: length) else { return nil }
    position += length
    return keepsMarker ? value : value & ((1 << UInt64(7 * length)) - 1)
  }

  private static func integer(
    _ bytes: Span<UInt8>, _ position: Int, _ size: UInt64
  ) -> UInt64? {
    (1...8).contains(size) ? bytes.bigEndian(at: position, count: Int(size)) : nil
  }

  private static func real(
    _ bytes: Span<UInt8>, _ position: Int, _ size: UInt64
  ) -> Double? {
    switch size {
    case 4:
      bytes.bigEndian(at: position, count: 4).map {
        Double(Float(bitPattern: UInt32(truncatingIfNeeded: $0)))
      }
    case 8: bytes.bigEndian(at: position, count: 8).map(Double.init(bitPattern:))
    default: nil
    }
  }

  /// A block's time relative to its cluster's: 16 bits with a sign, behind the track's number.
  private static func blockTime(_ bytes: Span<UInt8>, _ position: Int) -> Int64? {
    var position = position
    guard number(bytes, &position, keepsMarker: false) != nil,
      let time = bytes.bigEndian(at: position, count: 2)
    else { return nil }
    return Int64(Int16(truncatingIfNeeded: time))
  }
}
