extension ResourceLife {
  static let plans = ResourceLife(
    resource: "plans",
    steps: [
      .done("GET /api/admin/plans", "", 200, "\"name\":\"trial\"", "\"source\":\"file\""),
      .done(
        "POST /api/admin/plans",
        "{\"name\":\"pro\",\"display_name\":\"Pro\",\"monthly_tokens\":9000}", 201,
        "\"source\":\"api\"", "\"monthly_conversations\":null"),
      .refused("POST /api/admin/plans", "{\"name\":\"pro\"}", 409, "already_exists"),
      .refused("POST /api/admin/plans", "{}", 400, "missing_field", "name"),
      .refused(
        "POST /api/admin/plans", "{\"name\":\"p\",\"monthly_tokens\":-1}", 400, "invalid_value",
        "monthly_tokens"),
      .refused("POST /api/admin/plans", "{\"name\":\"p\"}", 403, "forbidden", by: .viewer),
      .done("GET /api/admin/plans/pro", "", 200, "\"monthly_tokens\":9000", by: .viewer),
      .done(
        "PATCH /api/admin/plans/pro", "{\"monthly_tokens\":null}", 200, "\"monthly_tokens\":null",
        "\"display_name\":\"Pro\""),
      .refused(
        "PATCH /api/admin/plans/trial", "{\"monthly_tokens\":1}", 409, "declared_in_file"),
      .refused("PATCH /api/admin/plans/none", "{\"monthly_tokens\":1}", 404, "not_found"),
      .refused("DELETE /api/admin/plans/trial", "", 409, "declared_in_file"),
      .done("POST /api/admin/clients/acme/subscription", "{\"plan\":\"pro\"}", 200),
      .refused("DELETE /api/admin/plans/pro", "", 409, "in_use"),
      .done("DELETE /api/admin/clients/acme/subscription", "", 204),
      .done("DELETE /api/admin/plans/pro", "", 204),
      .refused("GET /api/admin/plans/pro", "", 404, "not_found"),
    ])

  static let subscriptions = ResourceLife(
    resource: "subscriptions",
    steps: [
      .refused("GET /api/admin/clients/acme/subscription", "", 404, "not_found"),
      .done(
        "POST /api/admin/clients/acme/subscription", "{\"plan\":\"trial\"}", 200,
        "\"status\":\"active\"", "\"tokens_used_this_period\":0"),
      .done("GET /api/admin/clients/acme/subscription", "", 200, "\"plan\":\"trial\"", by: .viewer),
      .refused("POST /api/admin/clients/acme/subscription", "{}", 400, "missing_field", "plan"),
      .refused(
        "POST /api/admin/clients/acme/subscription", "{\"plan\":\"none\"}", 400, "invalid_value",
        "plan"),
      .refused(
        "POST /api/admin/clients/none/subscription", "{\"plan\":\"trial\"}", 404, "not_found"),
      .refused(
        "POST /api/admin/clients/acme/subscription", "{\"plan\":\"trial\",\"start\":\"soon\"}",
        400, "invalid_value", "start"),
      .refused(
        "DELETE /api/admin/clients/acme/subscription", "", 403, "forbidden", by: .viewer),
      .done("DELETE /api/admin/clients/acme/subscription", "", 204),
      .refused("GET /api/admin/clients/acme/subscription", "", 404, "not_found"),
    ])

  static let credits = ResourceLife(
    resource: "credits",
    steps: [
      .done("GET /api/admin/credits", "", 200, "\"data\":[]"),
      .done(
        "POST /api/admin/credits",
        "{\"client_id\":\"acme\",\"tokens\":20000,\"note\":\"goodwill\"}", 201,
        "\"tokens_remaining\":20000", "\"note\":\"goodwill\""),
      .refused(
        "POST /api/admin/credits", "{\"tokens\":5}", 400, "missing_field", "client_id"),
      .refused(
        "POST /api/admin/credits", "{\"client_id\":\"acme\"}", 400, "missing_field", "tokens"),
      .refused(
        "POST /api/admin/credits", "{\"client_id\":\"acme\",\"tokens\":0}", 400, "invalid_value",
        "tokens"),
      .refused(
        "POST /api/admin/credits", "{\"client_id\":\"none\",\"tokens\":5}", 404, "not_found"),
      .refused(
        "POST /api/admin/credits", "{\"client_id\":\"acme\",\"tokens\":5}", 403, "forbidden",
        by: .viewer),
      .done(
        "GET /api/admin/credits?client=acme", "", 200, "\"tokens_granted\":20000", by: .viewer),
      .done("GET /api/usage/check", "", 200, "\"extra_credits\":20000", by: .key),
    ])

  static let prices = ResourceLife(
    resource: "clients' own prices",
    steps: [
      .refused("GET /api/pricing-config", "", 400, "missing_field", "client"),
      .done("GET /api/pricing-config?client=acme", "", 200, "\"overrides\":[]", "gpt-test"),
      .done(
        "POST /api/pricing-config",
        """
        {"client_id":"acme","provider":"openai","model":"gpt-test",\
        "per_million_tokens":{"input":"0.5"}}
        """, 201, "\"input\":\"0.500000000\""),
      .done(
        "POST /api/pricing-config",
        """
        {"client_id":"acme","provider":"openai","model":"gpt-test",\
        "per_million_tokens":{"input":"0.7"}}
        """, 200, "\"input\":\"0.700000000\""),
      .refused(
        "POST /api/pricing-config",
        """
        {"client_id":"acme","provider":"openai","model":"none",\
        "per_million_tokens":{"input":"0.7"}}
        """, 404, "not_found"),
      .refused(
        "POST /api/pricing-config",
        """
        {"client_id":"acme","provider":"openai","model":"gpt-test",\
        "per_million_tokens":{"input":0.7}}
        """, 400, "invalid_value", "per_million_tokens.input"),
      .refused(
        "POST /api/pricing-config", "{\"client_id\":\"acme\"}", 403, "forbidden", by: .viewer),
      .done("GET /api/pricing-config?client=acme", "", 200, "0.700000000", by: .viewer),
      .done(
        "DELETE /api/pricing-config?client=acme&provider=openai&model=gpt-test", "", 204),
      .refused(
        "DELETE /api/pricing-config?client=acme&provider=openai&model=gpt-test", "", 404,
        "not_found"),
      .done("GET /api/admin/prices/missing", "", 200, "\"data\":[]", by: .viewer),
    ])

  static let charges = ResourceLife(
    resource: "reported use and charges",
    steps: [
      .done(
        "POST /api/token-billing/process-usage", "{\"userId\":\"acme\",\"tokensUsed\":150}", 200,
        "\"success\":true", "\"totalTokens\":150"),
      .done(
        "POST /api/token-billing/process-usage", "{\"userId\":\"acme\",\"tokensUsed\":50}", 200,
        "\"totalTokens\":200", by: .key),
      .refused(
        "POST /api/token-billing/process-usage", "{\"userId\":\"acme\"}", 400, "missing_field",
        "tokensUsed"),
      .refused(
        "POST /api/token-billing/process-usage", "{\"userId\":\"none\",\"tokensUsed\":1}", 404,
        "not_found"),
      .refused(
        "POST /api/token-billing/process-usage", "{\"userId\":\"acme\",\"tokensUsed\":1}", 403,
        "forbidden", by: .viewer),
      .done("GET /api/token-billing/user-summary/acme", "", 200, "200", by: .key),
      .done("GET /api/token-billing/charges", "", 200, "\"data\":[]", by: .viewer),
      .refused("POST /api/token-billing/charges/chg_1/retry", "{}", 404, "not_found"),
      .refused("POST /api/token-billing/charges/none/retry", "{}", 404, "not_found"),
      .done(
        "GET /api/usage/summary", "", 200, "\"period_days\":30", "\"total_tokens\":200", by: .key),
      .done("GET /api/usage/current-period", "", 200, "\"tokens_used\":200", by: .key),
      .done("GET /api/analytics?client=acme", "", 200, "\"tokens_total\":200", by: .viewer),
      .done("GET /api/admin/budgets/acme/month", "", 200, "\"current_tokens\":200"),
      .done("GET /api/admin/usage-logs?client=acme", "", 200, "\"external\"", by: .viewer),
    ])

  static let objects = ResourceLife(
    resource: "objects",
    steps: [
      .done("GET /api/admin/objects", "", 200, "\"data\":[]", by: .viewer),
      .done(
        "POST /api/admin/objects",
        """
        {"provider":"openai","object_id":"file-1","kind":"file","client_id":"acme"}
        """, 201, "\"client_id\":\"acme\""),
      .done(
        "POST /api/admin/objects",
        """
        {"provider":"openai","object_id":"file-1","kind":"file","client_id":"*"}
        """, 200, "\"client_id\":\"*\""),
      .refused(
        "POST /api/admin/objects", "{\"provider\":\"openai\"}", 400, "missing_field"),
      .refused(
        "POST /api/admin/objects",
        """
        {"provider":"openai","object_id":"file-1","kind":"dream","client_id":"acme"}
        """, 400, "invalid_value", "kind"),
      .refused(
        "POST /api/admin/objects",
        """
        {"provider":"openai","object_id":"file-2","kind":"file","client_id":"none"}
        """, 404, "not_found"),
      .refused("POST /api/admin/objects", "{}", 403, "forbidden", by: .viewer),
      .done("GET /api/admin/objects?object=file-1", "", 200, "\"kind\":\"file\""),
      .done("DELETE /api/admin/objects?provider=openai&object_id=file-1", "", 204),
      .refused(
        "DELETE /api/admin/objects?provider=openai&object_id=file-1", "", 404, "not_found"),
    ])

  static let widgets = ResourceLife(
    resource: "widget tokens",
    steps: [
      .done("POST /api/widget-tokens", "{\"client_id\":\"acme\"}", 201, "\"token\":"),
      .done("POST /api/widget-tokens", "{}", 201, "\"token\":", by: .key),
      .refused("POST /api/widget-tokens", "{\"client_id\":\"other\"}", 403, "forbidden", by: .key),
      .refused("POST /api/widget-tokens", "{}", 400, "missing_field", "client_id"),
      .refused(
        "POST /api/widget-tokens", "{\"client_id\":\"acme\"}", 403, "forbidden", by: .viewer),
    ])

  static let alerts = ResourceLife(
    resource: "alerts",
    steps: [
      .done("GET /api/admin/alerts", "", 200, "\"data\":[]", by: .viewer),
      .done("POST /api/admin/alerts/test", "{}", 200, "\"results\":[]"),
      .refused(
        "POST /api/admin/alerts/test", "{\"channel\":\"webhook:7\"}", 400, "invalid_value",
        "channel"),
      .refused("POST /api/admin/alerts/test", "{}", 403, "forbidden", by: .viewer),
    ])

  static let logs = ResourceLife(
    resource: "logs and pages for machines",
    steps: [
      .done("GET /healthz", "", 200, by: .stranger),
      .done("GET /readyz", "", 200, by: .stranger),
      .done("GET /metrics", "", 200, "catraca_", by: .stranger),
      .done("GET /api/openapi.json", "", 200, "\"openapi\"", by: .stranger),
      .done("POST /api/admin/clients", "{\"id\":\"gamma\"}", 201),
      .done(
        "GET /api/admin/audit-log", "", 200, "\"actor\":\"token:ops\"", "client.create",
        by: .viewer),
      .done("GET /api/admin/denials", "", 200, "\"data\":[]"),
      .refused("GET /api/admin/usage-logs/none", "", 404, "not_found"),
      .refused("GET /api/admin/usage-logs?format=xml", "", 400, "invalid_value", "format"),
      .refused("GET /api/admin/usage-logs", "", 401, "invalid_api_key", by: .stranger),
      .refused("GET /api/admin/usage-logs", "", 403, "forbidden", by: .key),
    ])
}
