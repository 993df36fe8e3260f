extension Migration {
  /// The prices that requests needed and the price book doesn't have. Servers of earlier releases
  /// write `unpriced_models`, which knows models alone and is read no more.
  static let missingPriceTables = Migration(
    number: 32, name: "missing prices", isAdditive: true,
    sqlite: table(text: "TEXT", integer: "INTEGER", options: " STRICT, WITHOUT ROWID"),
    postgresql: table(text: #"TEXT COLLATE "C""#, integer: "BIGINT", options: ""))

  private static func table(text: String, integer: String, options: String) -> String {
    """
    CREATE TABLE missing_prices (
      provider \(text) NOT NULL,
      model \(text) NOT NULL, -- as the request or the answer named it
      kind \(text) NOT NULL, -- model, quantity, tier, window, call or container
      name \(text) NOT NULL, -- which of its kind, such as cached_input; empty for a model
      client_id \(text) NOT NULL, -- empty where nobody knows
      outcome \(text) NOT NULL, -- refused, free or assumed
      requests \(integer) NOT NULL,
      first_seen \(text) NOT NULL,
      last_seen \(text) NOT NULL,
      PRIMARY KEY (provider, model, kind, name, client_id, outcome)
    )\(options);
    CREATE INDEX missing_prices_last_seen ON missing_prices (last_seen);
    CREATE INDEX missing_prices_outcome ON missing_prices (outcome, last_seen);
    """
  }
}
