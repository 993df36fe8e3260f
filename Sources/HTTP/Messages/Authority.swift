/// The rules for `host[:port]`, in a `Host` field or an absolute target.
enum Authority {
  /// Whether the bytes are a name, an IPv4 address or an IPv6 address in brackets, with an optional
  /// port up to 65535. User names, escapes and an empty host are refused.
  static func isValid(_ bytes: Span<UInt8>) -> Bool {
    guard let hostEnd = hostEnd(of: bytes) else { return false }
    guard hostEnd < bytes.count else { return true }
    return bytes[hostEnd] == ASCII.colon && isPort(bytes.extracting(hostEnd + 1..<bytes.count))
  }

  private static func hostEnd(of bytes: Span<UInt8>) -> Int? {
    guard !bytes.isEmpty else { return nil }
    if bytes[0] == UInt8(ascii: "[") {
      guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]"), in: bytes.indices), bracket > 1,
        ByteSet.addressLiteral.containsAll(bytes.extracting(1..<bracket))
      else { return nil }
      return bracket + 1
    }
    let end = bytes.firstIndex(of: ASCII.colon, in: bytes.indices) ?? bytes.count
    guard end > 0, ByteSet.hostName.containsAll(bytes.extracting(0..<end)) else { return nil }
    return end
  }

  private static func isPort(_ bytes: Span<UInt8>) -> Bool {
    guard 1...5 ~= bytes.count else { return false }
    var port = 0
    for index in bytes.indices {
      guard let digit = bytes[index].decimalDigit else { return false }
      port = port * 10 + digit
    }
    return port <= 65535
  }
}
