import Pricing
import Testing
import Time

@testable import Ledger

@Suite struct ClientTests {
  private let folder = TemporaryFolder()

  private func editor(at now: Timestamp = Sample.admitted) throws -> LedgerEditor {
    try LedgerEditor(
      at: folder.location, author: LedgerEditor.Author(actor: "cli:alice", now: now))
  }

  private func client(_ id: String = "acme") -> StoredClient {
    StoredClient(
      id: id, name: "ACME Corp", timeZone: "America/Sao_Paulo",
      metadata: #"{"tier":"gold"}"#, createdAt: Sample.admitted)
  }

  private func key(_ name: String = "web", _ digit: Character = "a") -> StoredKey {
    StoredKey(
      clientID: "acme", name: name, sha256: String(repeating: digit, count: 64),
      models: ["gpt-4o*", #"odd"name"#], operations: [.chat, .embedding],
      expiresAt: Timestamp(rfc3339: "2027-01-01T03:00:00Z"), requestsPerMinute: 600,
      createdAt: Sample.admitted)
  }

  @Test("What is stored is read back as it was, by a reader that was open before")
  func readsBack() throws {
    let editor = try editor()
    let reader = try LedgerReader(at: folder.location)
    try editor.create(client())
    try editor.create(key())
    #expect(try reader.storedClients() == StoredClients(clients: [client()], keys: [key()]))
  }

  @Test("Changes work while a server has the ledger, and before any server had it")
  func worksBesideAServer() async throws {
    try editor().create(client("before"))
    let server = try folder.ledger()
    try editor().create(client("during"))
    try await server.settle(Sample.settlement(1))
    await server.close()
    let stored = try LedgerReader(at: folder.location).storedClients()
    #expect(stored.clients.map(\.id) == ["before", "during"])
  }

  @Test("An id is taken for ever, a deleted client's keys are revoked, and its id has no new ones")
  func deletesForEver() throws {
    let editor = try editor()
    try editor.create(client())
    #expect(throws: LedgerError.alreadyExists(record: "a client acme")) {
      try editor.create(client())
    }
    try editor.create(key())
    try editor.deleteClient("acme")
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.storedClients() == StoredClients(clients: [], keys: []))
    #expect(try reader.storedKeys(ofClient: "acme").map(\.revokedAt) == [Sample.admitted])
    #expect(throws: LedgerError.self) { try editor.create(client()) }
    #expect(throws: LedgerError.self) { try editor.create(key("other", "b")) }
    #expect(throws: LedgerError.notFound(record: "client acme")) {
      try editor.deleteClient("acme")
    }
  }

  @Test("A suspended client stays stored, and is active again when resumed")
  func suspendsAndResumes() throws {
    try editor().create(client())
    let later = Sample.admitted.advanced(by: .seconds(60))
    let suspended = try editor(at: later).setStatus(.suspended, ofClient: "acme")
    #expect(suspended.status == .suspended && suspended.updatedAt == later)
    #expect(try editor().setStatus(.active, ofClient: "acme").status == .active)
    #expect(throws: LedgerError.notFound(record: "client beta")) {
      try editor().setStatus(.active, ofClient: "beta")
    }
  }

  @Test("A key's name is taken until the key is revoked")
  func namesAreFreeAgain() throws {
    let editor = try editor()
    try editor.create(key())
    #expect(throws: LedgerError.alreadyExists(record: "a key web of client acme")) {
      try editor.create(key("web", "b"))
    }
    try editor.revokeKey("web", ofClient: "acme")
    #expect(throws: LedgerError.notFound(record: "key web of client acme")) {
      try editor.revokeKey("web", ofClient: "acme")
    }
    try editor.create(key("web", "b"))
    let keys = try LedgerReader(at: folder.location).storedKeys(ofClient: "acme")
    #expect(keys.map { $0.status(at: Sample.admitted) } == [.revoked, .active])
  }

  @Test("A key's rules change, and nothing else of it")
  func changesRules() throws {
    let editor = try editor()
    try editor.create(key())
    let changed = try editor.updateKey("web", ofClient: "acme") { $0.requestsPerMinute = 7 }
    let stored = try LedgerReader(at: folder.location).storedKeys(ofClient: "acme")
    #expect(stored == [changed])
    #expect(changed.requestsPerMinute == 7 && changed.sha256 == key().sha256)
    #expect(changed.models == key().models && changed.expiresAt == key().expiresAt)
  }

  @Test("Rotating keeps the digest before for the overlap, and forgets the one before that")
  func rotates() throws {
    let editor = try editor()
    try editor.create(key())
    _ = try editor.rotateKey(
      "web", ofClient: "acme", to: String(repeating: "b", count: 64), overlap: .seconds(60))
    let rotated = try editor.rotateKey(
      "web", ofClient: "acme", to: String(repeating: "c", count: 64), overlap: .seconds(10))
    #expect(rotated.sha256.first == "c" && rotated.previousSHA256?.first == "b")
    #expect(rotated.previousExpiresAt == Sample.admitted.advanced(by: .seconds(10)))
    #expect(rotated.models == key().models && rotated.expiresAt == key().expiresAt)
  }

  @Test("Every change has an entry in the audit log, without a digest; a refused one has none")
  func leavesATrail() throws {
    let editor = try editor()
    try editor.create(client())
    try editor.create(key())
    _ = try? editor.create(key())
    _ = try editor.rotateKey(
      "web", ofClient: "acme", to: String(repeating: "b", count: 64), overlap: .zero)
    try editor.revokeKey("web", ofClient: "acme")
    _ = try editor.setStatus(.suspended, ofClient: "acme")
    try editor.deleteClient("acme")
    let select = try folder.connection().prepare(
      "SELECT action || ' ' || target || ' ' || actor, before, after FROM audit_log ORDER BY id")
    var entries: [String] = []
    var objects: [String] = []
    try select.forEachRow { () throws(LedgerError) in
      entries.append(select.text(0) ?? "")
      objects += [select.text(1), select.text(2)].compactMap { $0 }
    }
    #expect(
      entries == [
        "client.create client:acme cli:alice", "key.create key:acme/web cli:alice",
        "key.rotate key:acme/web cli:alice", "key.delete key:acme/web cli:alice",
        "client.update client:acme cli:alice", "client.delete client:acme cli:alice",
      ])
    #expect(objects.count == 8)
    #expect(!objects.contains { $0.contains(String(repeating: "a", count: 13)) })
    #expect(objects.contains { $0.contains(#""models":["gpt-4o*","odd\"name"]"#) })
  }

  @Test("Metering moves the data version alone, a change of a client also the latest change")
  func tellsChangesFromMetering() async throws {
    let server = try folder.ledger()
    let reader = try LedgerReader(at: folder.location)
    let (version, change) = (try reader.dataVersion(), try reader.latestChange())
    #expect(change == 0)
    try await server.settle(Sample.settlement(1))
    #expect(try reader.dataVersion() != version)
    #expect(try reader.latestChange() == 0)
    try editor().create(client())
    #expect(try reader.latestChange() == 1)
    await server.close()
  }

  @Test("A key's latest use is that of its name, and none before it was made")
  func findsLatestUse() async throws {
    let server = try folder.ledger()
    try await server.settle(Sample.settlement(1))
    await server.close()
    let reader = try LedgerReader(at: folder.location)
    func latestUse(_ name: String, since start: Timestamp) throws -> Timestamp? {
      try reader.latestUse(ofKey: name, ofClient: "acme", since: start)
    }
    #expect(try latestUse("web", since: Sample.admitted) == Sample.admitted)
    #expect(try latestUse("web", since: Sample.admitted.advanced(by: .milliseconds(1))) == nil)
    #expect(try latestUse("app", since: Sample.admitted) == nil)
  }
}
