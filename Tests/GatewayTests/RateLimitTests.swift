import Configuration
import Testing
import Time

@testable import Gateway

@Suite struct RateLimitTests {
  private func instant(_ seconds: Double) -> Timestamp {
    Timestamp(milliseconds: Int64(seconds * 1000))
  }

  private func key(requests: Int64? = nil, tokens: Int64? = nil) -> ClientKey {
    ClientKey(
      name: "web", digest: KeyDigest(words: (0, 0, 0, 0)), requestsPerMinute: requests,
      tokensPerMinute: tokens)
  }

  @Test("A minute's worth passes at once, and then one each part of the minute")
  func requests() {
    let limits = RateLimits()
    let key = key(requests: 3)
    let waits = [0, 0, 0, 0, 19.9, 20, 20].map { limits.admit(key, of: "acme", at: instant($0)) }
    #expect(waits == [nil, nil, nil, 20, 1, nil, 20])
    #expect(limits.admit(key, of: "beta", at: instant(0)) == nil)
  }

  @Test("Tokens are taken when they are used, and a debt is filled up first")
  func tokens() {
    let limits = RateLimits()
    let key = key(tokens: 60)
    #expect(limits.admit(key, of: "acme", at: instant(0)) == nil)
    limits.use(90, by: key, of: "acme", at: instant(0))
    #expect(limits.admit(key, of: "acme", at: instant(0)) == 31)
    #expect(limits.admit(key, of: "acme", at: instant(31)) == nil)
  }

  @Test("A free request counts as a request, and a debt of tokens doesn't stop it")
  func freeRequests() {
    let limits = RateLimits()
    let key = key(requests: 2, tokens: 60)
    limits.use(90, by: key, of: "acme", at: instant(0))
    #expect(limits.admit(key, of: "acme", isFree: true, at: instant(0)) == nil)
    #expect(limits.admit(key, of: "acme", isFree: true, at: instant(0)) == nil)
    #expect(limits.admit(key, of: "acme", isFree: true, at: instant(0)) == 30)
    #expect(limits.admit(key, of: "acme", at: instant(60)) == nil)
    #expect(limits.admit(key, of: "acme", isFree: true, at: instant(60)) == nil)
    #expect(limits.admit(key, of: "acme", isFree: true, at: instant(60)) == 30)
  }

  @Test("A key without limits is never refused")
  func unlimited() {
    let limits = RateLimits()
    limits.use(.max, by: key(), of: "acme", at: instant(0))
    #expect(limits.admit(key(), of: "acme", at: instant(0)) == nil)
  }

  @Test("Absurd use and absurd time trap nowhere", arguments: [1, 1_000_000_000] as [Int64])
  func absurd(limit: Int64) {
    var bucket = Bucket(limit: limit, at: instant(0))
    bucket.take(.max)
    #expect(bucket.secondsUntil(1) ?? 0 > 3600)
    bucket.fill(limit: limit, at: Timestamp(milliseconds: .max))
    #expect(bucket.secondsUntil(1) == nil && bucket.isFull(at: instant(0)))
  }
}
