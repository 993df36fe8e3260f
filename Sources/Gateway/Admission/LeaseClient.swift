public import Budgets
internal import EventLoop
internal import JSON
internal import Ledger
internal import Logging
internal import Time

/// Where requests ask for leases that their budgets lack: one question to the ledger at a time.
///
/// Requests that come while the ledger answers wait for the next round trip. A burst therefore
/// costs few round trips, and draws one slice for all of it instead of a slice for each request.
final class LeaseClient: Sendable {
  private struct Round {
    var requests: [LeaseRequest] = []
    var tasks: [CheckedContinuation<Bool, Never>] = []
  }

  private struct State {
    var next = Round()
    var isAsking = false
    /// Whether the ledger couldn't be asked the last time.
    var isFailing = false
  }

  private let lender: any LeaseLender
  private let state = Lock(State())

  init(_ lender: any LeaseLender) {
    self.lender = lender
  }

  /// Asks for leases; returns when `take` has been called with the answers, or false where the
  /// ledger can't be asked.
  func draw(
    _ requests: [LeaseRequest], take: @escaping @Sendable ([LeaseAnswer]) -> Void
  ) async -> Bool {
    await withCheckedContinuation { task in
      let begins = state.withLock { state in
        state.next.requests += requests
        state.next.tasks.append(task)
        defer { state.isAsking = true }
        return !state.isAsking
      }
      if begins { Task { await ask(take) } }
    }
  }

  /// Whether the ledger couldn't be asked the last time.
  var isFailing: Bool { state.withLock { $0.isFailing } }

  /// Whether there is somebody to give leases back to.
  var canBeGivenBack: Bool { lender.isAtHand }

  private func ask(_ take: @Sendable ([LeaseAnswer]) -> Void) async {
    while let round = nextRound() {
      let isAnswered: Bool
      do {
        take(try await lender.draw(LeaseClient.merged(round.requests)))
        isAnswered = true
      } catch {
        isAnswered = false
      }
      state.withLock { $0.isFailing = !isAnswered }
      for task in round.tasks { task.resume(returning: isAnswered) }
    }
  }

  private func nextRound() -> Round? {
    state.withLock { state in
      guard !state.next.tasks.isEmpty else {
        state.isAsking = false
        return nil
      }
      defer { state.next = Round() }
      return state.next
    }
  }

  /// One request for each lease: all that is wanted of it, and the least that is of use to one.
  static func merged(_ requests: [LeaseRequest]) -> [LeaseRequest] {
    var merged: [LeaseRequest] = []
    var places: [LeaseID: Int] = [:]
    for request in requests {
      guard let place = places[request.lease] else {
        places[request.lease] = merged.count
        merged.append(request)
        continue
      }
      let former = merged[place]
      merged[place] = LeaseRequest(
        of: request.source, limits: request.limits,
        least: former.least.least(request.least), wanted: former.wanted.adding(request.wanted),
        lease: request.lease)
    }
    return merged
  }

  func giveBack(_ returns: [LeaseReturn]) async throws(LedgerError) {
    guard !returns.isEmpty else { return }
    try await lender.giveBack(returns)
  }

  /// Asks whether a conversation may go on or begin; nil where the ledger can't be asked.
  func permit(_ request: ConversationRequest) async -> ConversationAnswer? {
    do { return try await lender.permit(request) } catch { return nil }
  }

  func giveBack(_ returns: [ConversationReturn]) async throws(LedgerError) {
    guard !returns.isEmpty else { return }
    try await lender.giveBack(returns)
  }

  func standings(
    from place: StandingsPage.Place, at now: Timestamp
  ) async throws(LedgerError) -> StandingsPage {
    try await lender.standings(from: place, limit: LeaseClient.standingsPerPage, at: now)
  }

  private static let standingsPerPage = 1_000
}

extension Gateway {
  /// How often requests that wait for leases ask again.
  private static let waitingInterval = Duration.milliseconds(200)
  /// The waits from one renewal to the next. A renewal also reads the figures of other replicas,
  /// and gives idle leases back.
  private static let waitsPerRenewal = 5
  /// A lease that wasn't used for so long is given back.
  private static let idleTime = Duration.seconds(3)

  /// Keeps leases in step with the ledger and with other replicas, until the task is cancelled.
  public func keepLeases() async {
    guard let leases = controller.leases else { return }
    var round = 0
    var place = StandingsPage.Place.beginning
    while true {
      do { try await Task.sleep(for: Gateway.waitingInterval) } catch { return }
      round += 1
      await controller.giveBackPermits(to: leases)
      _ = await controller.leaseForWaiting(at: leases)
      guard round.isMultiple(of: Gateway.waitsPerRenewal) else { continue }
      if leases.canBeGivenBack { await controller.giveBack(idleFor: Gateway.idleTime, to: leases) }
      do {
        repeat {
          place = try await controller.learn(from: place, of: leases, at: clock())
        } while place == .credits(after: 0)
      } catch {
        logger.log(.warn, "ledger_not_followed") { $0.member("reason", error.description) }
      }
    }
  }

  /// Other replicas wait for what this one has leased of these and doesn't use.
  public func giveBackFree(of sources: [LeaseSource]) async {
    if let leases = controller.leases { await controller.giveBackFree(of: sources, to: leases) }
  }

  /// Other replicas have taken this one for dead.
  public func voidLeases() {
    controller.voidLeases()
  }

  /// Gives back all leases, when nothing is held any more.
  public func giveBackLeases() async {
    if let leases = controller.leases { await controller.giveBackEverything(to: leases) }
  }
}
