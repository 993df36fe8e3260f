import EventLoop
import Testing

@Suite("Socket addresses")
struct SocketAddressTests {
  @Test(
    "Loopback addresses are known however they are written",
    arguments: [
      ("127.0.0.1:0", true), ("127.9.9.9:1", true), ("[::1]:0", true),
      ("[0:0:0:0:0:0:0:1]:0", true),
      ("0.0.0.0:0", false), ("[::]:0", false), ("10.0.0.1:0", false), ("[::1:1]:0", false),
    ])
  func loopback(_ text: String, isLoopback: Bool) throws {
    #expect(try #require(SocketAddress(text)).isLoopback == isLoopback)
  }

  @Test(
    "An address is written as it is read", arguments: ["127.0.0.1:0", "0.0.0.0:65535", "[::1]:80"])
  func accepted(_ text: String) throws {
    #expect(try #require(SocketAddress(text)).description == text)
  }

  @Test(
    "What isn't a numeric address with a port is refused",
    arguments: [
      "", ":", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+80",
      "127.0.0.1: 80", "localhost:80", "256.0.0.1:80", "::1:80", "[::1]", "[::1:80",
      "[127.0.0.1:80",
    ])
  func refused(_ text: String) {
    #expect(SocketAddress(text) == nil)
  }

  @Test(
    "Addresses that one party has to itself are one network",
    arguments: [
      ("10.0.0.1:1", "10.0.0.1:2", true), ("10.0.0.1:1", "10.0.0.2:1", false),
      ("[2001:db8::1]:1", "[2001:db8::ffff:2]:1", true),
      ("[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false),
      ("[::ffff:10.0.0.1]:1", "10.0.0.1:1", true),
      ("[::ffff:10.0.0.1]:1", "[::ffff:10.0.0.2]:1", false),
      ("[::]:1", "0.0.0.0:1", false),
    ])
  func network(_ one: String, _ other: String, isSame: Bool) throws {
    let networks = try [one, other].map { try #require(SocketAddress($0)).network }
    #expect((networks[0] == networks[1]) == isSame)
  }

  @Test("Another port makes another address of the same host")
  func port() throws {
    let address = try #require(SocketAddress("[::1]:80"))
    #expect(address.with(port: 81).description == "[::1]:81")
    #expect(address.host == "::1")
  }
}
