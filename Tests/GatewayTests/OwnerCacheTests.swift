import EventLoop
import Ledger
import Testing

@testable import Gateway

@Suite("Owners that a process remembers")
struct OwnerCacheTests {
  private let name = OwnerCache.Name(provider: "openai", id: "resp_1")
  private let start = MonotonicInstant.now()

  @Test("An owner that the ledger named is remembered")
  func named() {
    var cache = OwnerCache()
    cache.note(name, owner: .client("acme"))
    #expect(cache.owner(of: name) == .client("acme"))
    #expect(cache.owner(of: OwnerCache.Name(provider: "groq", id: "resp_1")) == nil)
  }

  @Test("An object that was just recorded has its owner until the ledger can be asked")
  func recorded() {
    var cache = OwnerCache()
    cache.note(recorded: name, owner: .client("acme"), at: start)
    #expect(cache.owner(of: name) == nil)
    #expect(cache.recentOwner(of: name, at: start) == .client("acme"))
    let later = start.advanced(by: OwnerCache.recordingTime)
    #expect(cache.recentOwner(of: name, at: later) == nil)
  }

  @Test("An object that another client's answer shows too stays with the first client")
  func shownAgain() {
    var cache = OwnerCache()
    cache.note(recorded: name, owner: .client("acme"), at: start)
    cache.note(recorded: name, owner: .client("beta"), at: start)
    #expect(cache.recentOwner(of: name, at: start) == .client("acme"))
    cache.note(name, owner: .everybody)
    cache.note(recorded: name, owner: .client("beta"), at: start)
    #expect(cache.owner(of: name) == .everybody)
  }

  @Test("After a change by administrators the ledger is asked again")
  func doubted() {
    var cache = OwnerCache()
    cache.note(name, owner: .client("acme"))
    cache.doubtAll()
    #expect(cache.owner(of: name) == nil)
  }

  @Test("After a change by administrators an object that was just recorded isn't lost")
  func doubtedSoon() {
    var cache = OwnerCache()
    cache.note(recorded: name, owner: .client("acme"), at: start)
    cache.doubtAll()
    #expect(cache.recentOwner(of: name, at: start) == .client("acme"))
  }

  @Test("What was recorded before a change and is in the database can be forgotten at once")
  func forgottenByAdministrators() {
    var cache = OwnerCache()
    cache.note(recorded: name, owner: .client("acme"), at: start)
    cache.doubtAll(written: start.advanced(by: .milliseconds(-1)))
    #expect(cache.recentOwner(of: name, at: start) == .client("acme"))
    cache.doubtAll(written: start)
    #expect(cache.recentOwner(of: name, at: start) == nil)
  }

  @Test("An object that is gone has no owner")
  func forgotten() {
    var cache = OwnerCache()
    cache.note(recorded: name, owner: .client("acme"), at: start)
    cache.forget(name)
    #expect(cache.recentOwner(of: name, at: start) == nil)
  }

  @Test("The cache keeps the owners noted last, and a bounded number of them")
  func bounded() {
    var cache = OwnerCache()
    let names = (0..<3 * OwnerCache.halfCapacity).map {
      OwnerCache.Name(provider: "openai", id: "resp_\($0)")
    }
    for name in names { cache.note(name, owner: .client("acme")) }
    let known = names.count { cache.owner(of: $0) != nil }
    #expect(known <= 2 * OwnerCache.halfCapacity)
    #expect(names.suffix(OwnerCache.halfCapacity).allSatisfy { cache.owner(of: $0) != nil })
  }
}
