internal import EventLoop

/// Reads the header with which a load balancer begins a connection (PROXY protocol, version 2).
///
/// The header states the address from which the client reached the load balancer, before the
/// client's own bytes. It may arrive in any pieces. No byte after it may be read here, because the
/// next bytes belong to TLS or HTTP. `missing` is the number of bytes that may be read next.
///
/// Parsing is strict: anything except a whole header of version 2 over TCP ends the connection.
struct ProxyHeader {
  enum Source: Equatable {
    /// The client's address, as the load balancer saw it.
    case client(SocketAddress)
    /// The load balancer speaks for itself, for example in a health check.
    case balancer
  }

  enum Mistake: Error, Equatable {
    /// The connection doesn't begin with the signature.
    case signature
    /// The version isn't 2, or version 2 doesn't have the command.
    case versionOrCommand
    /// The family is neither TCP over IPv4 or IPv6, nor unspecified.
    case family
    /// The length is too small for the addresses, or larger than `longestContent`.
    case length
    /// The fields after the addresses don't fill the length.
    case fields
  }

  /// The most bytes after the first 16. Load balancers send about 100; certificate names need more.
  static let longestContent = 2048

  private static let signature: [UInt8] = [
    0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
  ]
  /// The signature, version and command, family, and length.
  private static let prefixCount = 16

  private var bytes: [UInt8] = []
  /// The length of the rest; nil until the first 16 bytes have arrived.
  private var contentCount: Int?

  /// The number of bytes that the header needs next; 0 once it is complete.
  var missing: Int {
    ProxyHeader.prefixCount + (contentCount ?? 0) - bytes.count
  }

  /// Takes at most `missing` bytes; returns the connection's source once the header is complete.
  mutating func receive(_ more: some Collection<UInt8>) throws(Mistake) -> Source? {
    precondition(more.count <= missing, "bytes after the header belong to the client")
    bytes += more
    let signature = ProxyHeader.signature
    guard bytes.prefix(signature.count).elementsEqual(signature.prefix(bytes.count)) else {
      throw .signature
    }
    guard bytes.count >= ProxyHeader.prefixCount else { return nil }
    if contentCount == nil { contentCount = try readContentCount() }
    return missing == 0 ? try source() : nil
  }

  private func readContentCount() throws(Mistake) -> Int {
    guard bytes[12] == ProxyHeader.localCommand || bytes[12] == ProxyHeader.proxyCommand else {
      throw .versionOrCommand
    }
    let count = Int(bytes[14]) << 8 | Int(bytes[15])
    guard count <= ProxyHeader.longestContent else { throw .length }
    return count
  }

  private static let localCommand: UInt8 = 0x20
  private static let proxyCommand: UInt8 = 0x21

  /// The lengths of both addresses and ports.
  private static let fourCount = 2 * 4 + 2 * 2
  private static let sixCount = 2 * 16 + 2 * 2

  private func source() throws(Mistake) -> Source {
    // Fields of a LOCAL command have no meaning (section 2.2 of the specification).
    if bytes[12] == ProxyHeader.localCommand { return .balancer }
    switch bytes[13] {
    case 0x00:
      return .balancer
    case 0x11:
      return try client(addressCount: 4, portAt: 8, count: ProxyHeader.fourCount)
    case 0x21:
      return try client(addressCount: 16, portAt: 32, count: ProxyHeader.sixCount)
    default:
      throw .family
    }
  }

  /// Reads the first of the two addresses, and checks that whole fields follow the second.
  private func client(
    addressCount: Int, portAt: Int, count: Int
  ) throws(Mistake) -> Source {
    let content = Array(bytes.dropFirst(ProxyHeader.prefixCount))
    guard content.count >= count else { throw .length }
    var next = count
    while next < content.count {
      guard next + 3 <= content.count else { throw .fields }
      next += 3 + (Int(content[next + 1]) << 8 | Int(content[next + 2]))
    }
    guard next == content.count else { throw .fields }
    let port = UInt16(content[portAt]) << 8 | UInt16(content[portAt + 1])
    guard
      let address = SocketAddress(networkOrder: Array(content.prefix(addressCount)), port: port)
    else { throw .family }
    return .client(address)
  }
}
