extension HelpTopic {
  static let errors = HelpTopic(
    "errors", article: "Errors", "the 429 of a budget, and every error"
  ) { form in
    #"""
    # Errors

    The answers that Catraca itself gives to apps: the 429 of a budget, and every other code.

    ## The 429 of a budget

    ```
    HTTP/1.1 429 Too Many Requests
    content-type: application/json
    x-catraca-request-id: 01a20319-999e-77b5-baf7-93fba72ff68e
    x-should-retry: false
    x-catraca-denied: token_limit
    retry-after: 745661

    {"error":{"message":"Budget exceeded for client 'acme': 1,809 of 2,000 tokens used this month,
    and this request may need up to 729 more. It resets on 2026-12-01T00:00:00-03:00.",
    "type":"insufficient_quota","param":null,"code":"budget_exceeded"},
    "budget":{"id":"acme/month","subject":"client:acme","mode":"both","unit":"tokens","limit":2000,
    "used":1809,"held":0,"requested":729,"remaining":191,"affordable_output_tokens":62},
    "resetDate":"2026-12-01T00:00:00-03:00"}
    ```

    (The body is one line.) The log line and the row in `denials` have the same figures:

    ```
    {"ts":"2026-11-22T11:52:19.102Z","level":"warn","event":"budget_exceeded",
    "request_id":"01a20319-999e-77b5-baf7-93fba72ff68e","client":"acme","key":"web","user":"u1",
    "operation":"chat","provider":"openai","model":"gpt-4o-mini","budget":"acme/month",
    "reason":"token_limit","limit":2000,"used":1809,"held":0,"requested":729,
    "reset_at":"2026-12-01T00:00:00-03:00"}
    ```

    - `x-should-retry: false` stops the OpenAI and Groq SDKs from trying again. They raise
      `RateLimitError` after one call.
    - `retry-after` is in seconds. For a budget that never resets it is absent, and `resetDate` is
      null.
    - `x-catraca-denied` is `token_limit`, `cost_limit`, `conversation_limit`, `paused` or
      `contended`.
    - If conversations are the limit, `code` is `conversation_limit_exceeded` or `budget_contended`,
      and `mode` and `unit` are `conversations`.
    - If money is the limit, `unit` is the currency, and the figures are decimal strings with nine
      decimals. In `denials` they are integers of a billionth.
    - `held` is what other requests hold at that moment.
    - `affordable_output_tokens`: with this output limit, the request would have passed. 0 says that
      the input alone is too large.

    ## All codes

    Every error has OpenAI's shape, `{"error":{"message":…,"type":…,"param":…,"code":…}}`, so that
    SDKs raise their usual exceptions.

    \#(errorTable.text(form))

    ## Retries

    Catraca sends a request that makes something to the provider once. If the connection ends
    without an answer, the app gets 502 and decides itself, because the provider may have done the
    work. Catraca repeats only `GET` and `HEAD`, once, when a connection that was kept open turns
    out to be closed.

    ## Errors of the provider

    A provider's own errors pass through, and cost nothing unless they report usage. An error that
    shows the provider's key, whole or masked, reads `[provider key]` in its place. This holds for
    errors of any status, for errors inside an answer of status 200, for events of a stream or
    session, and for background responses that failed.

    Catraca also searches every other answer for the key that the request went out with: bodies of
    any type, compressed or not, events of streams, messages of sessions and the reason that closes
    one, and headers. It doesn't search compressed sound and compressed files, nor an event that
    repeats the one before but for less than 12 bytes of text. A header that shows the key is left
    out. A compressed stream whose events show it is cut. A 401 with `[provider key]` is about your
    key, not the app's; the log then says `provider_key_refused`.
    """#
  }

  /// Every status and code that an app can get from Catraca itself.
  static let errorTable = HelpTable(
    head: ["status", "code", "reason"],
    rows: errorCodes.map { ["\($0[0])", $0[1] == "none" ? "none" : "`\($0[1])`", $0[2]] })

  /// Status, code and reason.
  static let errorCodes: [[String]] = [
    [
      "400", "invalid_json",
      "The body isn't a JSON object or a form, lacks `model`, has a value of the wrong kind "
        + "or a key twice.",
    ],
    [
      "400", "unsupported_parameter",
      "A parameter that Catraca can't meter, such as a transcription's `url`, whose length "
        + "isn't known.",
    ],
    ["400", "model_not_priced", "The model, tier, window or modality has no price."],
    ["400", "invalid_request", "The bytes aren't HTTP/1.1. Catraca closes the connection."],
    [
      "400", "invalid_path",
      "The path isn't plain: dot or empty segments, escapes (except `%3A`, and `%2F` in the "
        + "name of a model), `;`.",
    ],
    [
      "400", "previous_response_not_found",
      "`previous_response_id` names a response that isn't the client's.",
    ],
    ["401", "invalid_api_key", "The key is missing, unknown, revoked or expired."],
    ["403", "model_not_allowed", "The key may not use the model."],
    ["403", "operation_not_allowed", "The key may not use the operation."],
    ["403", "endpoint_not_metered", "The endpoint may cost money and can't be metered."],
    ["404", "unknown_path", "No endpoint is served at the path."],
    ["404", "unknown_provider", "No provider has the name."],
    [
      "404", "model_not_found",
      "`GET /v1/models/ID`: the model has no price, or the key may not use it.",
    ],
    [
      "404", "none",
      "The request names an object at the provider that isn't the client's; the log says "
        + "`object_not_found`.",
    ],
    ["405", "method_not_allowed", "The path is served by other methods; `allow` lists them."],
    ["408", "request_timeout", "The head or the body came too slowly."],
    [
      "413", "request_too_large",
      "The body exceeds `limits.request_body`, before or after decoding.",
    ],
    [
      "415", "unsupported_content_encoding",
      "The body is compressed by something other than `gzip` or `zstd`.",
    ],
    ["426", "upgrade_required", "A realtime session needs a WebSocket, version 13."],
    [
      "426", "websocket_not_supported",
      "`GET /v1/responses` as a WebSocket. Clients such as the Codex CLI go on with POST.",
    ],
    ["429", "budget_exceeded", "A budget can't pay for the request. Don't retry."],
    ["429", "budget_paused", "The budget or client is paused or suspended. Don't retry."],
    [
      "429", "conversation_limit_exceeded",
      "The plan lets no further conversation begin. Don't retry.",
    ],
    [
      "429", "budget_contended",
      "Other requests hold the rest of the budget. Retry after `retry-after` seconds.",
    ],
    [
      "429", "rate_limit_exceeded",
      "The key's requests or tokens a minute are used up, or its share of connections, "
        + "bodies or background work; or too many wrong keys came from the address. Retry after "
        + "`retry-after` seconds.",
    ],
    ["431", "request_too_large", "The head exceeds `limits.header`."],
    ["502", "upstream_unreachable", "The provider can't be reached."],
    [
      "502", "upstream_invalid_response",
      "The provider broke off, or sent an answer that can't be used.",
    ],
    ["503", "ledger_unavailable", "The ledger can't be written or asked."],
    ["503", "shutting_down", "The server is stopping."],
    [
      "503", "overloaded",
      "The server has no room for another connection, body or piece of background work.",
    ],
    ["504", "upstream_timeout", "The provider was silent for `limits.upstream_idle`."],
  ]
}
