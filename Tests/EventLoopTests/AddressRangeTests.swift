import EventLoop
import Testing

@Suite("Ranges of addresses")
struct AddressRangeTests {
  @Test(
    "A range has the addresses that share its first bits",
    arguments: [
      ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
      ("10.0.0.7", "10.0.0.7", true), ("10.0.0.7", "10.0.0.6", false),
      ("10.0.0.4/31", "10.0.0.5", true), ("10.0.0.4/31", "10.0.0.6", false),
      ("128.0.0.0/1", "255.0.0.1", true), ("128.0.0.0/1", "127.0.0.1", false),
      ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("10.0.0.0/8", "::10.1.2.3", false),
      ("::ffff:10.0.0.0/104", "10.9.9.9", true),
      ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::", false),
      ("2001:db8::/65", "2001:db8::7fff:0:0:0", true),
      ("2001:db8::/65", "2001:db8::8000:0:0:0", false),
      ("2001:db8::1", "2001:db8::1", true), ("2001:db8::1/128", "2001:db8::2", false),
      ("8000::/1", "ffff::1", true), ("8000::/1", "10.0.0.1", false),
    ])
  func contains(_ range: String, _ host: String, isContained: Bool) throws {
    let address = try #require(SocketAddress(host: host, port: 1))
    #expect(try #require(AddressRange(range)).contains(address) == isContained)
  }

  @Test(
    "What isn't an address or the first one of a range is refused",
    arguments: [
      "", "/", "/8", "10.0.0.0/", "10.0.0.0/0", "::/0", "10.0.0.0/33", "::1/129", "10.0.0.1/8",
      "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.0/ 8", "10.0.0.0/0008", "10.0/8", "localhost",
      "10.0.0.1:80", "[::1]", "fe80::1%eth0",
    ])
  func refused(_ text: String) {
    #expect(AddressRange(text) == nil)
  }

  @Test("The bytes of an address make it, and no other number of bytes does")
  func bytes() throws {
    let four = try #require(SocketAddress(networkOrder: [192, 0, 2, 1], port: 80))
    #expect(four.description == "192.0.2.1:80")
    let six = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
    #expect(SocketAddress(networkOrder: six, port: 80)?.description == "[2001:db8::1]:80")
    for count in [0, 3, 5, 15, 17] {
      #expect(SocketAddress(networkOrder: [UInt8](repeating: 1, count: count), port: 80) == nil)
    }
  }
}
