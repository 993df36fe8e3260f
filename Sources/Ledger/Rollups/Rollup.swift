internal import Money
internal import Pricing

/// The common values of the rows in one line of a rollup.
protocol RollupKey: Hashable, Comparable {
  static var table: String { get }
  /// The columns of the primary key, each with its expression for a row of `usage_logs`.
  static func columns(_ dialect: Dialect) -> [(name: String, ofRow: String)]

  /// Writes the values in the order of `columns`.
  func write(to parameters: inout ParameterWriter)
}

extension RollupKey {
  static var columnNames: [String] { columns(.sqlite).map(\.name) }
}

/// The sums of the rows with one key.
struct RollupSums {
  private var requests: Int64 = 0
  private var tokensInput: Int64 = 0
  private var tokensOutput: Int64 = 0
  private var conversations: Int64 = 0
  private var costNanoUSD: Int64 = 0
  private var costNano: Int64 = 0
  private var providerDifference: Int64 = 0

  /// The columns, each with the amount that a row of `usage_logs` adds.
  static let columns: [(name: String, ofRow: String)] = [
    ("requests", "1"), ("tokens_input", "prompt_tokens"), ("tokens_output", "completion_tokens"),
    ("conversations", "begins_conversation"), ("cost_nano_usd", "cost_nano_usd"),
    ("cost_nano", "cost_nano"), ("provider_difference_nano_usd", UsageRow.providerDifferenceColumn),
  ]

  mutating func add(_ row: UsageRow, beginsConversation: Bool, _ sign: RowSign) {
    requests += sign.of(1)
    tokensInput = tokensInput.addingSaturated(sign.of(row.usage.inputTokens))
    tokensOutput = tokensOutput.addingSaturated(sign.of(row.usage.outputTokens))
    if beginsConversation { conversations += sign.of(1) }
    costNanoUSD = costNanoUSD.addingSaturated(sign.of(row.costNanoUSD))
    costNano = costNano.addingSaturated(sign.of(row.cost.nanoUnits))
    providerDifference = providerDifference.addingSaturated(sign.of(row.providerDifference))
  }

  /// Writes the sums in the order of `columns`.
  func write(to parameters: inout ParameterWriter) {
    parameters.write("requests", requests)
    parameters.write("tokens_input", tokensInput)
    parameters.write("tokens_output", tokensOutput)
    parameters.write("conversations", conversations)
    parameters.write("cost_nano_usd", costNanoUSD)
    parameters.write("cost_nano", costNano)
    parameters.write("provider_difference_nano_usd", providerDifference)
  }

  /// Selects the lines of a rollup, computed from all rows.
  static func selectFromRows<Key: RollupKey>(by key: Key.Type, _ dialect: Dialect) -> String {
    let keys = key.columns(dialect).map(\.ofRow).joined(separator: ", ")
    let sums = columns.map { dialect.total($0.ofRow) }.joined(separator: ", ")
    return "SELECT \(keys), \(sums) FROM usage_logs GROUP BY \(keys)"
  }
}

/// One rollup table. Sums are computed in memory and written once a commit.
final class Rollup<Key: RollupKey> {
  private let add: Statement
  private var sums = SumsByKey<Key, RollupSums>()

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    add = try connection.prepare(Rollup.addSums(connection.dialect))
  }

  func add(_ row: UsageRow, to key: Key, beginsConversation: Bool, _ sign: RowSign) {
    sums.change(key, from: RollupSums()) {
      $0.add(row, beginsConversation: beginsConversation, sign)
    }
  }

  /// Writes the sums since the last call, in an order that all servers share, to avoid deadlocks.
  func flush() throws(LedgerError) {
    for (key, sum) in sums.entries.sorted(by: { $0.key < $1.key }) {
      var parameters = ParameterWriter(add)
      key.write(to: &parameters)
      sum.write(to: &parameters)
      try add.run()
    }
    sums.removeAll()
  }

  func didRollBack() {
    sums.removeAll()
  }

  private static func addSums(_ dialect: Dialect) -> String {
    let keys = Key.columnNames
    let names = RollupSums.columns.map(\.name)
    let marks = Array(repeating: "?", count: keys.count + names.count).joined(separator: ", ")
    return """
      INSERT INTO \(Key.table) (\((keys + names).joined(separator: ", "))) VALUES (\(marks))
      ON CONFLICT (\(keys.joined(separator: ", "))) DO UPDATE SET
        \(dialect.additions(to: Key.table, names))
      """
  }
}
