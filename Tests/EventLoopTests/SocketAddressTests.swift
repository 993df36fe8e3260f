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

  @Test("Another port makes another address of the same host")
  func port() throws {
    let address = try #require(SocketAddress("[::1]:80"))
    #expect(address.with(port: 81).description == "[::1]:81")
    #expect(address.host == "::1")
  }
}
