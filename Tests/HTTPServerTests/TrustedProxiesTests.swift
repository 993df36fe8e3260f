import EventLoop
import HTTP
import Testing

@testable import HTTPServer

@Suite("Whom a request is from")
struct TrustedProxiesTests {
  private func client(
    of peer: String, _ forwarded: [String], behind ranges: [String] = ["10.0.0.0/8", "fd00::/8"]
  ) throws -> String {
    var fields = HeaderFields()
    for value in forwarded { try fields.append(.xForwardedFor, value) }
    let proxies = TrustedProxies(try ranges.map { try #require(AddressRange($0)) })
    return proxies.client(of: try #require(SocketAddress(host: peer, port: 9)), fields).host
  }

  @Test("Without a balancer, or from elsewhere, nobody's X-Forwarded-For is believed")
  func untrusted() throws {
    #expect(try client(of: "203.0.113.1", ["1.1.1.1"]) == "203.0.113.1")
    #expect(try client(of: "10.0.0.1", ["1.1.1.1"], behind: []) == "10.0.0.1")
    #expect(try client(of: "127.0.0.1", ["1.1.1.1"]) == "127.0.0.1")
  }

  @Test(
    "The last entry that isn't a balancer's is the client",
    arguments: [
      (["203.0.113.9"], "203.0.113.9"),
      (["1.1.1.1, 203.0.113.9"], "203.0.113.9"),
      (["1.1.1.1", "203.0.113.9"], "203.0.113.9"),
      (["1.1.1.1, 203.0.113.9", "10.0.0.7 ,\t10.0.0.8"], "203.0.113.9"),
      (["203.0.113.9:4711"], "203.0.113.9"),
      (["2001:db8::9"], "2001:db8::9"), (["[2001:db8::9]"], "2001:db8::9"),
      (["[2001:db8::9]:4711"], "2001:db8::9"), (["2001:db8::9, fd00::1"], "2001:db8::9"),
    ])
  func forwarded(_ values: [String], _ expected: String) throws {
    #expect(try client(of: "10.0.0.1", values) == expected)
    #expect(try client(of: "::ffff:10.0.0.1", values) == expected)
    #expect(try client(of: "fd00::7", values) == expected)
  }

  @Test(
    "Where an entry isn't an address, the balancer that appended it is the client",
    arguments: [
      [], [""], [","], ["unknown"], ["1.1.1.1, unknown"], ["1.1.1.1, _hidden"], ["1.1.1.1,"],
      ["256.1.1.1"], ["1.1.1.1 2.2.2.2"], ["[1.1.1.1"], ["1.1.1.1:"], ["1.1.1.1:99999"],
      ["\"1.1.1.1\""], ["for=1.1.1.1"], ["fe80::1%eth0"],
    ])
  func malformed(_ values: [String]) throws {
    #expect(try client(of: "10.0.0.1", values) == "10.0.0.1")
  }

  @Test("Where all are balancers, the first of them is the client")
  func allTrusted() throws {
    #expect(try client(of: "10.0.0.1", ["10.0.0.3, 10.0.0.2"]) == "10.0.0.3")
    #expect(try client(of: "10.0.0.1", ["1.1.1.1, unknown, 10.0.0.2"]) == "10.0.0.2")
  }

  @Test("Of a row of balancers without an end only the last are looked at")
  func endless() throws {
    let row = (0..<100).map { "10.0.1.\($0)" } + ["10.0.0.2"]
    #expect(try client(of: "10.0.0.1", ["1.1.1.1", row.joined(separator: ", ")]) == "10.0.1.69")
  }
}
