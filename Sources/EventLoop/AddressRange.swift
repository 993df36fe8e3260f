/// Addresses with the same first bits: `10.0.0.0/8`, `2001:db8::/32`, or a single address.
public struct AddressRange: Hashable, Sendable, CustomStringConvertible {
  /// The rule of `init`, for messages.
  public static let rule = "an IP address, or a range of them such as 10.0.0.0/8 or 2001:db8::/32"

  public let description: String
  private let first: SocketAddress.Bits
  /// The number of bits that an address must share with `first`, 1 to 128.
  private let sharedBits: Int

  /// Parses an address, or `ADDRESS/BITS` with the range's first address.
  ///
  /// Returns nil for anything else, including a range of all addresses: to trust all addresses
  /// would mean to trust any client's statement.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let host = parts.first, let address = SocketAddress(host: String(host), port: 0) else {
      return nil
    }
    let mostBits = address.isIPv6 ? 128 : 32
    var bits = mostBits
    if parts.count > 1 {
      guard (1...3).contains(parts[1].utf8.count),
        parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let written = Int(parts[1]),
        (1...mostBits).contains(written)
      else { return nil }
      bits = written
    }
    description = text
    first = address.bits
    sharedBits = 128 - mostBits + bits
    guard first.shared(sharedBits) == first else { return nil }
  }

  /// Whether `address` is in the range. An IPv4 address written as IPv6 counts as the same address.
  public func contains(_ address: SocketAddress) -> Bool {
    address.bits.shared(sharedBits) == first
  }
}

extension SocketAddress {
  /// The 128 bits of an address; IPv4 as `::ffff:a.b.c.d`.
  struct Bits: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    /// Returns the bits with all but the first `count` set to zero.
    func shared(_ count: Int) -> Bits {
      // A shift by 64 and more gives 0.
      Bits(
        high: high & (UInt64.max << max(0, 64 - count)),
        low: low & (UInt64.max << min(64, 128 - count)))
    }
  }
}
