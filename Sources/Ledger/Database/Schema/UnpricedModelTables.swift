extension Migration {
  /// The models that were refused for want of a price.
  static let unpricedModelTables = Migration(
    number: 15, name: "models without a price",
    sql: """
      CREATE TABLE unpriced_models (
        model TEXT NOT NULL, -- as the request named it
        detail TEXT NOT NULL, -- what of it has no price; empty for all of it
        client_id TEXT, -- who asked last
        requests INTEGER NOT NULL,
        last_seen TEXT NOT NULL,
        PRIMARY KEY (model, detail)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX unpriced_models_last_seen ON unpriced_models (last_seen);
      """)
}
