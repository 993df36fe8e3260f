internal import Configuration
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Metering
internal import Objects
internal import Upstream

/// Passes on the results of a batch that aren't settled yet: `GET /v1/files/ID/content` by a client
/// that is quicker than Catraca's own reading of them.
///
/// The answers that a line shows are recorded before the line goes on, so that the client can use
/// them at once. In memory are one piece of the file and one line. Coded results go on decoded.
struct BatchResults: ~Copyable {
  private let forwarded: UnmeteredForwarding
  private let endpoint: Endpoint
  private let facts: RequestFacts
  private let head: UpstreamResponseHead
  private let transfer: Transfer
  private var body: DecodedBody
  /// The beginning of a line that hasn't come whole.
  private var unfinished: [UInt8] = []

  private static let lineEnd = UInt8(ascii: "\n")

  init(
    of batch: BatchObject, for forwarded: UnmeteredForwarding, _ head: UpstreamResponseHead,
    _ transfer: Transfer
  ) {
    self.forwarded = forwarded
    endpoint = batch.endpoint ?? Endpoints.chatCompletions
    var facts = RequestFacts(operation: endpoint.operation, model: "")
    facts.keepsObjects = true
    self.facts = facts
    self.head = head.withoutCoding
    self.transfer = transfer
    body = DecodedBody(of: transfer, head)
  }

  consuming func run() async {
    let exchange = forwarded.pipeline.exchange
    do {
      try await forwarded.begin(head)
      var piece: [UInt8] = []
      while try await body.next(into: &piece) {
        // Earlier pieces have no end of a line. To search them again would take long.
        let begun = unfinished.count
        unfinished += piece
        let end = piece.lastIndex(of: BatchResults.lineEnd).map { begun + $0 + 1 } ?? 0
        // Nobody would own the objects in a line that Catraca doesn't read.
        guard unfinished.count - end <= BatchSubmission.longestLine else {
          throw Refusal.unusableAnswer(
            provider: forwarded.provider.name, .tooLarge(limit: BatchSubmission.longestLine))
        }
        guard end > 0 else { continue }
        let passing = Array(unfinished[..<end])
        unfinished.removeFirst(passing.count)
        try await record(passing)
        try await exchange.write(passing)
      }
      try await record(unfinished)
      try await exchange.finish(unfinished)
    } catch {
      // Either side broke off, or an object can't be recorded. The client must not take what it has
      // for the whole.
      transfer.cancel()
      exchange.abort()
    }
  }

  private func record(_ lines: [UInt8]) async throws(Refusal) {
    let parser = forwarded.pipeline.resources.parser
    var made: [MadeObject] = []
    for line in lines.split(separator: BatchResults.lineEnd) {
      let result = BatchResult(Array(line), to: facts, endpoint: endpoint, parser: parser)
      made += result?.report.madeObjects ?? []
    }
    try await forwarded.record(made)
  }
}

extension UnmeteredForwarding {
  /// Batches that are asked for one file without asking for the file, those begun last first.
  private static let mostBatchesAsked = 64
  private static let batchesAtOnce = 16
  private static let batchPatience = Duration.seconds(30)
  private static let fileContent = "/v1/files/{file}/content"

  /// The batch whose results the request is for, if their lines aren't settled yet and the provider
  /// may keep answers to them.
  func unsettledBatch() async throws(Refusal) -> BatchObject? {
    guard endpoint?.pattern == UnmeteredForwarding.fileContent,
      pipeline.exchange.head.method == .get,
      let file = FreeContent.references(method: "GET", path: path).first?.id
    else { return nil }
    var rest = try await unsettledBatches()[...]
    // Many batches take long to ask for, so the file's purpose tells first whether it has results.
    if rest.count > UnmeteredForwarding.mostBatchesAsked, try await !mayHaveResults(file) {
      return nil
    }
    while !rest.isEmpty {
      let chunk = rest.prefix(UnmeteredForwarding.batchesAtOnce)
      rest = rest.dropFirst(chunk.count)
      for case let batch? in try await batches(Array(chunk))
      where batch.resultFileIDs.contains(file) { return batch }
    }
    return nil
  }

  /// Whether a file is one that a batch has made, or doesn't say what it is.
  private func mayHaveResults(_ file: String) async throws(Refusal) -> Bool {
    let body = try await bodies(["/v1/files/\(file)"])[0]
    guard let body, let root = try? pipeline.resources.parser.parse(body),
      let purpose = root["purpose"]
    else { return true }
    return purpose.isString("batch_output")
  }

  private func unsettledBatches() async throws(Refusal) -> [String] {
    let gateway = pipeline.gateway
    let client = identity.client.id
    let here = gateway.deferredWorks.batches(of: client, at: provider.name)
    let elsewhere = try await gateway.owners.unsettledBatches(
      of: client, at: provider, on: pipeline)
    let known = Set(here.map(\.record.objectID))
    return here.filter(\.keepsAnswers).map(\.record.objectID)
      + elsewhere.filter { !known.contains($0) }
  }

  /// The batches that the provider has of these.
  private func batches(_ ids: [String]) async throws(Refusal) -> [BatchObject?] {
    try await bodies(ids.map { "/v1/batches/\($0)" }).map { body in
      body.flatMap { BatchObject($0, parser: pipeline.resources.parser) }
    }
  }

  /// The provider's answers, decoded; nil for what can't be.
  private func bodies(_ paths: [String]) async throws(Refusal) -> [[UInt8]?] {
    do throws(UpstreamError) {
      var transfers: [Transfer] = []
      for path in paths {
        let call = OwnCall(
          provider: provider, method: .get, path: path,
          patience: UnmeteredForwarding.batchPatience)
        transfers.append(try call.start(on: pipeline.resources.upstream))
      }
      let begun = transfers
      pipeline.exchange.onClientGone = { for transfer in begun { transfer.cancel() } }
      var bodies: [[UInt8]?] = []
      for transfer in transfers {
        let head = try await transfer.head()
        bodies.append(
          try await transfer.body(of: head, atMost: UnmeteredForwarding.largestAnswer))
      }
      return bodies
    } catch {
      throw pipeline.refusal(for: error, of: provider.name)
    }
  }
}
