import Objects
import Testing
import Time

@testable import Ledger

@Suite("Objects as administrators see and assign them") struct ObjectOwnerTests {
  private let folder = TemporaryFolder()
  private let now = Sample.admitted.advanced(by: .seconds(100))

  private func editor() throws -> LedgerEditor {
    try LedgerEditor(
      at: folder.location, author: LedgerEditor.Author(actor: "cli:alice", now: now))
  }

  private func reader() throws -> LedgerReader { try LedgerReader(at: folder.location) }

  private func changes() throws -> [String] {
    try reader().auditLog(where: [:], LogRange(limit: 100)).map {
      "\($0.content.action) \($0.content.target) \($0.content.clientID)"
    }.reversed()
  }

  private func assigned(_ id: String, to owner: ProviderObject.Owner) -> ProviderObject {
    var object = Sample.object(id, after: 100)
    object.owner = owner
    object.keyName = nil
    return object
  }

  @Test("An object gets the owner that an administrator gives it, and the log says so")
  func assign() async throws {
    let ledger = try folder.ledger()
    try await ledger.record([Sample.object("a"), Sample.object("b"), Sample.object("gone")])
    try await ledger.end("gone", after: 1)
    await ledger.close()
    let editor = try editor()
    let cases: [(id: String, owner: ProviderObject.Owner, hadAnother: Bool)] = [
      ("a", .client("globex"), true), ("a", .client("globex"), false), ("a", .everybody, true),
      ("b", .client("acme"), false), ("gone", .client("globex"), false),
      ("new", .client("globex"), false),
    ]
    for (id, owner, hadAnother) in cases {
      let made = try editor.assign([assigned(id, to: owner)])
      #expect(made.map(\.hadAnotherOwner) == [hadAnother], "\(id) to \(owner)")
      #expect(made.map(\.after.owner) == [owner])
      #expect(try reader().owners(of: [id], provider: "openai")[id] == made.first?.after)
    }
    let owners = try reader().owners(of: ["a", "b", "gone", "new"], provider: "openai")
    #expect(owners["a"]?.keyName == nil && owners["a"]?.createdAt == Sample.admitted)
    #expect(owners["b"] == Sample.object("b"))
    #expect(owners["gone"] == assigned("gone", to: .client("globex")))
    // An assignment that changes nothing isn't in the log.
    #expect(
      try changes() == [
        "object.assign object:openai/a globex", "object.assign object:openai/a ",
        "object.assign object:openai/gone globex", "object.assign object:openai/new globex",
      ])
  }

  @Test("What is forgotten is nobody's, and can be another client's from then on")
  func forget() async throws {
    let ledger = try folder.ledger()
    try await ledger.record([Sample.object("a")])
    let editor = try editor()
    #expect(try editor.forget("a", of: "openai") == Sample.object("a"))
    #expect(try reader().owners(of: ["a"], provider: "openai").isEmpty)
    #expect(throws: LedgerError.notFound(record: "object a of provider openai")) {
      try editor.forget("a", of: "openai")
    }
    #expect(try changes() == ["object.forget object:openai/a acme"])
    try await ledger.record([Sample.object("a", of: "globex")])
    #expect(
      try reader().owners(of: ["a"], provider: "openai")["a"]?.owner == .client("globex"))
    await ledger.close()
  }

  @Test("An import of many leaves what other clients own, and takes several transactions")
  func imported() async throws {
    let ledger = try folder.ledger()
    try await ledger.record([Sample.object("file-3", of: "globex"), Sample.object("file-4")])
    await ledger.close()
    let count = 2 * LedgerEditor.objectsInOneCommit + 3
    let objects = (1...count).map { assigned("file-\($0)", to: .client("acme")) }
    let made = try editor().assign(objects, takingOver: false)
    #expect(made.count == count - 1)
    #expect(made.filter { $0.before == nil }.count == count - 2)
    let owners = try reader().owners(of: objects.map(\.objectID), provider: "openai")
    #expect(owners.count == count)
    #expect(owners.values.filter { $0.owner == .client("globex") }.map(\.objectID) == ["file-3"])
    #expect(owners["file-4"] == Sample.object("file-4"))
  }

  @Test("A deleted client gets nothing, nor does an object with an id that can't be one")
  func refused() throws {
    let editor = try editor()
    try editor.create(
      StoredClient(id: "old", name: "Old", timeZone: "UTC", createdAt: now, updatedAt: now))
    try editor.deleteClient("old")
    #expect(throws: LedgerError.notFound(record: "client old: it was deleted")) {
      try editor.assign([assigned("a", to: .client("old")), assigned("b", to: .everybody)])
    }
    #expect(throws: LedgerError.unreadable(record: "the id of an object")) {
      try editor.assign([assigned("b", to: .everybody), assigned("a\n", to: .client("acme"))])
    }
    #expect(try reader().objects(limit: 9).isEmpty)
  }

  /// Two providers, three kinds, two clients and what is shared; each third is deleted, and some
  /// are of the same instant.
  private func fill() async throws -> [ProviderObject] {
    var all: [ProviderObject] = []
    for number in 0..<60 {
      var object = Sample.object(
        "o\(number * 7 % 60)", of: number % 2 == 0 ? "acme" : "globex",
        [.file, .batch, .item][number / 2 % 3], after: number / 4)
      object.provider = number % 5 == 0 ? "groq" : "openai"
      if number % 7 == 0 { object.owner = .everybody }
      all.append(object)
    }
    let ledger = try folder.ledger()
    try await ledger.record(all)
    for index in stride(from: 0, to: 60, by: 3) {
      let end = Sample.admitted.advanced(by: .seconds(50))
      try await ledger.end(all[index].objectID, of: all[index].provider, at: end)
      all[index].deletedAt = end
    }
    await ledger.close()
    return all
  }

  static let filters: [ObjectFilter] =
    [nil, .client("acme"), .client("globex"), .everybody, .client("nobody")].flatMap { owner in
      [nil, "openai", "groq"].flatMap { provider in
        [nil, ObjectKind.file].map { ObjectFilter(owner: owner, provider: provider, kind: $0) }
      }
    } + [ObjectFilter(objectID: "o7"), ObjectFilter(owner: .client("acme"), objectID: "o7")]

  @Test("Pages show each object once, deleted ones too, in a stable order")
  func pages() async throws {
    let all = try await fill()
    let reader = try reader()
    for filter in ObjectOwnerTests.filters {
      let expected = all.filter { object in
        (filter.owner ?? object.owner) == object.owner
          && (filter.provider ?? object.provider) == object.provider
          && (filter.kind ?? object.kind) == object.kind
          && (filter.objectID ?? object.objectID) == object.objectID
      }
      for limit in [1, 7, 100] {
        var listed: [ProviderObject] = []
        var cursor: ObjectCursor?
        while true {
          let page = try reader.objects(filter, after: cursor, limit: limit)
          listed += page
          guard page.count == limit, let last = page.last else { break }
          cursor = ObjectCursor(last.cursor.description)
          #expect(cursor == last.cursor)
        }
        #expect(listed.count == expected.count && Set(listed) == Set(expected), "\(filter)")
      }
    }
    #expect(ObjectCursor("openai/file/x/o1") == nil)
    #expect(ObjectCursor("openai/file/1/a/b")?.objectID == "a/b")
  }

  @Test("A kind that many objects have is listed in the order of the ids, too")
  func manyOfAKind() async throws {
    let ledger = try folder.ledger()
    let ids = (0..<2_100).map { "o\($0 + 10_000)" }
    try await ledger.record(ids.map { Sample.object($0) } + [Sample.object("b", .batch)])
    await ledger.close()
    let reader = try reader()
    let files = try reader.objects(ObjectFilter(kind: .file), limit: 5)
    #expect(files.map(\.objectID) == Array(ids.prefix(5)))
    #expect(try reader.objects(ObjectFilter(kind: .batch), limit: 5).map(\.objectID) == ["b"])
  }
}
