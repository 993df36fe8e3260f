import EventLoop
import Ledger
import Objects
import Testing
import Time

@testable import Gateway

@Suite("Whose objects a request may name")
struct ObjectOwnersTests {
  /// Objects that the ledger has, and the questions that it was asked.
  private final class FakeLedger: Sendable {
    let objects: [String: ProviderObject]
    let questions = Lock<[[String]]>([])

    init(_ owners: [String: ProviderObject.Owner]) {
      objects = Dictionary(
        owners.map { id, owner in (id, ObjectOwnersTests.object(id, of: owner)) },
        uniquingKeysWith: { first, _ in first })
    }

    var owners: ObjectOwners {
      ObjectOwners { [self] ids, _ throws(LedgerError) in
        questions.withLock { $0.append(ids) }
        return objects.filter { ids.contains($0.key) }
      }
    }

    var asked: [[String]] { questions.withLock { $0 } }
  }

  private static func object(
    _ id: String, of owner: ProviderObject.Owner
  ) -> ProviderObject {
    ProviderObject(
      provider: "openai", objectID: id, kind: .file, owner: owner, keyName: "web",
      createdAt: Timestamp(milliseconds: 0))
  }

  private static func references(_ ids: String...) -> [ObjectReference] {
    ids.map { ObjectReference(.file, $0, at: "input") }
  }

  private let ledger = FakeLedger([
    "file-own": .client("acme"), "file-shared": .everybody, "file-other": .client("beta"),
  ])

  @Test("A client's own and shared objects pass")
  func own() async throws {
    let verdict = try await ledger.owners.verdict(
      on: Self.references("file-own", "file-shared"), of: "openai", for: "acme")
    #expect(verdict == .passes)
  }

  @Test(
    "The first object that isn't the client's is refused, foreign or unknown",
    arguments: [("file-other", "beta" as String?), ("file-none", nil), ("", nil), ("a\u{0}b", nil)])
  func refused(id: String, owner: String?) async throws {
    let verdict = try await ledger.owners.verdict(
      on: Self.references("file-own", id, "file-none-either"), of: "openai", for: "acme")
    #expect(verdict == .refused(Self.references(id)[0], owner: owner))
  }

  @Test("A grant is remembered, a foreign and an unknown object are asked for each time")
  func remembered() async throws {
    let owners = ledger.owners
    for _ in 0..<2 {
      for id in ["file-own", "file-other", "file-none"] {
        _ = try await owners.verdict(on: Self.references(id), of: "openai", for: "acme")
      }
    }
    #expect(ledger.asked.count { $0 == ["file-own"] } == 1)
    #expect(ledger.asked.count { $0 == ["file-other"] } == 2)
    #expect(ledger.asked.count { $0 == ["file-none"] } == 2)
  }

  @Test("Objects that nobody has pass where that is allowed, those of others never")
  func unowned() async throws {
    let owners = ledger.owners
    let unknown = try await owners.verdict(
      on: Self.references("file-none"), of: "openai", for: "acme", passesUnowned: true)
    #expect(unknown == .passes)
    let foreign = try await owners.verdict(
      on: Self.references("file-other"), of: "openai", for: "acme", passesUnowned: true)
    #expect(foreign == .refused(Self.references("file-other")[0], owner: "beta"))
  }

  @Test("An object that was just recorded is its client's before the ledger has it")
  func recorded() async throws {
    let owners = ledger.owners
    owners.note([Self.object("file-new", of: .client("acme"))])
    let references = Self.references("file-new")
    #expect(try await owners.verdict(on: references, of: "openai", for: "acme") == .passes)
    #expect(
      try await owners.verdict(on: references, of: "openai", for: "beta", passesUnowned: true)
        == .refused(references[0], owner: "acme"))
  }

  @Test("An answer that shows another client's object doesn't take it")
  func shown() async throws {
    let owners = ledger.owners
    owners.note([Self.object("file-other", of: .client("acme"))])
    let references = Self.references("file-other")
    #expect(
      try await owners.verdict(on: references, of: "openai", for: "acme")
        == .refused(references[0], owner: "beta"))
  }

  @Test("An object that is gone is unknown")
  func gone() async throws {
    let owners = ledger.owners
    owners.note([Self.object("file-new", of: .client("acme"))])
    owners.forget("file-new", of: "openai")
    #expect(
      try await owners.verdict(on: Self.references("file-new"), of: "openai", for: "acme")
        != .passes)
  }

  @Test("Without references the ledger isn't asked")
  func nothing() async throws {
    #expect(try await ledger.owners.verdict(on: [], of: "openai", for: "acme") == .passes)
    #expect(ledger.asked.isEmpty)
  }

  @Test("Many objects are asked for together, some hundred at a time")
  func many() async throws {
    let ids = (0..<450).map { "file-\($0)" }
    let ledger = FakeLedger(
      Dictionary(ids.map { ($0, .client("acme")) }, uniquingKeysWith: { first, _ in first }))
    let verdict = try await ledger.owners.verdict(
      on: ids.map { ObjectReference(.file, $0) }, of: "openai", for: "acme")
    #expect(verdict == .passes)
    #expect(ledger.asked.map(\.count) == [200, 200, 50])
  }

  @Test("A list keeps a client's own and shared objects")
  func owned() async throws {
    let owned = try await ledger.owners.owned(
      ["file-own", "file-other", "file-shared", "file-none"], of: "openai", by: "acme")
    #expect(owned == ["file-own", "file-shared"])
  }

  @Test("Where the ledger can't be asked, nothing passes")
  func unavailable() async throws {
    let owners = ObjectOwners { _, _ throws(LedgerError) in throw .unavailable(reason: "away") }
    await #expect(throws: LedgerError.self) {
      try await owners.verdict(on: Self.references("file-own"), of: "openai", for: "acme")
    }
  }
}
