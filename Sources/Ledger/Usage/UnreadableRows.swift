internal import EventLoop

/// A row that can't be understood. The server continues without it.
public struct UnreadableRow: Hashable, Sendable {
  /// The consequence of ignoring the row.
  public enum Effect: String, Sendable, Hashable {
    /// All requests of the client are refused, because the row may have limited them.
    case closesClient = "client_closed"
    /// The plan allows nothing.
    case closesPlan = "plan_closed"
    /// The row limits nothing.
    case isLeftOut = "left_out"
    /// The client's use isn't charged.
    case isNotBilled = "not_billed"
  }

  /// The affected client, or `*` for all clients; nil if the client can't be read.
  public let clientID: String?
  /// The part that can't be understood, for example `window_end of a budget account`.
  public let record: String
  public let effect: Effect

  public init(clientID: String?, record: String, effect: Effect) {
    self.clientID = clientID
    self.record = record
    self.effect = effect
  }
}

/// Notes the rows that a server ignores.
public final class UnreadableRows: Sendable {
  private struct State {
    /// The rows found since `begin`.
    var found: Set<UnreadableRow> = []
    var untold: [UnreadableRow] = []
    var told: Set<UnreadableRow> = []
  }

  private let state = Lock(State())

  /// The most rows that are noted, because a damaged ledger may have any number of them.
  static let mostRows = 1_000

  public init() {}

  /// Starts a new reading. Rows that were repaired since aren't found again.
  public func begin() {
    state.withLock { $0.found = [] }
  }

  public func note(_ row: UnreadableRow) {
    state.withLock { state in
      guard state.found.count < UnreadableRows.mostRows, state.found.insert(row).inserted,
        state.told.count < UnreadableRows.mostRows, state.told.insert(row).inserted
      else { return }
      state.untold.append(row)
    }
  }

  /// Returns the rows that were never returned before, for the log.
  public func take() -> [UnreadableRow] {
    state.withLock { state in
      defer { state.untold = [] }
      return state.untold
    }
  }

  /// The clients whose requests are refused because of an unreadable row; `*` stands for all.
  public var closedClients: Set<String> {
    state.withLock { state in
      Set(state.found.filter { $0.effect == .closesClient }.compactMap(\.clientID))
    }
  }
}
