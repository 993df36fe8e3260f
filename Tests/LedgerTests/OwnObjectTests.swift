import Objects
import Testing
import Time

@testable import Ledger

@Suite("The objects that a client may use")
struct OwnObjectTests {
  private let folder = TemporaryFolder()

  private func object(
    _ id: String, _ owner: ProviderObject.Owner, _ kind: ObjectKind = .file, at second: Int,
    provider: String = "openai"
  ) -> ProviderObject {
    ProviderObject(
      provider: provider, objectID: id, kind: kind, owner: owner, keyName: nil,
      createdAt: Sample.admitted.advanced(by: .seconds(second)))
  }

  private func ids(
    newestFirst: Bool = true, from start: String? = nil, limit: Int = 100
  ) throws -> [String] {
    try LedgerReader(at: folder.location).ids(
      of: OwnObjects(
        of: "acme", provider: "openai", kind: .file, isNewestFirst: newestFirst, from: start,
        limit: limit))
  }

  @Test("They are its own and shared ones, in the order in which they were recorded")
  func order() async throws {
    let ledger = try folder.ledger()
    try await ledger.record([
      object("c", .client("acme"), at: 1), object("a", .everybody, at: 2),
      object("b", .client("acme"), at: 2), object("d", .client("acme"), at: 3),
      object("other", .client("bolt"), at: 2), object("batch", .client("acme"), .batch, at: 2),
      object("groq", .client("acme"), at: 2, provider: "groq"),
      object("gone", .client("acme"), at: 2),
    ])
    try await ledger.end("gone", of: "openai", at: Sample.admitted)
    let newest = ["d", "b", "a", "c"]
    #expect(try ids() == newest)
    #expect(try ids(newestFirst: false) == newest.reversed())
    #expect(try ids(limit: 2) == ["d", "b"])
    #expect(try ids(from: "b") == ["b", "a", "c"])
    #expect(try ids(newestFirst: false, from: "b", limit: 2) == ["b", "d"])
    #expect(try ids(from: "unheard-of") == newest)
    await ledger.close()
  }
}
