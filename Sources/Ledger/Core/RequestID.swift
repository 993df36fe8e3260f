/// The identity of one request: a UUID of version 7, ordered by the time it was made.
public struct RequestID: Hashable, Sendable {
  /// The first and the last eight of the sixteen bytes, big-endian.
  let high: UInt64
  let low: UInt64

  package init(high: UInt64, low: UInt64) {
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
  /// The id as text, such as `019aab6e-3c1b-7000-8000-5f2d8a90b1c3`.
  public var description: String {
    unsafe String(unsafeUninitializedCapacity: RequestID.textLength) { text in
      unsafe text.update(repeating: UInt8(ascii: "-"))
      let bytes = UnsafeMutableRawBufferPointer(text)
      let (one, two) = (RequestID.hexDigits(high >> 32), RequestID.hexDigits(high))
      let (three, four) = (RequestID.hexDigits(low >> 32), RequestID.hexDigits(low))
      unsafe bytes.storeBytes(of: one.bigEndian, as: UInt64.self)
      unsafe bytes.storeBytes(of: UInt32(two >> 32).bigEndian, toByteOffset: 9, as: UInt32.self)
      unsafe bytes.storeBytes(
        of: UInt32(truncatingIfNeeded: two).bigEndian, toByteOffset: 14, as: UInt32.self)
      unsafe bytes.storeBytes(of: UInt32(three >> 32).bigEndian, toByteOffset: 19, as: UInt32.self)
      unsafe bytes.storeBytes(
        of: UInt32(truncatingIfNeeded: three).bigEndian, toByteOffset: 24, as: UInt32.self)
      unsafe bytes.storeBytes(of: four.bigEndian, toByteOffset: 28, as: UInt64.self)
      return RequestID.textLength
    }
  }

  /// The eight hexadecimal digits of the lower 32 bits, the first in the highest byte: all at once,
  /// since a request writes its id several times.
  private static func hexDigits(_ value: UInt64) -> UInt64 {
    var nibbles = value & 0xFFFF_FFFF
    nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
    nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
    nibbles = (nibbles | nibbles << 4) & 0x0F0F_0F0F_0F0F_0F0F
    // One in each byte whose digit is a letter.
    let letters = (nibbles + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return nibbles + 0x3030_3030_3030_3030 + letters * UInt64(UInt8(ascii: "a") - 0x3A)
  }
}

/// How a request that reached its provider ended; `usage_logs.outcome`.
public enum Outcome: String, Sendable, Hashable, CaseIterable {
  case ok
  case providerError = "provider_error"
  case clientDisconnected = "client_disconnected"
  case upstreamBroken = "upstream_broken"
  /// Catraca was killed while the request was in flight.
  case interrupted
}

/// Where a row's usage came from; `usage_logs.usage_source`.
public enum UsageSource: String, Sendable, Hashable, CaseIterable {
  /// The provider said it.
  case reported
  /// The provider said it to Catraca alone: the app had gone, and the answer was read to its end.
  case drained
  case estimated
  /// It did not pass the proxy; somebody reported it.
  case external
}
