internal import Budgets
internal import Configuration
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Logging
internal import Metering
internal import Money
internal import Objects
internal import Pricing
internal import Upstream

/// A request for a batch: its input file is read from the provider, each line is priced and bounded
/// as the request that it is, at the prices of batches, and the sum is what the batch may cost.
struct BatchSubmission {
  private let pipeline: RequestPipeline
  private let identity: Identity
  private let provider: Provider
  private let batch: BatchRequest
  private let body: [UInt8]

  /// The most requests in a batch, as OpenAI has it.
  static let mostLines: Int64 = 50_000
  /// The longest line of a file, in bytes.
  static let longestLine = 16 << 20
  /// How long the provider may be silent while it sends the file.
  private static let patience = Duration.seconds(30)

  init(
    for pipeline: RequestPipeline, identity: Identity, providerName: String?
  ) async throws(Refusal) {
    self.pipeline = pipeline
    self.identity = identity
    provider = try pipeline.provider(named: providerName)
    body = try await MeteredRequest.readBody(of: pipeline)
    do {
      batch = try BatchRequest(body, parser: pipeline.resources.parser)
    } catch {
      throw .unreadable(error)
    }
    try identity.check(.batch)
  }

  /// The batch as one request, and what it may cost.
  func read() async throws(Refusal) -> (MeteredRequest, Quote) {
    let client = identity.client.id
    var sum = BatchSum(
      countingBy: pipeline.gateway.controller.read { budgets in
        Set([.user, .conversation].filter { budgets.hasBudget(per: $0, for: client) })
      })
    var objects = BatchObjects()
    try await pipeline.gateway.owners.check(
      batch.references + ObjectReferences.inFields(pipeline.exchange.head.fields), of: provider,
      for: identity, on: pipeline)
    var splitter = LineSplitter(longest: BatchSubmission.longestLine)
    do {
      let call = OwnCall(
        provider: provider, method: .get, path: "/v1/files/\(batch.inputFileID)/content",
        patience: BatchSubmission.patience)
      let transfer = try call.start(on: pipeline.resources.upstream)
      let head = try await transfer.head()
      guard head.status == 200 else {
        transfer.cancel()
        throw unreadableFile("the id of a file that the provider has")
      }
      var file = DecodedBody(of: transfer, head)
      var piece: [UInt8] = []
      while try await file.next(into: &piece) {
        for line in try splitter.receive(piece) { try add(line, to: &sum, &objects) }
        if objects.count >= BatchObjects.mostAtOnce { try await check(&objects) }
      }
    } catch let error as Refusal {
      throw error
    } catch let error as UpstreamError {
      throw pipeline.refusal(for: error, of: provider.name)
    } catch {
      throw unreadableFile("a file whose lines have \(BatchSubmission.longestLine) bytes at most")
    }
    if let last = splitter.finish() { try add(last, to: &sum, &objects) }
    try await check(&objects)
    guard let first = sum.first else { throw unreadableFile("a file with at least one request") }
    return try whole(sum, first)
  }

  /// Whether the objects that lines name are the client's own.
  private func check(_ objects: inout BatchObjects) async throws(Refusal) {
    let references = objects.takeReferences()
    do throws(Refusal) {
      try await pipeline.gateway.owners.check(
        references, of: provider, for: identity, on: pipeline)
    } catch {
      guard case .unknownObject(let reference) = error, let line = objects.line(of: reference)
      else { throw error }
      throw .batchLine(line, error)
    }
  }

  private func add(
    _ line: [UInt8], to sum: inout BatchSum, _ objects: inout BatchObjects
  ) throws(Refusal) {
    let number = sum.lines + 1
    guard number <= BatchSubmission.mostLines else {
      throw unreadableFile("a file of \(BatchSubmission.mostLines) requests at most")
    }
    do throws(Refusal) {
      let facts = try facts(of: line)
      try add(facts, to: &sum)
      objects.add(facts.references, ofLine: number)
      // Lines can't be changed: an id that isn't the client's own can't be left out.
      objects.add(
        facts.itemIDs.map { ObjectReference(.item, $0, at: "input") }, ofLine: number)
    } catch {
      throw .batchLine(number, error)
    }
  }

  private func facts(of line: [UInt8]) throws(Refusal) -> RequestFacts {
    do {
      return try BatchLine(
        line, endpoint: batch.endpoint, parser: pipeline.resources.parser,
        ownBeginning: provider.isShared
          ? Forwarding.ownBeginning(of: identity.client.id) : nil
      ).facts
    } catch {
      throw .unreadable(error)
    }
  }

  private func add(_ facts: RequestFacts, to sum: inout BatchSum) throws(Refusal) {
    try identity.check(facts)
    let request = try MeteredRequest(
      of: facts, endpoint: batch.endpoint, body: [], identity: identity, provider: provider,
      pipeline)
    let quote = try Quote(for: request, in: pipeline)
    if let first = sum.first, first.quote.modelName != quote.modelName {
      throw .unreadable(.invalid(param: "model", expected: "the same in all lines of a batch"))
    }
    if facts.asksForAgents { try pipeline.checkAgents(of: request, quote) }
    let caller = request.caller(for: quote)
    try checkTools(of: facts, sum, caller, quote.demand)
    sum.add(facts, quote, of: caller)
    guard sum.namesFewEnough else {
      throw .unreadable(
        .invalid(
          param: "input_file_id",
          expected: "a file whose lines name at most \(BatchSum.mostSubjects) users and as many "
            + "conversations, since a budget counts each of them"))
    }
  }

  /// Checks what can't be told or set later: results don't name the model that drew, and a line in
  /// a file can't be given a limit of calls.
  private func checkTools(
    of facts: RequestFacts, _ sum: BatchSum, _ caller: Caller, _ demand: Demand
  ) throws(Refusal) {
    if let drawing = facts.imageToolModel, sum.imageToolModel ?? drawing != drawing {
      throw .unreadable(
        .invalid(param: "tools", expected: "one model that draws, in all lines of a batch"))
    }
    if facts.lacksCallLimit, pipeline.gateway.controller.hasHardBudget(for: caller, demand) {
      throw .unreadable(
        .unsupported(
          param: "max_tool_calls",
          reason: "The provider may call its tools as often as it likes, which a hard budget can't "
            + "pay for: set 'max_tool_calls' in each line that declares such tools."))
    }
  }

  private func whole(
    _ sum: BatchSum, _ first: BatchSum.First
  ) throws(Refusal) -> (MeteredRequest, Quote) {
    var facts = RequestFacts(operation: .batch, model: first.model)
    facts.serviceTier = BatchLine.tier
    facts.input = sum.input
    facts.imageToolModel = sum.imageToolModel
    facts.keepsObjects = sum.keepsAnswers
    facts.linesNameCallers = sum.linesNameCallers
    let request = try MeteredRequest(
      of: facts, endpoint: Endpoints.batches, body: body, identity: identity, provider: provider,
      pipeline)
    return (request, Quote(sumOf: sum, like: first.quote, rates: pipeline.rules.prices.rates))
  }

  private func unreadableFile(_ expected: String) -> Refusal {
    .unreadable(.invalid(param: "input_file_id", expected: expected))
  }
}
