import Budgets
import Pricing
import Testing
import Time

@testable import Ledger

@Suite("Requests whose providers go on with the work")
struct DeferredTests {
  private func deferred(
    _ number: Int, _ kind: DeferredRequest.Kind = .response
  ) -> DeferredRequest {
    DeferredRequest(
      kind, objectID: "obj_\(number)", intent: Sample.intent(number), pricedModel: "gpt-4o-mini",
      serviceTier: "flex", imageModel: nil)
  }

  @Test("A start leaves them deferred, with all that is needed to go on")
  func notRecovered() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await ledger.open(Sample.intent(1))
    try await ledger.deferSettlement(of: deferred(1))
    let killed = try folder.copy()
    let restarted = try killed.ledger()
    #expect(restarted.recoveredRequests == 0)
    await restarted.close()
    let reader = try LedgerReader(at: killed.location)
    #expect(try reader.deferredRequests() == [deferred(1)])
    #expect(try reader.usageRows(limit: 10).isEmpty && reader.openIntents().isEmpty)
    let hold = try #require(try reader.deferredRequests().first).recordedHold
    #expect(hold.bound.tokens == 500 && hold.estimate.tokens == 50)
    #expect(hold.places.map(\.subject.description) == ["client:acme"])
    await ledger.close()
  }

  @Test("A start knows whose key at the provider the work began with", arguments: [false, true])
  func ownKey(usesOwnKey: Bool) async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await ledger.open(Sample.intent(1))
    var request = deferred(1)
    request.usesOwnKey = usesOwnKey
    try await ledger.deferSettlement(of: request)
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.deferredRequests().map(\.usesOwnKey) == [usesOwnKey])
  }

  @Test("A start knows the window of a response", arguments: [nil, "2h"])
  func completionWindow(window: String?) async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await ledger.open(Sample.intent(1))
    var request = deferred(1)
    request.completionWindow = window
    try await ledger.deferSettlement(of: request)
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.deferredRequests() == [request])
  }

  @Test("The last row ends it, and a second settlement changes nothing")
  func settledOnce() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await ledger.open(Sample.intent(1))
    try await ledger.deferSettlement(of: deferred(1))
    let last = DeferredSettlement(
      of: Sample.id(1), rows: [Sample.settlement(1)], progress: nil)
    for _ in 0..<2 { try await ledger.settle(last) }
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.deferredRequests().isEmpty)
    #expect(try reader.usageRows(limit: 10) == [Sample.row(1)])
    #expect(try reader.budgetAccounts(liveAt: nil).map(\.tokens) == [110])
    #expect(try reader.audit() == [])
  }

  @Test("Parts are written with the progress that they make")
  func parts() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await ledger.open(Sample.intent(1))
    try await ledger.deferSettlement(of: deferred(1, .batch))
    let progress = DeferredRequest.Progress(settledLines: 2, heldTokens: 280, heldNanoUSD: 1720)
    try await ledger.settle(
      DeferredSettlement(
        of: Sample.id(1), rows: [Sample.settlement(11), Sample.settlement(12)],
        progress: progress))
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.deferredRequests().map(\.progress) == [progress])
    #expect(try reader.usageRows(limit: 10).count == 2)
    try await ledger.settle(DeferredSettlement(of: Sample.id(1), rows: [], progress: nil))
    #expect(try reader.deferredRequests().isEmpty)
    #expect(try reader.audit() == [])
    await ledger.close()
  }

  @Test("What the provider names twice is kept once")
  func sameObject() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    var second = deferred(2)
    second.objectID = "obj_1"
    for request in [deferred(1), second] { try await ledger.deferSettlement(of: request) }
    await ledger.close()
    let requests = try LedgerReader(at: folder.location).deferredRequests()
    #expect(requests.map(\.requestID) == [Sample.id(1)])
  }

  @Test("While the database can't be written, the spool keeps both steps")
  func spooled() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    for number in 1...2 { try await ledger.open(Sample.intent(number)) }
    let obstacle = try folder.obstacle()
    for number in 1...2 { try await ledger.deferSettlement(of: deferred(number)) }
    try await ledger.settle(
      DeferredSettlement(of: Sample.id(1), rows: [Sample.settlement(1)], progress: nil))
    try await ledger.settle(
      DeferredSettlement(
        of: Sample.id(2), rows: [Sample.settlement(12)],
        progress: DeferredRequest.Progress(settledLines: 1, heldTokens: 7, heldNanoUSD: 9)))
    #expect(ledger.health.spooledEntries == 4)
    let killed = try folder.copy()
    try obstacle.remove()
    await ledger.close()
    for folder in [folder, killed] {
      let ledger = try folder.ledger()
      #expect(ledger.recoveredRequests == 0)
      await ledger.close()
      let reader = try LedgerReader(at: folder.location)
      let request = try #require(try reader.deferredRequests().first)
      #expect(request.requestID == Sample.id(2) && request.serviceTier == "flex")
      #expect(request.progress.settledLines == 1 && request.progress.heldTokens == 7)
      #expect(
        Set(try reader.usageRows(limit: 10).map(\.requestID)) == [Sample.id(1), Sample.id(12)])
      #expect(try reader.audit() == [])
    }
  }
}
