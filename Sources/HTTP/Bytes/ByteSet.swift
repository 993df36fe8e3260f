/// A set of ASCII bytes, tested in registers without a table in memory.
struct ByteSet: Sendable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  init(_ members: String) {
    for byte in members.utf8 {
      precondition(byte < 128, "only ASCII has a place in the set")
      if byte < 64 {
        low |= 1 << UInt64(byte)
      } else {
        high |= 1 << UInt64(byte - 64)
      }
    }
  }

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    let half = byte & 64 == 0 ? low : high
    return byte < 128 && (half &>> UInt64(byte)) & 1 == 1
  }

  /// Returns the number of bytes at the start of `bytes` that are in the set.
  func prefixCount(of bytes: Span<UInt8>) -> Int {
    for index in bytes.indices where !contains(bytes[index]) {
      return index
    }
    return bytes.count
  }

  func containsAll(_ bytes: Span<UInt8>) -> Bool {
    prefixCount(of: bytes) == bytes.count
  }
}

extension ByteSet {
  private static let digits = "0123456789"
  private static let alphanumerics =
    digits + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

  /// RFC 9110 5.6.2 `tchar`: the bytes of methods and field names.
  static let token = ByteSet(alphanumerics + "!#$%&'*+-.^_`|~")

  static let plainName = ByteSet(alphanumerics + "-")

  /// The bytes of paths and queries in RFC 3986, plus those that clients send unescaped. `#`, which
  /// begins a fragment, isn't included, and neither are `\ " < >`, which URL parsers read
  /// differently.
  static let target = ByteSet(alphanumerics + "-._~%!$&'()*+,;=:@/?" + "[]{}|^`")

  /// The bytes of a path that every server reads in the same way.
  static let plainPath = ByteSet(alphanumerics + "-._~:@/")

  /// The bytes of host names and IPv4 addresses: `reg-name` of RFC 3986 without its escapes and
  /// delimiters, which no real name has.
  static let hostName = ByteSet(alphanumerics + "-._~")

  /// The bytes between the brackets of an IPv6 address.
  static let addressLiteral = ByteSet(digits + "abcdefABCDEF:.")
}
