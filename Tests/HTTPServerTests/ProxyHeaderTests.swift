import EventLoop
import Testing

@testable import HTTPServer

@Suite("The header of the PROXY protocol")
struct ProxyHeaderTests {
  private static let signature: [UInt8] = [
    0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
  ]
  /// 192.0.2.1:256 to 192.0.2.2:8080.
  private static let four: [UInt8] = [192, 0, 2, 1, 192, 0, 2, 2, 1, 0, 0x1F, 0x90]
  /// [2001:db8::1]:256 to [2001:db8::2]:8080.
  private static let six: [UInt8] =
    [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
    + [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [2] + [1, 0, 0x1F, 0x90]

  private static func header(
    _ command: UInt8 = 0x21, _ family: UInt8 = 0x11, _ content: [UInt8] = four, count: Int? = nil
  ) -> [UInt8] {
    let count = count ?? content.count
    return signature + [command, family, UInt8(count >> 8), UInt8(count & 0xFF)] + content
  }

  private func read(_ bytes: [UInt8], pieces: Int) throws(ProxyHeader.Mistake)
    -> ProxyHeader.Source?
  {
    var header = ProxyHeader()
    var rest = bytes[...]
    while header.missing > 0, !rest.isEmpty {
      let piece = rest.prefix(min(pieces, header.missing))
      rest = rest.dropFirst(piece.count)
      if let source = try header.receive(piece) { return source }
    }
    return nil
  }

  private static let client = SocketAddress(host: "192.0.2.1", port: 256)
  private static let sixClient = SocketAddress(host: "2001:db8::1", port: 256)

  static let whole: [(String, [UInt8], SocketAddress?)] = [
    ("IPv4", header(), client),
    ("IPv6", header(0x21, 0x21, six), sixClient),
    ("IPv4 with fields", header(0x21, 0x11, four + [4, 0, 2, 9, 9] + [0xEA, 0, 0]), client),
    ("LOCAL", header(0x20, 0x00, []), nil),
    ("LOCAL with addresses", header(0x20, 0x11), nil),
    ("LOCAL with anything", header(0x20, 0xFF, [1, 2, 3]), nil),
    ("unspecified", header(0x21, 0x00, [1, 2, 3]), nil),
    (
      "the longest",
      header(0x21, 0x11, four + [4, 0x07, 0xF1] + [UInt8](repeating: 0, count: 2033)), client
    ),
  ]

  @Test("A whole header says whom the connection is from, however it is cut", arguments: whole)
  func valid(_ name: String, _ bytes: [UInt8], _ address: SocketAddress?) throws {
    let source: ProxyHeader.Source = address.map { .client($0) } ?? .balancer
    for pieces in [1, 2, 7, 16, 17, bytes.count] {
      #expect(try read(bytes, pieces: pieces) == source)
    }
    // The client's own bytes are never asked for.
    #expect(try read(bytes + Array("GET / HTTP/1.1".utf8), pieces: 4096) == source)
  }

  static let wrong: [(String, [UInt8], ProxyHeader.Mistake)] = [
    ("HTTP", Array("GET /healthz HTTP/1.1\r\n\r\n".utf8), .signature),
    ("version 1", Array("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n".utf8), .signature),
    ("TLS", [0x16, 0x03, 0x01, 0x02, 0x00] + [UInt8](repeating: 0, count: 20), .signature),
    (
      "another last byte", Array(signature.dropLast()) + [0x0B] + header().dropFirst(12), .signature
    ),
    ("version 1 in the nibble", header(0x11), .versionOrCommand),
    ("version 3", header(0x31), .versionOrCommand),
    ("command 2", header(0x22), .versionOrCommand),
    ("UDP over IPv4", header(0x21, 0x12), .family),
    ("UDP over IPv6", header(0x21, 0x22, six), .family),
    ("a UNIX socket", header(0x21, 0x31, [UInt8](repeating: 1, count: 216)), .family),
    ("TCP of no family", header(0x21, 0x01), .family),
    ("IPv4 without a port", header(0x21, 0x11, Array(four.dropLast(4))), .length),
    ("IPv6 with the length of IPv4", header(0x21, 0x21), .length),
    ("no content", header(0x21, 0x11, []), .length),
    ("too long", header(0x21, 0x11, four, count: 2049), .length),
    ("the largest length", header(0x21, 0x11, four, count: 0xFFFF), .length),
    ("a LOCAL that is too long", header(0x20, 0x00, [], count: 0xFFFF), .length),
    ("half a field", header(0x21, 0x11, four + [4]), .fields),
    ("a field beyond the end", header(0x21, 0x11, four + [4, 0, 2, 9]), .fields),
    ("a field of the largest length", header(0x21, 0x11, four + [4, 0xFF, 0xFF]), .fields),
  ]

  @Test("Anything else is refused, however it is cut", arguments: wrong)
  func invalid(_ name: String, _ bytes: [UInt8], _ mistake: ProxyHeader.Mistake) {
    for pieces in [1, 2, 7, 16, 4096] {
      #expect(throws: mistake) { try read(bytes, pieces: pieces) }
    }
  }

  @Test("A header that isn't whole says nothing yet, and asks for no byte beyond it")
  func unfinished() throws {
    let bytes = Self.header(0x21, 0x21, Self.six)
    for count in bytes.indices {
      var header = ProxyHeader()
      for byte in bytes.prefix(count) { #expect(try header.receive([byte]) == nil) }
      #expect(header.missing == (count < 16 ? 16 : bytes.count) - count)
    }
  }
}
