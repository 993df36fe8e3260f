internal import Configuration
internal import EventLoop
internal import JSON
internal import Ledger
internal import Logging
internal import Metering
internal import Objects
internal import Time

/// The containers of providers whose sessions clients have paid for, and the memory they have.
///
/// A session lasts 20 minutes and is paid for once, whichever answers use its container. A request
/// that names a container doesn't say its memory, so that of the request that made it counts.
///
/// The ledger records each session with its container, so that a restart and other replicas know
/// it. If the ledger can't be asked, this process knows its own sessions alone.
///
/// Example: an answer at 10:00 makes a container with 4 GB and is charged a session of it. An
/// answer at 10:10 that uses the container is charged nothing for it. One at 10:25 is charged
/// another session of 4 GB.
final class ContainerSessions: Sendable {
  private struct Container: Hashable {
    let client: String
    let provider: String
    let id: String
  }

  /// Containers that are remembered at most; those whose sessions ended first make room.
  static let capacity = 16_384

  private let sessions = Lock<[Container: ContainerSession]>([:])

  /// How many containers are remembered.
  var count: Int { sessions.withLock(\.count) }

  /// A request whose answer is charged.
  struct Payer {
    let client: String
    let key: String
    let provider: String
    let request: RequestID
    let startedAt: Timestamp
  }

  /// The report without the sessions that an earlier answer was charged for, the others at the
  /// prices of their containers' memory.
  func charging(_ report: UsageReport, to payer: Payer, at now: Timestamp) -> UsageReport {
    if report.containers.isEmpty { return report }
    return sessions.withLock { sessions in
      report.charging { used in
        let container = Container(client: payer.client, provider: payer.provider, id: used.id)
        let known = sessions[container]
        let price = used.hasKnownMemory ? used.price : known?.price ?? used.price
        if let known, known.payer != payer.request, known.isLive(at: now) { return nil }
        ContainerSessions.makeRoom(in: &sessions)
        sessions[container] = ContainerSession(
          price: price, startedAt: payer.startedAt, payer: payer.request)
        return price
      }
    }
  }

  /// The containers of an answer without a session that has time left, as far as this process
  /// knows.
  fileprivate func unpaid(
    _ report: UsageReport, by payer: Payer, at now: Timestamp
  ) -> [UsedContainer] {
    sessions.withLock { sessions in
      report.containers.filter { used in
        let container = Container(client: payer.client, provider: payer.provider, id: used.id)
        return sessions[container].map { !$0.isLive(at: now) } ?? true
      }
    }
  }

  /// Takes over a session that the ledger has.
  fileprivate func remember(_ session: ContainerSession, of id: String, for payer: Payer) {
    sessions.withLock { sessions in
      ContainerSessions.makeRoom(in: &sessions)
      sessions[Container(client: payer.client, provider: payer.provider, id: id)] = session
    }
  }

  private static func makeRoom(in sessions: inout [Container: ContainerSession]) {
    guard sessions.count >= capacity else { return }
    let starts = sessions.values.map(\.startedAt).sorted()
    let middle = starts[starts.count / 2]
    sessions = sessions.filter { $0.value.startedAt > middle }
  }
}

extension Gateway {
  /// Records the sessions that an answer begins, before it is charged: of two replicas whose
  /// answers begin a session of one container, the first to record it pays.
  func beginSessions(_ report: UsageReport?, for payer: ContainerSessions.Payer) async {
    guard let report, !report.containers.isEmpty else { return }
    let now = clock()
    let unpaid = containers.unpaid(report, by: payer, at: now)
    if unpaid.isEmpty { return }
    do throws(LedgerError) {
      let known = try await learnSessions(of: unpaid, for: payer)
      let begun = unpaid.filter { !(known[$0.id]?.isLive(at: now) ?? false) }
      if begun.isEmpty { return }
      try await ledger.record(
        begun.map { used in
          let price = used.hasKnownMemory ? used.price : known[used.id]?.price ?? used.price
          return ProviderObject(
            provider: payer.provider, objectID: used.id, kind: .container,
            owner: .client(payer.client), keyName: payer.key, createdAt: now,
            session: ContainerSession(
              price: price, startedAt: payer.startedAt, payer: payer.request))
        })
      // Without replicas nobody else can have been faster.
      if controller.leases != nil { _ = try await learnSessions(of: begun, for: payer) }
    } catch {
      logger.log(.error, "usage_not_recorded") { line in
        line.member("request_id", "\(payer.request)")
        line.member("reason", error.description)
      }
    }
  }

  /// Takes over the sessions that the ledger has; returns them by the containers' ids.
  private func learnSessions(
    of used: [UsedContainer], for payer: ContainerSessions.Payer
  ) async throws(LedgerError) -> [String: ContainerSession] {
    let sessions = try await owners.recorded(used.map(\.id), of: payer.provider)
      .filter { $0.value.owner == .client(payer.client) }.compactMapValues(\.session)
    for (id, session) in sessions { containers.remember(session, of: id, for: payer) }
    return sessions
  }
}

extension ForwardedRequest {
  private var payer: ContainerSessions.Payer {
    ContainerSessions.Payer(
      client: request.identity.client.id, key: request.identity.key.name,
      provider: quote.provider.name, request: pipeline.id, startedAt: pipeline.startedAt)
  }

  /// As `Gateway.beginSessions`.
  func beginSessions(_ report: UsageReport?) async {
    guard let report, !report.containers.isEmpty else { return }
    await gateway.beginSessions(report, for: payer)
  }

  /// The report of the answer without sessions of containers that an earlier one was charged for.
  func withUnpaidSessions(_ report: UsageReport) -> UsageReport {
    gateway.containers.charging(report, to: payer, at: gateway.clock())
  }
}

extension Gateway {
  /// The same of work that went on after its answer.
  func withUnpaidSessions(_ report: UsageReport, of row: UsageRow) async -> UsageReport {
    let payer = ContainerSessions.Payer(
      client: row.clientID, key: row.keyName, provider: row.provider, request: row.requestID,
      startedAt: row.createdAt)
    await beginSessions(report, for: payer)
    return containers.charging(report, to: payer, at: clock())
  }
}
