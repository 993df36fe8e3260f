internal import Budgets

/// The changes that make `client_budgets` equal to the configuration's budgets.
package struct BudgetChanges: Sendable {
  /// The budgets that are missing or different in the table.
  var written: ArraySlice<BudgetDefinition>
  /// The IDs of budgets that are no longer declared.
  var removed: ArraySlice<String>

  init(written: [BudgetDefinition], removed: [String]) {
    self.written = written[...]
    self.removed = removed[...]
  }

  var isEmpty: Bool { written.isEmpty && removed.isEmpty }

  /// Removes and returns the changes for one transaction: at most `limit` budgets.
  mutating func takeFirst(_ limit: Int) -> BudgetChanges {
    var first = self
    first.removed = removed.prefix(limit)
    first.written = written.prefix(limit - first.removed.count)
    removed = removed.dropFirst(first.removed.count)
    written = written.dropFirst(first.written.count)
    return first
  }
}
