extension Migration {
  /// Sums of each conversation, so that a client's are reported without reading every row; and what
  /// finds rows that are unlike most. The indexes of outcomes and sources leave the usual rows out.
  static let conversationRollup = Migration(
    number: 13, name: "rollup of conversations",
    sql: [table, sumsOfRows, indexes].joined(separator: "\n"))

  private static let table = """
    CREATE TABLE usage_daily_conversations (
      client_id TEXT NOT NULL,
      day TEXT NOT NULL, -- in the client's time zone
      utc_day INTEGER NOT NULL, -- days since 1970
      conversation_id TEXT NOT NULL, -- empty for rows without one
      currency TEXT NOT NULL,
      \(rollupMeasures)
      PRIMARY KEY (client_id, day, utc_day, conversation_id, currency)
    ) STRICT, WITHOUT ROWID;
    """

  private static let sumsOfRows = """
    INSERT INTO usage_daily_conversations
      SELECT client_id, day, CAST(strftime('%s', created_at) AS INTEGER) / 86400,
        coalesce(conversation_id, ''), currency, \(rollupSums)
      FROM usage_logs GROUP BY 1, 2, 3, 4, 5;
    """

  private static let indexes = """
    CREATE INDEX usage_logs_agent_id ON usage_logs (agent_id, created_at)
      WHERE agent_id IS NOT NULL;
    CREATE INDEX usage_logs_outcome ON usage_logs (outcome, created_at) WHERE outcome <> 'ok';
    CREATE INDEX usage_logs_usage_source ON usage_logs (usage_source, created_at)
      WHERE usage_source <> 'reported';
    CREATE INDEX usage_logs_stream ON usage_logs (stream, created_at);
    """
}
