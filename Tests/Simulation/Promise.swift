import Budgets
import Ledger

/// The ledger's debt to a request, whatever happens from now on.
enum Promise: Equatable {
  /// Its intent was handed in, and nobody knows yet.
  case asked
  /// Its intent is recorded, and it may be at the provider: it must have a row.
  case open
  /// Its end was handed in, and nobody knows yet: its row, or the estimate.
  case ending(UsageRow)
  /// Its end is recorded: this row and no other.
  case ended(UsageRow)
  /// It was given back before it was sent, and nobody knows yet.
  case givingBack
  /// It was never sent: no row.
  case none

  /// Whether a ledger that has recovered keeps the promise with `row`.
  func isKept(by row: UsageRow?, estimate: UsageRow) -> Bool {
    switch self {
    case .asked, .givingBack: row == nil || row == estimate
    case .open: row == estimate
    case .ending(let end): row == end || row == estimate
    case .ended(let end): row == end
    case .none: row == nil
    }
  }
}

/// A request on its way.
struct SimulatedRequest {
  enum Stage {
    /// Its intent is being written.
    case opening
    /// It may be sent, and has perhaps been.
    case forwarded
    /// Its end is being written.
    case ending
  }

  let intent: Intent
  let hold: HoldID
  let price: Int64
  var stage = Stage.opening
}
