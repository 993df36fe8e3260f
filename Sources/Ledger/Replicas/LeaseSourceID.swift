/// The row that a lease is taken from. Accounts sort before credits, which is the order in which
/// rows are changed.
enum LeaseSourceID: Hashable, Comparable, CustomStringConvertible {
  case account(Int64)
  case credit(Int64)

  /// The form in messages between replicas: an account is its number alone.
  var description: String {
    switch self {
    case .account(let id): String(id)
    case .credit(let id): "credit:\(id)"
    }
  }

  /// Returns nil for a text of another release.
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
