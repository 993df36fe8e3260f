internal import Configuration
internal import EventLoop
internal import Ledger
internal import Metering
internal import Time

/// The containers of providers whose sessions clients have paid for, and the memory they have.
///
/// A session lasts 20 minutes and is paid for once, whichever answers use its container. A request
/// that names a container doesn't say its memory, so that of the request that made it counts.
///
/// Each process remembers for itself. A forgotten container is charged once more, at the dearest
/// size.
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

  private struct Session {
    /// The name of its price.
    var price: String
    var startedAt: Timestamp
    /// The request that is charged for it; asked again, that is charged the same again.
    var payer: RequestID
  }

  /// Milliseconds that one session lasts.
  private static let length: Int64 = 20 * 60 * 1000
  /// Containers that are remembered at most; those whose sessions ended first make room.
  static let capacity = 16_384

  private let sessions = Lock<[Container: Session]>([:])

  /// How many containers are remembered.
  var count: Int { sessions.withLock(\.count) }

  /// A request whose answer is charged.
  struct Payer {
    let client: String
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
        if let known, known.payer != payer.request,
          now.milliseconds < known.startedAt.milliseconds + Self.length
        {
          return nil
        }
        ContainerSessions.makeRoom(in: &sessions)
        sessions[container] = Session(
          price: price, startedAt: payer.startedAt, payer: payer.request)
        return price
      }
    }
  }

  private static func makeRoom(in sessions: inout [Container: Session]) {
    guard sessions.count >= capacity else { return }
    let starts = sessions.values.map(\.startedAt).sorted()
    let middle = starts[starts.count / 2]
    sessions = sessions.filter { $0.value.startedAt > middle }
  }
}

extension ForwardedRequest {
  /// The report of the answer without sessions of containers that an earlier one was charged for.
  func withUnpaidSessions(_ report: UsageReport) -> UsageReport {
    gateway.containers.charging(
      report,
      to: ContainerSessions.Payer(
        client: request.identity.client.id, provider: quote.provider.name, request: pipeline.id,
        startedAt: pipeline.startedAt), at: gateway.clock())
  }
}

extension Gateway {
  /// The same of work that went on after its answer.
  func withUnpaidSessions(_ report: UsageReport, of row: UsageRow) -> UsageReport {
    containers.charging(
      report,
      to: ContainerSessions.Payer(
        client: row.clientID, provider: row.provider, request: row.requestID,
        startedAt: row.createdAt), at: clock())
  }
}
