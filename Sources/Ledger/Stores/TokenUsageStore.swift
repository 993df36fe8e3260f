internal import Pricing
internal import Time

/// `token_usage`: what a client used on a day, summed in memory and written once a commit.
final class TokenUsageStore {
  private struct ClientDay: Hashable {
    var clientID: String
    var day: CivilDate
  }

  private struct Sums {
    var tokensInput: Int64 = 0
    var tokensOutput: Int64 = 0
    var conversations: Int64 = 0
    var calls: Int64 = 0
    var costNanoUSD: Int64 = 0
  }

  private let add: Statement
  private var sums: [ClientDay: Sums] = [:]

  init(_ connection: Connection) throws(LedgerError) {
    add = try connection.prepare(TokenUsageStore.addSums)
  }

  func add(_ row: UsageRow, beginsConversation: Bool) {
    let key = ClientDay(clientID: row.clientID, day: row.day)
    var sum = sums[key] ?? Sums()
    sum.tokensInput = sum.tokensInput.addingSaturated(row.usage.inputTokens)
    sum.tokensOutput = sum.tokensOutput.addingSaturated(row.usage.outputTokens)
    sum.costNanoUSD = sum.costNanoUSD.addingSaturated(row.costNanoUSD)
    sum.calls += 1
    if beginsConversation { sum.conversations += 1 }
    sums[key] = sum
  }

  /// Writes what was added since the last time.
  func flush() throws(LedgerError) {
    for (key, sum) in sums {
      add.bind(key.clientID, at: 1)
      add.bind(key.day.description, at: 2)
      add.bind(sum.tokensInput, at: 3)
      add.bind(sum.tokensOutput, at: 4)
      add.bind(sum.tokensInput.addingSaturated(sum.tokensOutput), at: 5)
      add.bind(sum.conversations, at: 6)
      add.bind(sum.calls, at: 7)
      add.bind(sum.costNanoUSD, at: 8)
      try add.run()
    }
    sums.removeAll(keepingCapacity: true)
  }

  func didRollBack() {
    sums.removeAll()
  }

  /// Sums stop at the largest integer, which SQLite would leave for a floating number.
  private static let addSums = """
    INSERT INTO token_usage (client_id, day, tokens_input, tokens_output, tokens_total,
      conversations_count, api_calls_count, cost_nano_usd)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (client_id, day) DO UPDATE SET
      tokens_input = min(9223372036854775807, tokens_input + excluded.tokens_input),
      tokens_output = min(9223372036854775807, tokens_output + excluded.tokens_output),
      tokens_total = min(9223372036854775807, tokens_total + excluded.tokens_total),
      conversations_count = conversations_count + excluded.conversations_count,
      api_calls_count = api_calls_count + excluded.api_calls_count,
      cost_nano_usd = min(9223372036854775807, cost_nano_usd + excluded.cost_nano_usd)
    """
}
