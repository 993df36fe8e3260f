internal import Money
internal import Pricing

/// What the rows of one line of a rollup have in common.
protocol RollupKey: Hashable {
  static var table: String { get }
  /// The columns of its primary key, each with what it is in `usage_logs`.
  static var columns: [(name: String, ofRow: String)] { get }

  /// In the order of `columns`.
  func write(to parameters: inout ParameterWriter)
}

/// What is summed of the rows of one key.
struct RollupSums {
  private var requests: Int64 = 0
  private var tokensInput: Int64 = 0
  private var tokensOutput: Int64 = 0
  private var conversations: Int64 = 0
  private var costNanoUSD: Int64 = 0
  private var costNano: Int64 = 0

  /// The columns, each with its sum over `usage_logs`.
  static let columns: [(name: String, ofRows: String)] = [
    ("requests", "count(*)"), ("tokens_input", "sum(prompt_tokens)"),
    ("tokens_output", "sum(completion_tokens)"), ("conversations", "sum(begins_conversation)"),
    ("cost_nano_usd", "sum(cost_nano_usd)"), ("cost_nano", "sum(cost_nano)"),
  ]

  mutating func add(_ row: UsageRow, beginsConversation: Bool) {
    requests += 1
    tokensInput = tokensInput.addingSaturated(row.usage.inputTokens)
    tokensOutput = tokensOutput.addingSaturated(row.usage.outputTokens)
    if beginsConversation { conversations += 1 }
    costNanoUSD = costNanoUSD.addingSaturated(row.costNanoUSD)
    costNano = costNano.addingSaturated(row.cost.nanoUnits)
  }

  /// In the order of `columns`.
  func write(to parameters: inout ParameterWriter) {
    parameters.write("requests", requests)
    parameters.write("tokens_input", tokensInput)
    parameters.write("tokens_output", tokensOutput)
    parameters.write("conversations", conversations)
    parameters.write("cost_nano_usd", costNanoUSD)
    parameters.write("cost_nano", costNano)
  }

  /// The lines of a rollup as the rows make them.
  static func selectFromRows<Key: RollupKey>(by key: Key.Type) -> String {
    let keys = key.columns.map(\.ofRow).joined(separator: ", ")
    let sums = columns.map(\.ofRows).joined(separator: ", ")
    return "SELECT \(keys), \(sums) FROM usage_logs GROUP BY \(keys)"
  }
}

/// One rollup: sums are made in memory and written once a commit.
final class Rollup<Key: RollupKey> {
  private let add: Statement
  private var sums: [Key: RollupSums] = [:]

  init(_ connection: Connection) throws(LedgerError) {
    add = try connection.prepare(Rollup.addSums)
  }

  func add(_ row: UsageRow, to key: Key, beginsConversation: Bool) {
    sums[key, default: RollupSums()].add(row, beginsConversation: beginsConversation)
  }

  /// Writes what was added since the last time.
  func flush() throws(LedgerError) {
    for (key, sum) in sums {
      var parameters = ParameterWriter(add)
      key.write(to: &parameters)
      sum.write(to: &parameters)
      try add.run()
    }
    sums.removeAll(keepingCapacity: true)
  }

  func didRollBack() {
    sums.removeAll()
  }

  /// Sums stop at the largest integer, which SQLite would leave for a floating number.
  private static var addSums: String {
    let keys = Key.columns.map(\.name)
    let names = RollupSums.columns.map(\.name)
    let marks = Array(repeating: "?", count: keys.count + names.count).joined(separator: ", ")
    let additions = names.map { "\($0) = min(9223372036854775807, \($0) + excluded.\($0))" }
    return """
      INSERT INTO \(Key.table) (\((keys + names).joined(separator: ", "))) VALUES (\(marks))
      ON CONFLICT (\(keys.joined(separator: ", "))) DO UPDATE SET
        \(additions.joined(separator: ", "))
      """
  }
}
