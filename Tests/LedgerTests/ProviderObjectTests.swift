import Objects
import Testing
import Time

@testable import Ledger

extension Sample {
  static func object(
    _ id: String, of client: String = "acme", _ kind: ObjectKind = .file, after seconds: Int = 0
  ) -> ProviderObject {
    ProviderObject(
      provider: "openai", objectID: id, kind: kind, owner: .client(client), keyName: "web",
      createdAt: admitted.advanced(by: .seconds(seconds)))
  }

  /// A response that goes on at the provider, and has shown these objects.
  static func deferred(_ number: Int, showing objects: [ProviderObject]) -> DeferredRequest {
    var request = DeferredRequest(
      .response, objectID: "resp_\(number)", intent: intent(number), pricedModel: nil,
      serviceTier: nil, imageModel: nil)
    request.expected.objects = objects
    return request
  }
}

extension ServerLedger {
  func end(_ id: String, after seconds: Int) async throws {
    try await end(id, of: "openai", at: Sample.admitted.advanced(by: .seconds(seconds)))
  }
}

@Suite("Objects at providers, and whose they are") struct ProviderObjectTests {
  private let folder = TemporaryFolder()
  private let month = 30 * 86_400

  private func owners(
    _ ids: [String], in folder: TemporaryFolder? = nil
  ) throws -> [String: ProviderObject] {
    try LedgerReader(at: (folder ?? self.folder).location).owners(of: ids, provider: "openai")
  }

  /// All rows, those of deleted objects too.
  private func ids(in folder: TemporaryFolder? = nil) throws -> [String] {
    try LedgerReader(at: (folder ?? self.folder).location).objects(limit: 10_000).map(\.objectID)
  }

  /// Each way in which an answer is recorded, showing three objects in all.
  static let ways: [(name: String, record: @Sendable (ServerLedger) async throws -> Void)] = [
    (
      "by themselves",
      { try await $0.record(["a", "b", "c"].map { Sample.object($0) }) }
    ),
    (
      "with a settlement",
      { ledger in
        var settlement = Sample.settlement(1)
        settlement.objects = ["a", "b", "c"].map { Sample.object($0) }
        try await ledger.settle(settlement)
      }
    ),
    (
      "with a deferral",
      {
        try await $0.deferSettlement(
          of: Sample.deferred(1, showing: ["a", "b", "c"].map { Sample.object($0) }))
      }
    ),
    (
      "with the rows of a deferred request",
      { ledger in
        var rows = [Sample.settlement(1), Sample.settlement(2)]
        rows[0].objects = [Sample.object("b"), Sample.object("a")]
        rows[1].objects = [Sample.object("c")]
        try await ledger.settle(
          DeferredSettlement(of: Sample.id(1), rows: rows, progress: nil))
      }
    ),
  ]

  @Test(
    "What an answer shows is its client's once the call returns, and after a kill",
    arguments: ways.indices)
  func recorded(way: Int) async throws {
    let ledger = try folder.ledger()
    try await ProviderObjectTests.ways[way].record(ledger)
    let found = try owners(["a", "b", "c", "d"])
    #expect(found == ["a", "b", "c"].reduce(into: [:]) { $0[$1] = Sample.object($1) })
    #expect(try LedgerReader(at: folder.location).owners(of: ["a"], provider: "groq").isEmpty)
    let killed = try folder.copy()
    await ledger.close()
    await (try killed.ledger()).close()
    #expect(try owners(["a", "b", "c"], in: killed) == found)
    #expect(try LedgerReader(at: killed.location).audit() == [])
  }

  @Test(
    "It waits in the spool while the database can't be written, and may be written twice",
    arguments: ways.indices)
  func spooled(way: Int) async throws {
    let ledger = try folder.ledger()
    try await ledger.record([Sample.object("old")])
    let obstacle = try folder.obstacle()
    try await ProviderObjectTests.ways[way].record(ledger)
    try await ledger.end("old", after: 1)
    try await ledger.end("b", after: 2)
    #expect(ledger.health.spooledEntries == 3)
    let killed = try folder.copy()
    try obstacle.remove()
    await ledger.close()
    let spool = try killed.read("catraca.db.spool")
    for round in 1...2 {
      await (try killed.ledger()).close()
      for folder in [folder, killed] {
        #expect(try Set(owners(["a", "b", "c", "old"], in: folder).keys) == ["a", "c"])
        #expect(try ids(in: folder) == ["a", "b", "c", "old"])
      }
      // A death before the spool is emptied has the next start write all of it again.
      if round == 1 { try killed.write("catraca.db.spool", String(decoding: spool, as: UTF8.self)) }
    }
  }

  @Test("An answer never changes an owner")
  func keepsOwner() async throws {
    let ledger = try folder.ledger()
    try await ledger.record([Sample.object("a"), Sample.object("b")])
    var settlement = Sample.settlement(1, client: "globex")
    settlement.objects = [Sample.object("a", of: "globex", .batch, after: 1)]
    try await ledger.settle(settlement)
    #expect(try owners(["a"])["a"] == Sample.object("a"))
    try await ledger.end("a", after: 2)
    #expect(try owners(["a"]).isEmpty)
    try await ledger.record([Sample.object("a", of: "globex", after: 3)])
    #expect(try owners(["a"]).isEmpty)
    try await ledger.record([Sample.object("a", after: 4)])
    #expect(try owners(["a"])["a"] == Sample.object("a", after: 4))
    await ledger.close()
  }

  @Test("What is deleted stays deleted when an earlier entry is written again")
  func staysDeleted() async throws {
    let ledger = try folder.ledger()
    try await ledger.deferSettlement(of: Sample.deferred(1, showing: [Sample.object("a")]))
    #expect(try owners(["a"]).count == 1)
    try await ledger.end("a", after: 5)
    var row = Sample.settlement(1)
    row.objects = [Sample.object("a")]
    try await ledger.settle(DeferredSettlement(of: Sample.id(1), rows: [row], progress: nil))
    #expect(try owners(["a"]).isEmpty)
    // The instant of the deletion is the first.
    try await ledger.end("a", after: 9)
    let rows = try LedgerReader(at: folder.location).objects(limit: 9)
    #expect(rows.map(\.deletedAt) == [Sample.admitted.advanced(by: .seconds(5))])
    await ledger.close()
  }

  @Test("One commit keeps the order of what happened to an object")
  func inOneCommit() async throws {
    let database = try LedgerDatabase(folder.options())
    let start = Sample.admitted
    try database.commit(
      [
        .objects([Sample.object("b"), Sample.object("a")]),
        .objectEnd(ObjectEnd(provider: "openai", objectID: "a", at: start)),
        .objects([Sample.object("a", after: 1)]),
        .objectEnd(ObjectEnd(provider: "openai", objectID: "b", at: start)),
      ])
    #expect(try Set(owners(["a", "b"]).keys) == ["a"])
    try folder.plantFailure("INSERT", on: "token_usage")
    var settlement = Sample.settlement(1)
    settlement.objects = [Sample.object("c")]
    #expect(throws: LedgerError.self) {
      try database.commit([.settle(settlement)])
    }
    try database.commit([.objects([Sample.object("d")])])
    #expect(try ids() == ["a", "b", "d"])
  }

  @Test("Rows go 30 days after the deletion, at most two for each change")
  func pruned() async throws {
    let ledger = try folder.ledger()
    let count = 9
    try await ledger.record((1...count).map { Sample.object("old-\($0)") })
    for number in 1...count { try await ledger.end("old-\(number)", after: number) }
    try await ledger.record([Sample.object("new-1", after: month + 1)])
    #expect(try ids().count == count + 1)
    for (round, left) in [7, 5, 3, 1, 0].enumerated() {
      try await ledger.record([Sample.object("new-2", after: month + count + 1)])
      #expect(try ids().filter { $0.hasPrefix("old") }.count == left, "after \(round + 1)")
    }
    await ledger.close()
  }

  @Test(
    "An id of up to 256 bytes of ASCII is recorded, and no other",
    arguments: [
      ("a", true), (String(repeating: "x", count: 256), true), ("ft:gpt-4o:acme::7", true),
      (String(repeating: "x", count: 257), false), ("", false), ("file-\u{0}", false),
      ("file-\n", false), ("filé", false), (String(repeating: "x", count: 2 << 20), false),
    ])
  func bounded(id: String, isRecorded: Bool) async throws {
    let ledger = try folder.ledger()
    var settlement = Sample.settlement(1)
    settlement.objects = [Sample.object(id), Sample.object("b")]
    try await ledger.settle(settlement)
    try await ledger.record([Sample.object(id), Sample.object("c")])
    #expect(try Set(owners([id, "b", "c"]).keys) == Set(["b", "c"] + (isRecorded ? [id] : [])))
    try await ledger.end(id, after: 1)
    #expect(try Set(owners([id, "b", "c"]).keys) == ["b", "c"])
    await ledger.close()
  }

  @Test("An answer with thousands of objects is recorded whole, also by way of the spool")
  func many() async throws {
    let ledger = try folder.ledger()
    func name(_ way: String, _ number: Int) -> String {
      "\(way)-\(number)-\(String(repeating: "\"", count: 200))"
    }
    func objects(_ way: String) -> [ProviderObject] {
      (1...3_000).map { Sample.object(name(way, $0)) }
    }
    let obstacle = try folder.obstacle()
    var settlement = Sample.settlement(1)
    settlement.objects = objects("settled")
    try await ledger.settle(settlement)
    try await ledger.deferSettlement(of: Sample.deferred(2, showing: objects("deferred")))
    var rows = [Sample.settlement(3), Sample.settlement(4)]
    for index in rows.indices { rows[index].objects = objects("row\(index)") }
    try await ledger.settle(DeferredSettlement(of: Sample.id(3), rows: rows, progress: nil))
    try obstacle.remove()
    await ledger.close()
    await (try folder.ledger()).close()
    for way in ["settled", "deferred", "row0", "row1"] {
      #expect(try owners((1...3_000).map { name(way, $0) }).count == 3_000)
    }
    #expect(try LedgerReader(at: folder.location).usageRows(limit: 9).count == 3)
  }

  @Test("A row that can't be read is an error, and found by an audit")
  func unreadable() async throws {
    let ledger = try folder.ledger()
    try await ledger.record([Sample.object("a"), Sample.object("b")])
    await ledger.close()
    try folder.connection().execute(
      "UPDATE provider_objects SET kind = 'wheel' WHERE object_id = 'a'")
    #expect(throws: LedgerError.unreadable(record: "kind of object a")) { try owners(["a", "b"]) }
    #expect(try owners(["b"]).count == 1)
    let differences = try LedgerReader(at: folder.location).audit()
    #expect(differences.map(\.subject) == ["a"])
    #expect(differences.map(\.check) == [.unreadableRow])
  }
}
