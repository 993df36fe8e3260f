extension Migration {
  /// The terms by which a plan bills.
  private static let terms = """
      currency TEXT NOT NULL,
      fixed_fee_nano INTEGER NOT NULL,
      measure TEXT NOT NULL, -- tokens or cost
      included INTEGER NOT NULL,
      overage_every INTEGER, -- NULL without an overage
      overage_charge_nano INTEGER
    """

  /// The terms that clients are billed by, what they were charged, and how they pay.
  ///
  /// Each `client_id` names a client of this ledger or of clients.yaml.
  static let billingTables = """
    CREATE TABLE billing_agreements (
      client_id TEXT PRIMARY KEY,
      plan TEXT NOT NULL,
      start_day INTEGER NOT NULL, -- of the month, on which its periods begin
      since TEXT NOT NULL, -- the first day of the first period
      today TEXT NOT NULL, -- in the client's time zone, when the server last wrote this row
      status TEXT NOT NULL, -- of its new charges
    \(terms)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE billing_periods (
      client_id TEXT NOT NULL,
      period TEXT NOT NULL, -- the month that it begins in
      plan TEXT NOT NULL,
      first_day TEXT NOT NULL, -- in the client's time zone
      end_day TEXT NOT NULL, -- the day after the last
    \(terms),
      charges_before INTEGER, -- the client's last charge before the terms; NULL: not known
      PRIMARY KEY (client_id, period)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE token_billing_charges (
      id INTEGER PRIMARY KEY,
      client_id TEXT NOT NULL,
      user_id TEXT GENERATED ALWAYS AS (client_id) VIRTUAL, -- the payer
      period TEXT NOT NULL,
      block INTEGER NOT NULL, -- 0: the fixed fee
      billing_tier TEXT NOT NULL,
      tokens_total INTEGER NOT NULL, -- the period's, when the client was charged
      amount_charged INTEGER NOT NULL, -- in the smallest unit of the currency
      currency TEXT NOT NULL,
      status TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      last_error TEXT,
      payment_id TEXT,
      request_id TEXT, -- the request that passed used_above; NULL: a plan that began
      counted_from TEXT NOT NULL, -- the first day whose use is in the total
      used_above INTEGER NOT NULL, -- the lower end of the tier, in what is measured
      next_attempt_at TEXT, -- NULL while no attempt is due
      sent_at TEXT, -- of a payment whose outcome isn't known yet
      refusals INTEGER NOT NULL DEFAULT 0, -- the attempt that was sent, or is next
      failing_since TEXT, -- NULL while nothing has failed
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      UNIQUE (client_id, period, block)
    ) STRICT;
    CREATE INDEX token_billing_charges_request_id ON token_billing_charges (request_id);
    CREATE INDEX token_billing_charges_due ON token_billing_charges (next_attempt_at)
      WHERE next_attempt_at IS NOT NULL;
    CREATE INDEX token_billing_charges_last ON token_billing_charges (client_id, period)
      WHERE block = 10000; -- a period's last charge, see `Biller.largestBlock`
    CREATE INDEX token_billing_charges_failing ON token_billing_charges (failing_since)
      WHERE failing_since IS NOT NULL;

    CREATE TABLE payment_accounts (
      client_id TEXT PRIMARY KEY,
      customer_id TEXT NOT NULL, -- the payment provider's
      subscription_id TEXT, -- the payment provider's
      status TEXT NOT NULL, -- of that subscription
      event_at TEXT, -- of the provider's latest event about the subscription
      updated_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX payment_accounts_subscription_id ON payment_accounts (subscription_id);

    CREATE TABLE payment_events (
      id TEXT PRIMARY KEY, -- the payment provider's, so that each event is applied once
      received_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE payment_pauses (
      client_id TEXT PRIMARY KEY, -- its requests are refused until its charges are paid
      since TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}
