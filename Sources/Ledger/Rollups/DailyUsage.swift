public import Time

/// A client's use on one day of its time zone; a line of `token_usage`.
public struct DailyUsage: Hashable, Sendable {
  public var day: CivilDate
  public var inputTokens: Int64
  public var outputTokens: Int64
  public var totalTokens: Int64
  /// Conversations whose first call of the month was on this day.
  public var conversations: Int64
  public var calls: Int64
  public var costNanoUSD: Int64
}

extension LedgerReader {
  /// Whether any client was ever served.
  /// - Throws: `LedgerError` if the database can't be read.
  public func hasServedClients() throws(LedgerError) -> Bool {
    try connection.prepare("SELECT 1 FROM token_usage LIMIT 1").firstInteger() != nil
  }

  /// Returns the days with use from `first` to `last`, newest first.
  /// - Throws: `LedgerError` if the database can't be read, or a line can't be understood.
  public func dailyUsage(
    ofClient clientID: String, from first: CivilDate, through last: CivilDate
  ) throws(LedgerError) -> [DailyUsage] {
    let select = try connection.prepare(
      """
      SELECT * FROM token_usage WHERE client_id = ? AND day >= ? AND day <= ? ORDER BY day DESC
      """)
    select.bind(clientID, first.description, last.description)
    var days: [DailyUsage] = []
    try select.forEachRow { () throws(LedgerError) in
      let fields = ColumnReader(statement: select)
      func count(_ name: String) -> Int64 { fields.integer(name) ?? 0 }
      days.append(
        DailyUsage(
          day: try fields.required(
            "day", of: "a day of use", fields.text("day").flatMap(CivilDate.init)),
          inputTokens: count("tokens_input"), outputTokens: count("tokens_output"),
          totalTokens: count("tokens_total"), conversations: count("conversations_count"),
          calls: count("api_calls_count"), costNanoUSD: count("cost_nano_usd")))
    }
    return days
  }
}
