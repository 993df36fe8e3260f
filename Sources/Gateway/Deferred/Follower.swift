internal import Configuration
internal import EventLoop
internal import HTTP
internal import JSON
internal import Ledger
internal import Logging
internal import Metering
internal import Time
internal import Upstream

/// Follows one piece of deferred work to its end: asks, waits twice as long, asks again.
final class Follower {
  let work: DeferredWork
  private unowned let poller: WorkPoller
  private let pause = Waiter<Void>()
  /// Whether the poller has given it its turn while it waited for that.
  private var hasTurn = false
  /// The call under way, if any.
  private var transfer: Transfer?
  private var wait = Follower.shortestWait
  /// How often in a row the provider said that there is no such work.
  private var misses = 0
  /// Whether the log says that the configuration has no key for this work any more.
  private var hasToldOfMissingProvider = false

  private static let shortestWait = Duration.seconds(1)
  private static let longestWait = Duration.seconds(60)
  /// After so long the work is settled with its estimate. Providers give up earlier: responses are
  /// made within 8 hours, batches within 7 days.
  private static let longestWork: [DeferredRequest.Kind: Duration] = [
    .response: .seconds(24 * 3600), .batch: .seconds(8 * 24 * 3600),
  ]
  /// So often in a row a provider says that there is no such work until it is believed.
  private static let mostMisses = 6
  /// How long a provider may be silent.
  private static let patience = Duration.seconds(30)
  private static let largestAnswer = 32 << 20

  private var gateway: Gateway { poller.gateway }

  init(of work: DeferredWork, for poller: WorkPoller) {
    self.work = work
    self.poller = poller
  }

  /// The provider's answer.
  private enum Sighting {
    case underway
    case ended(Completion)
    /// A batch has results to be read.
    case results(BatchObject, Completion)
    /// There is no such work.
    case missing
    /// Nothing that could be read.
    case nothing
  }

  func run() async {
    while true {
      await sleep()
      guard isNeeded, await poller.beginTurn(of: self) else { return }
      if isNeeded { await act(on: await look()) }
      poller.endTurn(of: self)
      wait = min(wait * 2, Follower.longestWait)
    }
  }

  private var isNeeded: Bool { !poller.isStopped && !gateway.isStopping && !work.isSettled }

  /// Waits until the poller gives it its turn; false where the poller stops first.
  func waitForTurn() async -> Bool {
    guard !poller.isStopped else { return false }
    await pause.wait()
    defer { hasTurn = false }
    return hasTurn
  }

  func takeTurn() {
    hasTurn = true
    pause.wake()
  }

  func stop() {
    transfer?.cancel()
    pause.wake()
  }

  private func sleep() async {
    guard !poller.isStopped else { return }
    let timer = LoopTimer(on: poller.loop) { [pause] in pause.wake() }
    timer.start(after: wait)
    await pause.wait()
    timer.stop()
  }

  private func act(on sighting: Sighting) async {
    switch sighting {
    case .ended(let completion): return await gateway.settle(work, completion)
    case .results(let batch, let completion):
      await gateway.record(work.objects(completion.report?.madeObjects ?? [], at: gateway.clock()))
      await settle(batch, completion)
    case .underway, .nothing: misses = 0
    case .missing: misses += 1
    }
    guard !work.isSettled else { return }
    let row = work.record.expected.row
    let age = gateway.clock().milliseconds - row.createdAt.milliseconds
    let longest = Follower.longestWork[work.record.kind] ?? Follower.longestWait
    guard misses >= Follower.mostMisses || age > longest.wholeMilliseconds else { return }
    gateway.logger.log(.warn, "deferred_lost") { line in
      row.writeMembers(to: &line)
      line.member("object", work.record.objectID)
    }
    await gateway.settle(work, Completion(status: 200, outcome: .upstreamBroken, report: nil))
  }

  private func look() async -> Sighting {
    do {
      guard let (status, body) = try await get(work.record.path) else { return .nothing }
      return status == 404 ? .missing : read(status, body)
    } catch {
      note(error)
      return .nothing
    }
  }

  private func read(_ status: Int, _ body: [UInt8]) -> Sighting {
    let parser = poller.resources.parser
    let isBatch = work.record.kind == .batch
    let report = AnswerMeter.read(
      body, status: status, to: work.record.facts,
      endpoint: isBatch ? Endpoints.batches : Endpoints.responses, parser: parser)
    guard let completion = Completion(of: work, report, status: status) else {
      return report.work == nil ? .nothing : .underway
    }
    guard isBatch else { return .ended(completion) }
    return BatchObject(body, parser: parser).map { .results($0, completion) } ?? .nothing
  }

  /// Reads a batch's results. If the provider doesn't have the answers any more, the batch is
  /// charged the usage that it reports itself, else what is left of its hold.
  private func settle(_ batch: BatchObject, _ completion: Completion) async {
    if batch.lacksAnswers {
      misses += 1
      if misses >= Follower.mostMisses { await gateway.settle(work, completion) }
      return
    }
    guard let claim = await work.claim() else { return }
    let settling = BatchSettling(
      of: work, claim, batch, gateway: gateway, parser: poller.resources.parser)
    do {
      guard try await readCallers(of: batch, for: settling) else { return await settling.giveUp() }
      for file in batch.resultFileIDs {
        guard let transfer = try start("/v1/files/\(file)/content") else {
          return await settling.giveUp()
        }
        defer { self.transfer = nil }
        let head = try await transfer.head()
        let status = head.status
        if status == 200 {
          try await settling.read(DecodedBody(of: transfer, head))
        } else {
          transfer.cancel()
          if status == 404 { misses += 1 }
          let isLost = status == 404 && misses >= Follower.mostMisses
          // Errors cost nothing, so their file may be missed.
          if isLost && file != batch.outputFileID { break }
          await settling.giveUp()
          if isLost { await gateway.settle(work, completion) }
          return
        }
      }
      await settling.finish()
    } catch {
      note(error)
      await settling.giveUp()
    }
  }

  /// Reads which users and conversations the lines of a batch name. A batch whose input the
  /// provider doesn't have any more is settled without them.
  ///
  /// - Returns: Whether the batch can be settled now.
  private func readCallers(
    of batch: BatchObject, for settling: BatchSettling
  ) async throws -> Bool {
    guard work.linesNameCallers, let file = batch.inputFileID else { return true }
    guard let transfer = try start("/v1/files/\(file)/content") else { return false }
    defer { self.transfer = nil }
    let head = try await transfer.head()
    guard head.status == 200 else {
      transfer.cancel()
      return head.status == 404
    }
    try await settling.readCallers(DecodedBody(of: transfer, head))
    return true
  }

  private func noteMissingProvider() {
    guard !hasToldOfMissingProvider else { return }
    hasToldOfMissingProvider = true
    gateway.logger.log(.warn, "deferred_without_key") { line in
      work.record.expected.row.writeMembers(to: &line)
      line.member("object", work.record.objectID)
      line.member("own_key", work.record.usesOwnKey)
    }
  }

  private func note(_ error: any Error) {
    gateway.logger.log(.debug, "deferred_not_seen") { line in
      work.record.expected.row.writeMembers(to: &line)
      line.member("object", work.record.objectID)
      line.member("reason", "\(error)")
    }
  }

  /// Nil where the provider isn't configured any more, or the answer is too large.
  private func get(_ path: String) async throws(UpstreamError) -> (status: Int, body: [UInt8])? {
    guard let transfer = try start(path) else { return nil }
    defer { self.transfer = nil }
    let head = try await transfer.head()
    guard let body = try await transfer.body(of: head, atMost: Follower.largestAnswer) else {
      return nil
    }
    return (head.status, body)
  }

  /// Nil where the provider isn't configured any more, or the key in whose account the work is.
  private func start(_ path: String) throws(UpstreamError) -> Transfer? {
    guard let provider = gateway.rules().provider(of: work.record) else {
      noteMissingProvider()
      return nil
    }
    let call = OwnCall(
      provider: provider, method: .get, path: path, patience: Follower.patience)
    let transfer = try call.start(on: poller.resources.upstream)
    self.transfer = transfer
    return transfer
  }
}
