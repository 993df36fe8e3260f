internal import Budgets

/// What `client_budgets` lacks to say what the configuration declares.
package struct BudgetChanges: Sendable {
  /// Those that are written otherwise, or not at all.
  var written: ArraySlice<BudgetDefinition>
  /// The ids of those that are declared no longer.
  var removed: ArraySlice<String>

  init(written: [BudgetDefinition], removed: [String]) {
    self.written = written[...]
    self.removed = removed[...]
  }

  var isEmpty: Bool { written.isEmpty && removed.isEmpty }

  /// Takes out of it what one transaction makes of it: at most `limit` budgets.
  mutating func takeFirst(_ limit: Int) -> BudgetChanges {
    var first = self
    first.removed = removed.prefix(limit)
    first.written = written.prefix(limit - first.removed.count)
    removed = removed.dropFirst(first.removed.count)
    written = written.dropFirst(first.written.count)
    return first
  }
}
