/// The identity of one request: a UUID of version 7, ordered by the time it was made.
public struct RequestID: Hashable, Sendable {
  /// The first and the last eight of the sixteen bytes, big-endian.
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Nil unless `text` is what `description` writes: 32 lower-case hex digits and four dashes.
  public init?(_ text: String) {
    guard text.utf8.count == RequestID.textLength else { return nil }
    var halves: (high: UInt64, low: UInt64) = (0, 0)
    var digits = 0
    for (position, byte) in text.utf8.enumerated() {
      if RequestID.isDash(at: position) {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = RequestID.value(ofHexDigit: byte) else { return nil }
      if digits < 16 {
        halves.high = halves.high << 4 | digit
      } else {
        halves.low = halves.low << 4 | digit
      }
      digits += 1
    }
    self.init(high: halves.high, low: halves.low)
  }

  /// An id that a digest determines, a UUID of version 8: always the same for the same digest.
  ///
  /// - Parameter digest: at least 32 hex digits; nil for anything else.
  public init?(digest: String) {
    let digits = digest.prefix(32)
    guard digits.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
      let low = UInt64(digits.suffix(16), radix: 16)
    else { return nil }
    self.init(
      high: high & ~0xF000 | 0x8000,
      low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }

  private static let textLength = 36

  private static func isDash(at position: Int) -> Bool {
    position == 8 || position == 13 || position == 18 || position == 23
  }

  private static func value(ofHexDigit byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    default: nil
    }
  }
}

extension RequestID {
  /// The id of a numbered part of this request: always the same, and no other's.
  ///
  /// It has this id's time and sequence, so that parts stand beside their whole.
  public func part(_ number: Int64) -> RequestID {
    let random: UInt64 = 0x3FFF_FFFF_FFFF_FFFF
    return RequestID(
      high: high, low: low & ~random | (low &+ UInt64(bitPattern: number)) & random)
  }
}

extension RequestID: Comparable {
  public static func < (left: RequestID, right: RequestID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension RequestID: CustomStringConvertible {
  /// Such as `019aab6e-3c1b-7000-8000-5f2d8a90b1c3`.
  public var description: String {
    unsafe String(unsafeUninitializedCapacity: RequestID.textLength) { text in
      var digits = 0
      for position in 0..<RequestID.textLength {
        if RequestID.isDash(at: position) {
          unsafe text[position] = UInt8(ascii: "-")
          continue
        }
        let half = digits < 16 ? high : low
        unsafe text[position] = RequestID.hexDigit(half >> UInt64(60 - 4 * (digits % 16)) & 0xF)
        digits += 1
      }
      return RequestID.textLength
    }
  }

  private static func hexDigit(_ value: UInt64) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + UInt8(value) : UInt8(ascii: "a") + UInt8(value - 10)
  }
}
