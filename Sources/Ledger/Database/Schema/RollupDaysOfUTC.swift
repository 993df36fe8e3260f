extension Migration {
  /// Days of UTC in the rollups of clients' days, so that all clients can be summed together by
  /// client, key, agent or user without reading every row.
  static let rollupDaysOfUTC = Migration(
    number: 10, name: "days of UTC in rollups", sql: tables + sumsOfRows)

  private static let tables = """
    DROP TABLE usage_daily;
    CREATE TABLE usage_daily (
      client_id TEXT NOT NULL,
      day TEXT NOT NULL, -- in the client's time zone
      utc_day INTEGER NOT NULL, -- days since 1970
      key_name TEXT NOT NULL,
      agent_id TEXT NOT NULL,
      source TEXT NOT NULL,
      model TEXT NOT NULL,
      operation TEXT NOT NULL,
      currency TEXT NOT NULL,
      \(rollupMeasures)
      PRIMARY KEY
        (client_id, day, utc_day, key_name, agent_id, source, model, operation, currency)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX usage_daily_utc_day ON usage_daily (utc_day);

    DROP TABLE usage_daily_users;
    CREATE TABLE usage_daily_users (
      client_id TEXT NOT NULL,
      day TEXT NOT NULL, -- in the client's time zone
      utc_day INTEGER NOT NULL, -- days since 1970
      user_id TEXT NOT NULL,
      currency TEXT NOT NULL,
      \(rollupMeasures)
      PRIMARY KEY (client_id, day, utc_day, user_id, currency)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX usage_daily_users_utc_day ON usage_daily_users (utc_day);

    """

  private static let sumsOfRows = """
    INSERT INTO usage_daily
      SELECT client_id, day, \(utcDay), key_name, coalesce(agent_id, ''), source, model, operation,
        currency, \(rollupSums)
      FROM usage_logs GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;
    INSERT INTO usage_daily_users
      SELECT client_id, day, \(utcDay), coalesce(user_id, ''), currency, \(rollupSums)
      FROM usage_logs GROUP BY 1, 2, 3, 4, 5;
    """

  private static let utcDay = "CAST(strftime('%s', created_at) AS INTEGER) / 86400"
}
