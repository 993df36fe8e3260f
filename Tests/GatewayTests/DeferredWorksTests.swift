import Budgets
import JSON
import Ledger
import Metering
import Money
import Pricing
import Testing
import Time

@testable import Gateway

@Suite("Work that outlives its answer has a place, and is charged once")
struct DeferredWorksTests {
  private typealias Origin = DeferredWork.Origin

  /// Work of `client` that the provider calls `id`.
  private func work(
    _ id: String, client: String = "acme", place: DeferredPlace? = nil, origin: Origin?
  ) throws -> DeferredWork {
    let record = try DeferredRequest.sample(id, client: client)
    var budgets = try BudgetState([], policy: BudgetPolicy(rates: .usdOnly))
    let grant = budgets.restore(record.recordedHold, at: record.expected.row.createdAt)
    return DeferredWork(record, grant, place: place, origin: origin)
  }

  private func origin(_ key: String?, client: String = "acme") -> Origin {
    Origin(clientID: client, idempotencyKey: key)
  }

  // MARK: Places

  @Test("A client has its share of the places, and no more")
  func share() throws {
    let works = DeferredWorks(largestCount: 5, largestShare: 2)
    let own = try [works.takePlace(for: "a"), works.takePlace(for: "a")]
    #expect(throws: DeferredWorks.Full.client) { try works.takePlace(for: "a") }
    let others = try ["b", "b", "c"].map { client in try works.takePlace(for: client) }
    #expect(throws: DeferredWorks.Full.all) { try works.takePlace(for: "d") }
    #expect(throws: DeferredWorks.Full.client) { try works.takePlace(for: "a") }
    withExtendedLifetime((own, others)) { #expect(works.count(of: "a") == 2) }
  }

  @Test("Requests that come together don't pass the limit together")
  func together() async throws {
    let works = DeferredWorks(largestCount: 1_000, largestShare: 100)
    let places = await withTaskGroup(of: DeferredPlace?.self) { group in
      for _ in 0..<400 { group.addTask { try? works.takePlace(for: "a") } }
      var places: [DeferredPlace] = []
      for await place in group { if let place { places.append(place) } }
      return places
    }
    #expect(places.count == 100 && works.count(of: "a") == 100)
  }

  @Test("A place is free again when nothing has it any more, once")
  func givenBack() throws {
    let works = DeferredWorks(largestCount: 2, largestShare: 2)
    do {
      let refused = try works.takePlace(for: "a")
      #expect(works.count(of: "a") == 1)
      withExtendedLifetime(refused) {}
    }
    #expect(works.count(of: "a") == 0)
    do {
      let place = try works.takePlace(for: "a")
      let work = try work("r1", client: "a", place: place, origin: origin(nil, client: "a"))
      guard case .inserted = works.insert(work) else { throw Unexpected() }
    }
    #expect(works.count(of: "a") == 1)
    works.remove(DeferredWork.ID(provider: "openai", object: "r1"))
    #expect(works.count(of: "a") == 0)
    works.remove(DeferredWork.ID(provider: "openai", object: "r1"))
    #expect(works.count(of: "a") == 0)
  }

  @Test("Work of an earlier process counts, even above the limit")
  func restored() throws {
    let works = DeferredWorks(largestCount: 1, largestShare: 1)
    let places = (1...3).map { _ in works.takePlaceAnyway(for: "a") }
    #expect(throws: DeferredWorks.Full.client) { try works.takePlace(for: "a") }
    withExtendedLifetime(places) { #expect(works.count(of: "a") == 3) }
  }

  // MARK: Asked again

  @Test(
    "Only the same client's repeat of the same key is the same work",
    arguments: [
      ("k1", "acme", "k1", "acme", true), ("k1", "acme", "k2", "acme", false),
      ("k1", "acme", "k1", "other", false), (nil, "acme", nil, "acme", false),
      ("k1", "acme", nil, "acme", false), (nil, "acme", "k1", "acme", false),
      ("", "acme", "", "acme", false),
    ] as [(String?, String, String?, String, Bool)])
  func repeats(
    _ first: String?, _ client: String, _ second: String?, _ other: String, _ isRepeat: Bool
  ) throws {
    let works = DeferredWorks()
    let known = try work("r1", client: client, origin: origin(first, client: client))
    guard case .inserted = works.insert(known) else { throw Unexpected() }
    let later = try work("r1", client: other, origin: origin(second, client: other))
    switch works.insert(later) {
    case .repeated(let found): #expect(isRepeat && found === known)
    case .taken: #expect(!isRepeat)
    case .inserted: Issue.record("two pieces of work have one id")
    }
  }

  @Test("After its end the work is still known to who asks for it again, and to nobody else")
  func endedWork() throws {
    let works = DeferredWorks()
    let id = DeferredWork.ID(provider: "openai", object: "r1")
    guard case .inserted = works.insert(try work("r1", origin: origin("k1"))) else {
      throw Unexpected()
    }
    works.remove(id)
    guard case .repeated(nil) = works.insert(try work("r1", origin: origin("k1"))) else {
      throw Unexpected()
    }
    guard case .ended = works.earlier(id, than: origin("k1")) else { throw Unexpected() }
    #expect(works.earlier(id, than: origin(nil)) == nil)
    #expect(works.earlier(id, than: origin("k1", client: "other")) == nil)
  }

  @Test("What has ended is remembered within bounds, the latest longest")
  func bounds() {
    let works = DeferredWorks()
    for number in 0...DeferredWorks.remembered {
      works.noteEnded(DeferredWork.ID(provider: "p", object: "\(number)"), origin("k"))
    }
    #expect(works.earlier(DeferredWork.ID(provider: "p", object: "0"), than: origin("k")) == nil)
    #expect(works.earlier(DeferredWork.ID(provider: "p", object: "1"), than: origin("k")) != nil)
    let longKey = String(repeating: "k", count: 257)
    #expect(origin(longKey).idempotencyKey == nil)
  }

  @Test("Work of an earlier process is known by its client, if that sends a key")
  func earlierProcess() throws {
    let works = DeferredWorks()
    guard case .inserted = works.insert(try work("r1", origin: nil)) else { throw Unexpected() }
    guard case .repeated = works.insert(try work("r1", origin: origin("k"))) else {
      throw Unexpected()
    }
    guard case .taken = works.insert(try work("r1", origin: origin(nil))) else {
      throw Unexpected()
    }
    let other = try work("r1", client: "other", origin: origin("k", client: "other"))
    guard case .taken = works.insert(other) else { throw Unexpected() }
  }
}

@Suite("Work that ends without usage is never charged nothing")
struct UnreportedWorkTests {
  private func completion(_ body: String?, _ outcome: Outcome) -> Completion {
    var facts = RequestFacts(operation: .responses, model: "m")
    facts.isBackground = true
    let report = body.map { body in
      AnswerMeter.read(
        Array(body.utf8), to: facts, endpoint: Endpoints.responses, parser: JSONParser())
    }
    return Completion(status: 200, outcome: outcome, report: report)
  }

  @Test(
    "What can't be learned is charged the rest of the hold",
    arguments: [
      (.response, nil, .upstreamBroken, .rest), (.batch, nil, .upstreamBroken, .rest),
      (.batch, #"{"id":"b","status":"completed"}"#, .ok, .rest),
      (.batch, #"{"id":"b","status":"cancelled"}"#, .clientDisconnected, .rest),
      (.response, #"{"id":"r","status":"cancelled"}"#, .clientDisconnected, .written),
      (.response, #"{"id":"r","status":"completed"}"#, .ok, .written),
      (.response, #"{"id":"r","status":"failed"}"#, .providerError, .recorded),
    ] as [(DeferredRequest.Kind, String?, Outcome, UnreportedWork)])
  func rules(
    _ kind: DeferredRequest.Kind, _ body: String?, _ outcome: Outcome, _ expected: UnreportedWork
  ) {
    #expect(UnreportedWork(kind, completion(body, outcome)) == expected)
  }

  @Test("The rest is what the lines of a batch have left")
  func rest() throws {
    var request = try DeferredRequest.sample("b1", client: "acme")
    #expect(request.restOfHold.totalTokens == 500)
    request.progress = .init(settledLines: 3, heldTokens: 120, heldNanoUSD: 400)
    #expect(request.restOfHold.totalTokens == 120)
    request.progress.heldTokens = 7
    #expect(request.restOfHold == Usage(inputTokens: 7))
    request.progress.heldTokens = -3
    #expect(request.restOfHold == .zero)
  }

  @Test(
    "A line that says nothing of its usage has its share of the hold, as far as that is left",
    arguments: [
      (5, 500, 2000, 100, 400), (5, 70, 2000, 70, 400), (5, 0, 10, 0, 10),
      (nil, 500, 2000, 500, 2000),
      (0, 500, 2000, 500, 2000), (.max, 500, 2000, 0, 0), (5, -1, -1, 0, 0),
    ] as [(Int64?, Int64, Int64, Int64, Int64)])
  func shares(
    _ lines: Int64?, _ leftTokens: Int64, _ leftNanoUSD: Int64, _ tokens: Int64, _ nanoUSD: Int64
  ) throws {
    var request = try DeferredRequest.sample("b1", client: "acme")
    request.progress = .init(
      settledLines: 1, heldTokens: leftTokens, heldNanoUSD: leftNanoUSD)
    let share = request.shareOfHold(amongLines: lines)
    #expect(share.usage.totalTokens == tokens && share.nanoUSD == nanoUSD)
  }

  @Test(
    "What was written is at least the recorded estimate, and at most the hold",
    arguments: [(0, 30), (30, 30), (31, 31), (480, 480), (481, 480), (.max, 480)]
      as [(Int64, Int64)])
  func written(_ tokens: Int64, _ expected: Int64) throws {
    let request = try DeferredRequest.sample("r1", client: "acme")
    let usage = request.estimate(withOutputAtLeast: tokens)
    #expect(usage == Usage(inputTokens: 20, outputTokens: expected))
  }
}

private struct Unexpected: Error {}

extension DeferredRequest {
  /// Of 500 tokens that are held, 50 are expected to be used.
  fileprivate static func sample(_ id: String, client: String) throws -> DeferredRequest {
    let now = try #require(Timestamp(rfc3339: "2026-11-22T07:30:00.123Z"))
    let usage = try #require(Usage(inputTokens: 20, outputTokens: 30))
    let intent = Intent(
      requestID: RequestIDSource().next(at: now), clientID: client, keyName: "web",
      provider: "openai", model: "gpt-5-mini", operation: .responses, endpoint: "/v1/responses",
      isStream: false, heldTokens: 500, heldNanoUSD: 2000,
      estimate: Intent.Estimate(
        usage: usage, costNanoUSD: 140, cost: Money(nanoUnits: 140, currency: .usd),
        priceVersion: nil, priceRecord: nil, charges: []),
      createdAt: now, day: try #require(CivilDate(year: 2026, month: 11, day: 22)))
    return DeferredRequest(
      .response, objectID: id, intent: intent, pricedModel: nil, serviceTier: nil, imageModel: nil)
  }
}
