import Objects
import Testing
import Time

@testable import Ledger

@Suite("Objects at providers, and whose they are")
struct ProviderObjectTests {
  private let folder = TemporaryFolder()

  private func object(
    _ id: String, of client: String = "acme", _ kind: ObjectKind = .file, after seconds: Int = 0
  ) -> ProviderObject {
    ProviderObject(
      provider: "openai", objectID: id, kind: kind, owner: .client(client), keyName: "web",
      createdAt: Sample.admitted.advanced(by: .seconds(seconds)))
  }

  private func owners(
    _ ids: [String], in folder: TemporaryFolder? = nil
  ) throws -> [String: ProviderObject] {
    try LedgerReader(at: (folder ?? self.folder).location).owners(of: ids, provider: "openai")
  }

  @Test("What an answer shows is its client's with the commit that releases the answer")
  func recorded() async throws {
    let ledger = try folder.ledger()
    var settlement = Sample.settlement(1)
    settlement.objects = [object("resp_1", .response), object("msg_1", .item)]
    try await ledger.settle(settlement)
    try await ledger.record([object("file-1")])
    var deferred = DeferredRequest(
      .response, objectID: "resp_2", intent: Sample.intent(2), pricedModel: nil, serviceTier: nil,
      imageModel: nil)
    deferred.expected.objects = [object("resp_2", .response)]
    try await ledger.deferSettlement(of: deferred)
    var row = Sample.settlement(2)
    row.objects = [object("msg_2", .item)]
    try await ledger.settle(DeferredSettlement(of: Sample.id(2), rows: [row], progress: nil))
    let ids = ["resp_1", "msg_1", "file-1", "resp_2", "msg_2"]
    let killed = try folder.copy()
    #expect(try Set(owners(ids + ["file-2"], in: killed).keys) == Set(ids))
    #expect(try owners(ids)["resp_1"] == object("resp_1", .response))
    #expect(
      try LedgerReader(at: folder.location).owners(of: ids, provider: "groq").isEmpty)
    await ledger.close()
  }
}
