internal import EventLoop

/// A row that can't be understood, so that a server goes on without it.
public struct UnreadableRow: Hashable, Sendable {
  /// What becomes of what the row says.
  public enum Effect: String, Sendable, Hashable {
    /// All requests of its client are refused: the row may have limited them.
    case closesClient = "client_closed"
    /// The plan allows nothing.
    case closesPlan = "plan_closed"
    /// It limits nobody.
    case isLeftOut = "left_out"
    /// What its client uses isn't charged.
    case isNotBilled = "not_billed"
  }

  /// Whom it concerns, `*` for all clients; nil where even that can't be read.
  public let clientID: String?
  /// What can't be understood, such as `window_end of a budget account`.
  public let record: String
  public let effect: Effect

  public init(clientID: String?, record: String, effect: Effect) {
    self.clientID = clientID
    self.record = record
    self.effect = effect
  }
}

/// Notes the rows that a server goes on without.
public final class UnreadableRows: Sendable {
  private struct State {
    /// Since `begin`.
    var found: Set<UnreadableRow> = []
    var untold: [UnreadableRow] = []
    var told: Set<UnreadableRow> = []
  }

  private let state = Lock(State())

  /// Notes that are kept: a damaged ledger may have any number of such rows.
  static let mostRows = 1_000

  public init() {}

  /// Everything is read anew: what was mended meanwhile isn't found again.
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

  /// Those that were never told of before, to be logged.
  public func take() -> [UnreadableRow] {
    state.withLock { state in
      defer { state.untold = [] }
      return state.untold
    }
  }

  /// The clients whose requests are refused on account of any of them; `*` stands for all.
  public var closedClients: Set<String> {
    state.withLock { state in
      Set(state.found.filter { $0.effect == .closesClient }.compactMap(\.clientID))
    }
  }
}
