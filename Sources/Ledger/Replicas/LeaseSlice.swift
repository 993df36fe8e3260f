internal import Budgets

/// The size of the slice that a replica draws from the remainder of a limit.
///
/// While much is left, a slice is large, so that the next requests need no round trip. Near the
/// limit, it shrinks to the need of one request, so that the replicas together can use up the
/// remainder.
///
/// Example: 12,000 tokens are left, and 3 replicas share the limit. A replica draws 12,000 / (3 ×
/// 4) = 1,000, or the request's need if that is larger.
enum LeaseSlice {
  /// The number of slices into which each replica's share of the remainder is divided.
  static let slicesPerReplica: Int64 = 4

  /// Returns the size of a slice; nil if less is left than the smallest useful amount.
  ///
  /// - Parameters:
  ///   - limit: The limit; nil if the unit isn't limited, in which case nothing is drawn.
  ///   - spent: Settled use plus the leases of all replicas.
  ///   - replicas: The number of replicas that share the limit, at least one.
  static func amount(
    least: Int64, wanted: Int64, of limit: Int64?, spent: Int64, replicas: Int64
  ) -> Int64? {
    guard let limit else { return 0 }
    let (left, overflows) = limit.subtractingReportingOverflow(spent)
    guard !overflows, least <= left else { return least > 0 ? nil : 0 }
    let share = left / (replicas * slicesPerReplica)
    return max(0, min(left, max(wanted, share)))
  }
}
