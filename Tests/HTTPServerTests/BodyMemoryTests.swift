import EventLoop
import Testing

@testable import HTTPServer

@Suite("The memory of bodies")
struct BodyMemoryTests {
  private static let acme = RequestOwner.key(client: "acme", name: "web")
  private static let other = RequestOwner.key(client: "acme", name: "batch")
  private static let limits = HTTPServerLimits(
    bodyMemory: 1000, bodyMemoryPerOwner: 600, unfinishedBodiesPerOwner: 2)

  @Test("A body is counted as it grows, and given back with its last reference")
  func account() throws {
    let memory = BodyMemory()
    var body: BodyReservation? = try memory.begin(for: Self.acme, Self.limits)
    #expect(memory.usedBytes == 0)
    try body?.grow(to: 100, Self.limits)
    try body?.grow(to: 600, Self.limits)
    try body?.grow(to: 50, Self.limits)
    #expect(memory.usedBytes == 600)
    body?.finish()
    var keeper = body
    body = nil
    #expect(memory.usedBytes == 600 && keeper != nil)
    keeper = nil
    #expect(memory.usedBytes == 0 && memory.ownerCount == 0)
  }

  @Test("A body that has no room keeps what it had, and the others go on")
  func exhausted() throws {
    let memory = BodyMemory()
    let (first, second) = (
      try memory.begin(for: Self.acme, Self.limits), try memory.begin(for: Self.other, Self.limits)
    )
    try first.grow(to: 600, Self.limits)
    #expect(throws: BodyMemory.Refusal.ownerExhausted) { try first.grow(to: 601, Self.limits) }
    try second.grow(to: 400, Self.limits)
    #expect(throws: BodyMemory.Refusal.exhausted) { try second.grow(to: 401, Self.limits) }
    #expect(memory.usedBytes == 1000)
    withExtendedLifetime((first, second)) {}
  }

  @Test("So many bodies of one owner are waited for, and a whole one isn't")
  func unfinished() throws {
    let memory = BodyMemory()
    var bodies = [
      try memory.begin(for: Self.acme, Self.limits), try memory.begin(for: Self.acme, Self.limits),
    ]
    #expect(throws: BodyMemory.Refusal.tooManyUnfinished) {
      try memory.begin(for: Self.acme, Self.limits)
    }
    _ = try memory.begin(for: Self.other, Self.limits)
    bodies[0].finish()
    bodies[0].finish()
    bodies.append(try memory.begin(for: Self.acme, Self.limits))
    #expect(throws: BodyMemory.Refusal.tooManyUnfinished) {
      try memory.begin(for: Self.acme, Self.limits)
    }
    bodies = []
    #expect(memory.ownerCount == 0 && memory.usedBytes == 0)
  }

  @Test("However many threads count at once, nothing is lost or exceeds the limit")
  func concurrency() async throws {
    let memory = BodyMemory()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for round in 0..<500 {
            let owner = RequestOwner.token(name: "\((number + round) % 3)")
            guard let body = try? memory.begin(for: owner, Self.limits) else { continue }
            for count in [100, 300, 700] {
              try? body.grow(to: count, Self.limits)
              #expect(memory.usedBytes <= 1000 + 8 * 700)
            }
            if round % 2 == 0 { body.finish() }
          }
        }
      }
    }
    #expect(memory.usedBytes == 0 && memory.ownerCount == 0)
  }

  @Test("An address has so many connections, but for those that serve somebody known")
  func addressShares() throws {
    let shares = AddressShares()
    let network = try #require(SocketAddress(host: "192.0.2.1", port: 1)).network
    let other = try #require(SocketAddress(host: "192.0.2.2", port: 1)).network
    let first = try #require(shares.enter(network, limit: 2))
    let second = try #require(shares.enter(network, limit: 2))
    #expect(shares.enter(network, limit: 2) == nil)
    let elsewhere = try #require(shares.enter(other, limit: 2))
    first.subtract()
    let third = try #require(shares.enter(network, limit: 2))
    // A request that ends counts again, also beyond the limit.
    first.add()
    #expect(shares.enter(network, limit: 3) == nil)
    #expect(shares.addressCount == 2)
    for share in [first, second, third] { shares.leave(share, isCounted: true) }
    #expect(shares.addressCount == 1)
    elsewhere.subtract()
    shares.leave(elsewhere, isCounted: false)
    #expect(shares.addressCount == 0)
  }
}
