internal import Pricing
internal import Time

/// Writes `token_usage`: a client's use on one day, summed in memory and written once a commit.
final class TokenUsageStore {
  private struct ClientDay: Hashable, Comparable {
    var clientID: String
    var day: CivilDate

    static func < (left: ClientDay, right: ClientDay) -> Bool {
      (left.clientID, left.day) < (right.clientID, right.day)
    }
  }

  private struct Sums {
    var tokensInput: Int64 = 0
    var tokensOutput: Int64 = 0
    var conversations: Int64 = 0
    var calls: Int64 = 0
    var costNanoUSD: Int64 = 0
  }

  private let add: Statement
  private var sums = SumsByKey<ClientDay, Sums>()

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    add = try connection.prepare(TokenUsageStore.addSums(connection.dialect))
  }

  func add(_ row: UsageRow, beginsConversation: Bool, _ sign: RowSign = .added) {
    let key = ClientDay(clientID: row.clientID, day: row.day)
    sums.change(key, from: Sums()) { sum in
      sum.tokensInput = sum.tokensInput.addingSaturated(sign.of(row.usage.inputTokens))
      sum.tokensOutput = sum.tokensOutput.addingSaturated(sign.of(row.usage.outputTokens))
      sum.costNanoUSD = sum.costNanoUSD.addingSaturated(sign.of(row.costNanoUSD))
      sum.calls += sign.of(1)
      if beginsConversation { sum.conversations += sign.of(1) }
    }
  }

  /// Writes the sums since the last call, in an order that all servers share, to avoid deadlocks.
  func flush() throws(LedgerError) {
    for (key, sum) in sums.entries.sorted(by: { $0.key < $1.key }) {
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
    sums.removeAll()
  }

  func didRollBack() {
    sums.removeAll()
  }

  private static let added = [
    "tokens_input", "tokens_output", "tokens_total", "conversations_count", "api_calls_count",
    "cost_nano_usd",
  ]
  private static func addSums(_ dialect: Dialect) -> String {
    """
    INSERT INTO token_usage (client_id, day, \(added.joined(separator: ", ")))
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (client_id, day) DO UPDATE SET \(dialect.additions(to: "token_usage", added))
    """
  }
}
