import Testing

@testable import HTTPServer

@Suite("Shares of keys in the requests under way")
struct RequestSharesTests {
  private static let key = RequestOwner.key(client: "acme", name: "web")
  private static let other = RequestOwner.key(client: "acme", name: "batch")

  @Test("Each key has its own share, and nothing is kept of a key without requests")
  func shares() {
    let shares = RequestShares()
    #expect(shares.enter(Self.key, limit: 2) && shares.enter(Self.key, limit: 2))
    #expect(!shares.enter(Self.key, limit: 2))
    #expect(shares.enter(Self.other, limit: 2) && shares.ownerCount == 2)
    shares.leave(Self.key)
    #expect(shares.enter(Self.key, limit: 2))
    // A limit that was lowered meanwhile.
    #expect(!shares.enter(Self.key, limit: 1))
    for owner in [Self.key, Self.key, Self.other] { shares.leave(owner) }
    #expect(shares.ownerCount == 0)
  }
}
