extension Migration {
  /// Clients' own prices.
  static let priceTables = Migration(
    number: 4, name: "prices of one client",
    sql: """
      CREATE TABLE pricing_config (
        id INTEGER PRIMARY KEY,
        client_id TEXT NOT NULL, -- of this database or of clients.yaml
        number INTEGER NOT NULL, -- counted for each client, and never used again
        price_version TEXT GENERATED ALWAYS AS (client_id || '/' || number) VIRTUAL,
        provider TEXT NOT NULL,
        model TEXT NOT NULL, -- its name in the price book
        prices TEXT NOT NULL, -- a JSON object with the keys of a pricing file, in US dollars
        created_at TEXT NOT NULL,
        ended_at TEXT, -- replaced or removed; NULL is in force
        UNIQUE (client_id, number)
      ) STRICT;
      CREATE UNIQUE INDEX pricing_config_in_force ON pricing_config (client_id, provider, model)
        WHERE ended_at IS NULL;
      """)
}
