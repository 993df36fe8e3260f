import Objects
import Testing
import Time

@testable import Ledger

@Suite("Objects of several servers on one database", .ofPostgreSQL)
struct ObjectReplicaTests {
  private let folder = TemporaryFolder()

  private func server() throws -> ServerLedger {
    var options = folder.options()
    options.isShared = true
    options.busyTimeoutMilliseconds = 10_000
    return try ServerLedger(options)
  }

  /// The deadlocks that `deadlock_timeout` ended: the servers would each make their transaction
  /// again.
  private func deadlocks() throws -> Int64? {
    try folder.connection().prepare(
      "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    ).firstInteger()
  }

  @Test("What one server has recorded, every other knows once the call has returned")
  func known() async throws {
    let (one, two) = (try server(), try server())
    let reader = try LedgerReader(at: folder.location)
    for number in 1...20 {
      let id = "file-\(number)"
      try await one.record([Sample.object(id)])
      try await two.record([Sample.object(id, of: "globex", after: 1)])
      #expect(try reader.owners(of: [id], provider: "openai")[id] == Sample.object(id))
      try await two.end(id, after: 2)
      #expect(try reader.owners(of: [id], provider: "openai").isEmpty)
    }
    await one.close()
    await two.close()
  }

  @Test("Servers and administrators that change the same objects at once don't block each other")
  func noDeadlocks() async throws {
    let (one, two) = (try server(), try server())
    let objects = (1...200).map { Sample.object("file-\($0)") }
    let location = folder.location
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for _ in 1...30 { try await one.record(objects) } }
      group.addTask {
        for _ in 1...30 {
          try await two.record(objects.reversed())
          for object in objects.suffix(3) {
            try await two.end(object.objectID, of: object.provider, at: object.createdAt)
          }
        }
      }
      group.addTask {
        let editor = try LedgerEditor(
          at: location, author: LedgerEditor.Author(actor: "cli:alice", now: Sample.admitted))
        for round in 1...10 {
          let owner = ProviderObject.Owner.client(round % 2 == 0 ? "acme" : "globex")
          let moved = objects.reversed().map { object in
            var moved = object
            moved.owner = owner
            return moved
          }
          _ = try editor.assign(moved)
        }
      }
      try await group.waitForAll()
    }
    await one.close()
    await two.close()
    #expect(try deadlocks() == 0)
    #expect(try LedgerReader(at: location).objects(limit: 1_000).count == objects.count)
  }
}
