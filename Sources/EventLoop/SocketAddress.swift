internal import CLinux

/// An IPv4 or IPv6 address with a port.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address alone, without brackets: `127.0.0.1` or `::1`.
  public let host: String
  /// The port; 0 asks the kernel for a free one.
  public let port: UInt16
  let isIPv6: Bool

  /// Returns nil unless `host` is a numeric IPv4 or IPv6 address.
  public init?(host: String, port: UInt16) {
    var four = in_addr()
    var six = in6_addr()
    if unsafe inet_pton(AF_INET, host, &four) == 1 {
      isIPv6 = false
    } else if unsafe inet_pton(AF_INET6, host, &six) == 1 {
      isIPv6 = true
    } else {
      return nil
    }
    self.host = host
    self.port = port
  }

  /// Creates an address from its 4 or 16 bytes in network order; nil for another number of bytes.
  public init?(networkOrder bytes: [UInt8], port: UInt16) {
    let text: String?
    switch bytes.count {
    case 4: text = unsafe bytes.withUnsafeBytes { unsafe Self.text(AF_INET, $0.baseAddress) }
    case 16: text = unsafe bytes.withUnsafeBytes { unsafe Self.text(AF_INET6, $0.baseAddress) }
    default: return nil
    }
    guard let text else { return nil }
    self.init(host: text, port: port, isIPv6: bytes.count == 16)
  }

  /// Parses `127.0.0.1:8080` or `[::1]:8080`.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"),
      text[text.index(after: colon)...].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    let host = text[..<colon]
    if host.hasPrefix("[") {
      guard host.hasSuffix("]") else { return nil }
      self.init(host: String(host.dropFirst().dropLast()), port: port)
    } else {
      guard !host.contains(":") else { return nil }
      self.init(host: String(host), port: port)
    }
  }

  public var description: String {
    isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  /// Whether the address stands for all addresses of this machine, as 0.0.0.0 and :: do.
  public var isUnspecified: Bool { host.utf8.allSatisfy { "0.:".utf8.contains($0) } }

  /// Whether only this machine can reach the address.
  public var isLoopback: Bool {
    guard isIPv6 else { return host.hasPrefix("127.") }
    var address = in6_addr()
    guard unsafe inet_pton(AF_INET6, host, &address) == 1 else { return false }
    // The kernel's spelling of the address, whatever the original spelling was.
    return unsafe SocketAddress.text(AF_INET6, &address) == "::1"
  }

  /// The part of the address space that usually belongs to one party: an IPv4 address, even if
  /// written as IPv6, or the first 64 bits of an IPv6 address.
  public struct Network: Hashable, Sendable {
    fileprivate let isIPv6: Bool
    fileprivate let bits: UInt64
  }

  public var network: Network {
    let bits = bits
    let isMapped = bits.high == 0 && bits.low >> 32 == SocketAddress.mappedPrefix
    return isMapped
      ? Network(isIPv6: false, bits: bits.low & 0xFFFF_FFFF)
      : Network(isIPv6: true, bits: bits.high)
  }

  /// The bits before the 32 bits of an IPv4 address that is written as IPv6.
  private static let mappedPrefix: UInt64 = 0xFFFF

  var bits: Bits {
    guard isIPv6 else {
      var four = in_addr()
      unsafe inet_pton(AF_INET, host, &four)
      return Bits(
        high: 0,
        low: SocketAddress.mappedPrefix << 32 | UInt64(UInt32(bigEndian: four.s_addr)))
    }
    var six = in6_addr()
    unsafe inet_pton(AF_INET6, host, &six)
    return unsafe withUnsafeBytes(of: six) { bytes in
      Bits(
        high: UInt64(bigEndian: unsafe bytes.load(as: UInt64.self)),
        low: UInt64(bigEndian: unsafe bytes.load(fromByteOffset: 8, as: UInt64.self)))
    }
  }

  /// Returns the address with another port.
  public func with(port: UInt16) -> SocketAddress {
    SocketAddress(host: host, port: port, isIPv6: isIPv6)
  }

  private init(host: String, port: UInt16, isIPv6: Bool) {
    self.host = host
    self.port = port
    self.isIPv6 = isIPv6
  }

  /// Calls `body` with the address in the kernel's format.
  func withKernelAddress<Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      unsafe inet_pton(AF_INET6, host, &address.sin6_addr)
      return unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    unsafe inet_pton(AF_INET, host, &address.sin_addr)
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// Creates an address from the kernel's format; nil for other families.
  init?(kernel storage: sockaddr_storage) {
    var storage = storage
    switch CInt(storage.ss_family) {
    case AF_INET:
      let address = unsafe withUnsafePointer(to: &storage) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { unsafe $0.pointee }
      }
      var source = address.sin_addr
      guard let host = unsafe SocketAddress.text(AF_INET, &source) else { return nil }
      self.init(host: host, port: UInt16(bigEndian: address.sin_port), isIPv6: false)
    case AF_INET6:
      let address = unsafe withUnsafePointer(to: &storage) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { unsafe $0.pointee }
      }
      var source = address.sin6_addr
      guard let host = unsafe SocketAddress.text(AF_INET6, &source) else { return nil }
      self.init(host: host, port: UInt16(bigEndian: address.sin6_port), isIPv6: true)
    default:
      return nil
    }
  }

  private static func text(_ family: CInt, _ source: UnsafeRawPointer?) -> String? {
    guard let source = unsafe source else { return nil }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) {
      buffer in
      guard
        let text = unsafe inet_ntop(
          family, source, buffer.baseAddress, socklen_t(INET6_ADDRSTRLEN))
      else { return nil }
      return unsafe String(cString: text)
    }
  }
}
