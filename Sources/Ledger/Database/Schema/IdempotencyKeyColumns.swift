extension Migration {
  /// What a claimed key's change came to, and when the key is forgotten.
  ///
  /// Earlier servers write answers without either; they find neither missing.
  static let idempotencyKeyColumns = Migration(
    number: 26, name: "idempotency keys", isAdditive: true,
    sqlite: """
      -- what the change came to, while its answer isn't stored; NULL where it has a secret
      ALTER TABLE idempotent_answers ADD COLUMN outcome TEXT;
      ALTER TABLE idempotent_answers ADD COLUMN expires_at TEXT; -- NULL: never
      UPDATE idempotent_answers
        SET expires_at = strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '+1 day')
        WHERE owner NOT LIKE 'usage:%';
      CREATE INDEX idempotent_answers_expires_at ON idempotent_answers (expires_at)
        WHERE expires_at IS NOT NULL;
      """,
    postgresql: """
      -- what the change came to, while its answer isn't stored; NULL where it has a secret
      ALTER TABLE idempotent_answers ADD COLUMN outcome TEXT COLLATE "C";
      ALTER TABLE idempotent_answers ADD COLUMN expires_at TEXT COLLATE "C"; -- NULL: never
      UPDATE idempotent_answers
        SET expires_at = to_char(
          (CAST(created_at AS TIMESTAMPTZ) + INTERVAL '1 day') AT TIME ZONE 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        WHERE owner NOT LIKE 'usage:%';
      CREATE INDEX idempotent_answers_expires_at ON idempotent_answers (expires_at)
        WHERE expires_at IS NOT NULL;
      """)
}
