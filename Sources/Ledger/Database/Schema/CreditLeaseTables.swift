extension Migration {
  /// What servers that share a ledger lease of credits, as `budget_leases` says it of limits; and
  /// what of a plan's tokens credits have paid, which isn't settled against its limit.
  ///
  /// Servers that know neither would draw what others have leased: it isn't additive.
  static let creditLeaseTables = Migration(
    number: 20, name: "leases of credits",
    sqlite: """
      CREATE TABLE credit_leases (
        replica_id TEXT NOT NULL,
        credit_id INTEGER NOT NULL,
        tokens INTEGER NOT NULL, -- of a credit in tokens
        cost_nano INTEGER NOT NULL, -- of a credit in money
        PRIMARY KEY (replica_id, credit_id)
      ) STRICT, WITHOUT ROWID;

      ALTER TABLE token_credits ADD COLUMN leased_tokens INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE token_credits ADD COLUMN leased_nano INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE budget_accounts ADD COLUMN paid_by_credits INTEGER NOT NULL DEFAULT 0;
      \(countPaidByCredits(.sqlite))
      """,
    postgresql: """
      CREATE TABLE credit_leases (
        replica_id TEXT COLLATE "C" NOT NULL,
        credit_id BIGINT NOT NULL,
        tokens BIGINT NOT NULL, -- of a credit in tokens
        cost_nano BIGINT NOT NULL, -- of a credit in money
        PRIMARY KEY (replica_id, credit_id)
      );

      ALTER TABLE token_credits ADD COLUMN leased_tokens BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE token_credits ADD COLUMN leased_nano BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE budget_accounts ADD COLUMN paid_by_credits BIGINT NOT NULL DEFAULT 0;
      \(countPaidByCredits(.postgresql))
      """)

  /// A row names the accounts that it was charged to by their ids, as in `7,12:110:350`.
  private static func countPaidByCredits(_ dialect: Dialect) -> String {
    """
    UPDATE budget_accounts SET paid_by_credits = (
      SELECT coalesce(\(dialect.total("d.tokens")), 0)
      FROM credit_draws AS d JOIN usage_logs AS u ON u.request_id = d.request_id
      WHERE d.client_id || '/plan' = budget_accounts.budget_id
        AND (',' || u.budget_accounts || ',' LIKE '%,' || budget_accounts.id || ',%'
          OR ',' || u.budget_accounts LIKE '%,' || budget_accounts.id || ':%'))
    WHERE budget_id LIKE '%/plan';
    """
  }
}
