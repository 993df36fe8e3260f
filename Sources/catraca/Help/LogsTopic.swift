extension HelpTopic {
  static let logs = HelpTopic(
    "logs", article: "Logs", "the events of the log"
  ) { form in
    #"""
    # Logs

    The lines that a server writes, one JSON object each.

    Lines go to standard output, or to `log.file`. `log.format: console` is for human readers. Each
    line about a request has its `request_id`, and with traces its `trace_id`. Lines about a budget
    name the budget. `config/logrotate` has an example for logrotate.

    A log that can't be written (a full disk) never holds up traffic. Its lines wait, up to 4 MiB,
    and standard error is told once. Catraca counts lines beyond that in `log_lines_dropped`.

    ## Texts of requests

    Catraca doesn't log what people write, unless a client has `log_prompts: true` in
    `clients.yaml`. Then each forwarded request of the client makes a line `prompt` with its text,
    up to 8 KiB (`is_cut` if there was more), without images, sound and files. Texts that look like
    a key (`sk-…`, `gsk_…`, `Bearer …`) are replaced by `[redacted]`. Realtime sessions and lines of
    batches make none.

    ## Events

    \#(eventTable.text(form))
    """#
  }

  static let eventTable = HelpTable(
    head: ["event", "level", "meaning"], rows: logEvents.map { ["`\($0[0])`", $0[1], $0[2]] })

  /// Event, level and meaning.
  static let logEvents: [[String]] = [
    [
      "started", "info",
      "The server serves. `recovered_requests` counts the requests that the last process "
        + "left unfinished.",
    ],
    ["listening", "info", "A listener accepts connections."],
    ["stopping", "info", "The server got a signal to stop."],
    [
      "stopping_at_once", "warn",
      "A second signal came; requests in flight are broken off and settled.",
    ],
    ["stopped", "info", "The server has stopped."],
    ["start_failed", "error", "The server can't start, for this reason."],
    [
      "request", "info",
      "One forwarded request: client, model, tokens, cost, latency. `overrun_tokens` or "
        + "`overrun_nano_usd` say by how much it exceeded its hold.",
    ],
    ["prompt", "info", "The text of a request, for clients with `log_prompts`."],
    [
      "request_deferred", "info",
      "The provider has answered and goes on with the work that `object` names.",
    ],
    [
      "request_refused", "info, error",
      "Catraca answered by itself: `status`, `code`, `address` and `path`. For bytes that "
        + "aren't a request, `reason` instead of the path. An error from status 500 on.",
    ],
    [
      "unmetered_request", "info",
      "A request that costs nothing passed to a provider, or asked for the models: "
        + "`client`, `key`, `method`, `path`, `status`.",
    ],
    ["realtime_session_ended", "info", "A session is over, for this `reason`."],
    ["budget_exceeded", "warn", "A budget refused a request: its limit is reached."],
    ["budget_paused", "warn", "A budget refused a request: it is paused."],
    ["budget_contended", "warn", "A budget refused a request: others held its rest for too long."],
    ["conversation_limit_exceeded", "warn", "A plan refused a new conversation."],
    [
      "denials_not_written", "warn",
      "`count` refusals of a `client` for a `reason` came too fast to be written.",
    ],
    [
      "budget_shadow", "warn",
      "A budget with `enforcement: shadow` would have refused the request.",
    ],
    ["budget_threshold", "info", "A budget reached a percentage of its `alerts`."],
    ["budget_overrun", "error", "A request used more than its hold, so its bound was wrong."],
    ["alert_delivered", "info", "A channel took an alert."],
    [
      "alert_failed", "warn, error",
      "A channel didn't take an alert. An error after the last attempt.",
    ],
    [
      "alerts_not_read", "warn",
      "The ledger couldn't be used to deliver alerts; Catraca tries again.",
    ],
    [
      "quantity_not_priced", "warn",
      "Usage was charged at the dearest rate of its unit; add the price.",
    ],
    [
      "price_missing", "warn",
      "A request needed a missing price: `provider`, `model`, `kind`, `name`, `outcome`, "
        + "`client`. One line a price and hour.",
    ],
    [
      "answer_not_priced", "error",
      "A request was charged its whole hold because a price is missing; add the price.",
    ],
    [
      "answer_unreadable", "warn",
      "An answer wasn't what its endpoint promises. `charged` is `hold`, or `what was "
        + "read`.",
    ],
    [
      "usage_adjusted", "warn",
      "A provider's counts contradicted each other. Catraca brought them into line at no "
        + "lower charge.",
    ],
    ["upstream_failed", "warn", "A provider couldn't be reached, broke off or was too slow."],
    [
      "provider_key_refused", "error",
      "A `provider` answers 401 to its key. One line a minute at most.",
    ],
    ["input_not_counted", "debug", "A provider didn't count a text's tokens; the bound stands."],
    [
      "deferred_without_key", "warn",
      "Background work or a batch can't be followed, because the configuration no longer "
        + "has its provider, or the client's own key (`own_key`).",
    ],
    [
      "deferred_not_seen", "debug",
      "A provider couldn't be asked how background work stands; Catraca asks again.",
    ],
    [
      "deferred_lost", "warn",
      "Nobody could learn how such work ended. It was charged the rest of its hold.",
    ],
    ["charge_paid", "info", "A charge was collected."],
    ["charge_under_way", "info", "The payment provider goes on with a charge."],
    [
      "charge_postponed", "warn",
      "The payment provider couldn't be asked; Catraca tries again. One line a minute at "
        + "most, with the number of `others` since the line before.",
    ],
    ["charge_refused", "error", "A charge was refused, or the payer has to act first."],
    [
      "charges_not_read", "warn",
      "The ledger couldn't be used to collect charges; Catraca tries again.",
    ],
    [
      "charges_exhausted", "error",
      "A client's `period` has its 10,000 `charges`, the most that it can have. Further use in it "
        + "isn't charged. Give the plan larger blocks. One line a period, and one at each start.",
    ],
    ["payment_mismatch", "error", "A payment isn't what was charged; it pays nothing."],
    [
      "clients_paused_or_resumed", "warn",
      "`payments.pause_after` paused or resumed clients; see the audit log.",
    ],
    ["ledger_unavailable", "error", "The ledger can't be written or asked."],
    [
      "usage_not_recorded", "error",
      "The usage of a request could be written neither to the ledger nor to its spool.",
    ],
    [
      "ledger_not_followed", "warn",
      "The server couldn't read changes that others made in the ledger; it tries again.",
    ],
    [
      "budgets_not_declared", "warn",
      "The table of declared budgets couldn't be brought up to date.",
    ],
    [
      "spool_not_inherited", "warn",
      "The records of another process that ended on this machine can't be taken over.",
    ],
    [
      "row_unreadable", "error",
      "A row of the ledger isn't valid, and the server goes on without it: `client`, "
        + "`record` and `effect`. `client_closed`: the client gets 429 `budget_paused`, because "
        + "the row may limit it. `plan_closed`: the plan allows nothing. `not_billed`, "
        + "`left_out`: it limits nobody. Mend the row, and restart.",
    ],
    [
      "month_detached", "info",
      "A `month` of `usage_logs` is now the `table` of its own, with this number of `rows`.",
    ],
    [
      "months_not_detached", "warn",
      "Others needed the table, or the database was away. Catraca tries again every 10 s.",
    ],
    [
      "object_not_owned", "warn",
      "A request of `client` named an object at the `provider` that isn't its own (`kind`, "
        + "`object`). `owner` is the client that owns it; it is absent if nobody does.",
    ],
    [
      "objects_not_recorded", "error",
      "The ledger couldn't record `count` objects that an answer showed; `object` is the "
        + "first. No client can use them until they are assigned.",
    ],
    [
      "admin_call", "debug, error",
      "A call of the admin API was answered. An error from status 500 on.",
    ],
    [
      "page_visit", "debug, error",
      "A page of the dashboard was answered. An error from status 500 on.",
    ],
    [
      "admin_host_refused", "warn",
      "A request called the admin listener by a `host` that isn't its name (421). If it is, "
        + "add it to `admin.hosts`.",
    ],
    [
      "admin_answer_broken", "error",
      "The ledger failed while a long answer of the admin API was sent.",
    ],
    [
      "configuration_reloaded", "info",
      "An edit is in force; see `changes` and `awaiting_restart`.",
    ],
    ["configuration_warning", "warn", "The configuration is valid but doubtful, for this reason."],
    ["configuration_refused", "error", "An edit has mistakes; the old settings stay in force."],
    [
      "limit_met", "warn",
      "A client met a limit of a listener: `limit`, `allowed`, `address`, and `client` and "
        + "`key`, or `token`, if known. `times` counts since the line before. One line a second "
        + "and limit at most.",
    ],
    [
      "proxy_header_refused", "warn",
      "A balancer of `behind` began a connection without a valid header of the PROXY "
        + "protocol. One line a second at most.",
    ],
    ["tls_session_failed", "error", "A TLS session couldn't be begun."],
    [
      "telemetry_not_exported", "warn",
      "A collector doesn't take spans or metrics, for this `reason`. One line a minute at "
        + "most.",
    ],
    [
      "reconciliation_difference", "warn",
      "`catraca reconcile` found a difference; its likely `reason`.",
    ],
    [
      "log_lines_dropped", "error",
      "The log couldn't be written for too long, or its reader is too slow. `count` lines "
        + "are lost.",
    ],
    [
      "log_not_reopened", "error",
      "The new file couldn't be opened at SIGUSR1; the old one goes on.",
    ],
  ]
}
