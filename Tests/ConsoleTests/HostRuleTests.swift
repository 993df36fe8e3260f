import Configuration
import EventLoop
import Testing

@testable import Console

@Suite("Names by which the admin listener may be called")
struct HostRuleTests {
  private func settings(
    _ listen: [String], hosts: [String] = [], tls: TLSFiles? = nil
  ) -> AdminSettings {
    var settings = AdminSettings()
    settings.listen = listen.compactMap { SocketAddress($0) }
    settings.hosts = hosts
    settings.tls = tls
    return settings
  }

  @Test(
    "A listener of this machine is called by loopback names alone",
    arguments: [
      ("localhost", true), ("localhost:8081", true), ("LocalHost.:1", true), ("127.0.0.1", true),
      ("127.0.0.1:8081", true), ("127.9.9.9:8081", true), ("[::1]:8081", true), ("[::1]", true),
      ("evil.example", false), ("evil.example:8081", false), ("localhost.evil.example", false),
      ("127.0.0.1.evil.example", false), ("10.0.0.7:8081", false), ("[fd00::7]:8081", false),
      ("", false), ("catraca", false), ("0x7f.1", false),
    ])
  func loopback(host: String, isAllowed: Bool) {
    #expect(HostRule(settings: settings(["127.0.0.1:8081"])).allows(host) == isAllowed)
  }

  @Test(
    "Other addresses and names are those of listen and hosts",
    arguments: [
      ("10.0.0.7:8081", true), ("[fd00::7]", true), ("10.0.0.8", false), ("catraca:8081", true),
      ("CATRACA.internal.", true), ("catraca.example", false), ("localhost", true),
    ])
  func listed(host: String, isAllowed: Bool) {
    let rule = HostRule(
      settings: settings(
        ["10.0.0.7:8081", "[fd00::7]:8081"], hosts: ["catraca", "Catraca.Internal"]))
    #expect(rule.allows(host) == isAllowed)
  }

  @Test("On all addresses any address is one of this machine's, and a name still isn't")
  func unspecified() {
    for listen in ["0.0.0.0:8081", "[::]:8081"] {
      let rule = HostRule(settings: settings([listen]))
      #expect(rule.allows("10.0.0.8:8081") && rule.allows("[fd00::8]:8081"))
      #expect(!rule.allows("evil.example:8081"))
    }
  }

  @Test("With TLS, and without any host, nothing is refused")
  func elsewhere() {
    let files = TLSFiles(certificate: "a", key: "b")
    #expect(HostRule(settings: settings(["10.0.0.7:1"], tls: files)).allows("evil.example"))
    #expect(HostRule(settings: settings(["127.0.0.1:1"])).allows(nil))
  }
}
