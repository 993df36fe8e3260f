/// The row that something is leased of. Accounts come first wherever rows are changed in order.
enum LeaseSourceID: Hashable, Comparable, CustomStringConvertible {
  case account(Int64)
  case credit(Int64)

  /// As replicas tell it each other: an account's is its number alone.
  var description: String {
    switch self {
    case .account(let id): String(id)
    case .credit(let id): "credit:\(id)"
    }
  }

  /// Nil for what another release may say.
  init?(_ text: String) {
    if let id = Int64(text) {
      self = .account(id)
    } else if text.hasPrefix("credit:"), let id = Int64(text.dropFirst("credit:".count)) {
      self = .credit(id)
    } else {
      return nil
    }
  }
}
