import Objects
import Testing
import Time

@testable import Ledger

@Suite("Sessions of containers that were paid for") struct ContainerSessionRecordTests {
  private let folder = TemporaryFolder()

  private func container(
    paidBy number: Int, at seconds: Int, client: String = "acme", price: String = "container 1g"
  ) -> ProviderObject {
    var object = Sample.object("cntr_1", of: client, .container, after: seconds)
    object.session = ContainerSession(
      price: price, startedAt: object.createdAt, payer: Sample.id(number))
    return object
  }

  private func session(in folder: TemporaryFolder) throws -> ContainerSession? {
    try LedgerReader(at: folder.location).owners(of: ["cntr_1"], provider: "openai")["cntr_1"]?
      .session
  }

  @Test("The first request keeps its session for 20 minutes, then another one begins")
  func firstPays() async throws {
    let ledger = try folder.ledger()
    let first = container(paidBy: 1, at: 0, price: "container 4g")
    try await ledger.record([first])
    #expect(try session(in: folder) == first.session)
    try await ledger.record([container(paidBy: 2, at: 1_199)])
    #expect(try session(in: folder) == first.session)
    let third = container(paidBy: 3, at: 1_200)
    try await ledger.record([third])
    #expect(try session(in: folder) == third.session)
    await ledger.close()
  }

  @Test("A container that was recorded without a session takes one, if the client owns it")
  func ownedBefore() async throws {
    let ledger = try folder.ledger()
    try await ledger.record([Sample.object("cntr_1", of: "acme", .container)])
    try await ledger.record([container(paidBy: 1, at: 5, client: "other")])
    #expect(try session(in: folder) == nil)
    let own = container(paidBy: 2, at: 5)
    try await ledger.record([own])
    #expect(try session(in: folder) == own.session)
    await ledger.close()
  }

  @Test("A session is read from the spool as it was written")
  func spooled() throws {
    let object = container(paidBy: 1, at: 0)
    let line = String(decoding: Entry.objects([object]).line(), as: UTF8.self)
    guard case .objects(let read) = try Entry(line: line, reader: SettlementReader()) else {
      throw LedgerError.unreadable(record: "an entry of objects")
    }
    #expect(read == [object])
  }
}
