internal import Budgets

/// How much of what is left of a limit one replica draws at once.
///
/// Plenty where plenty is left, so that the next requests need no round trip; and down to what one
/// request needs as the limit nears, so that the replicas can use up together what is left.
enum LeaseSlice {
  /// Every replica could draw so many slices of what is left.
  static let slicesPerReplica: Int64 = 4

  /// Nil where less is left than the least that is of use.
  ///
  /// - Parameters:
  ///   - limit: nil where the unit isn't limited; then nothing is drawn of it.
  ///   - spent: settled and leased, to whomever.
  ///   - replicas: how many share the limit, at least one.
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
