internal import Console

extension HelpTopic {
  static let metrics = HelpTopic(
    "metrics", article: "Metrics", "the metrics for Prometheus"
  ) { form in
    #"""
    # Metrics

    `GET /metrics` on the admin listener, in Prometheus' text format.

    `admin.metrics: token` asks for a token of either role; `open` doesn't. Without the setting, a
    listener that other machines reach asks for a token, and a listener on loopback doesn't.
    Example: for `0.0.0.0:8081`, give Prometheus a viewer's token as `authorization` `credentials`.

    ## Families

    \#(MetricReference.table.text(form))

    ## Rules

    - Requests, tokens, cost and overruns are the sums over `usage_logs`, also after a restart or a
      kill. A row counts when it is committed. On PostgreSQL they count from the start of the
      server. The other counters count from the start of the process.
    - `input` and `output` contain the other kinds of tokens.
    - App-supplied names never create series. A model that the price book doesn't have counts as
      `other`, a fine-tuned one as `ft:BASE`. There are as many series as clients, models of the
      book and budgets in use.
    - A budget per user, key or the like shows its fullest subject. Unset limits are omitted.
    - `overhead` is the row's `overhead_us`, and `time_to_first_token` its `ttft_ms`.
      `upstream_latency` runs from sending the request until the answer (or realtime turn) ends;
      deferred work has none.
    - `ledger_lag` is how long the oldest unwritten record has waited: milliseconds, unless the
      database can't be written.
    - `catraca_provider_cost_usd_total` is there only where metrics need a token, for admin tokens
      alone.

    OpenTelemetry gets the same metrics: see <doc:Traces>. `config/prometheus` has a configuration
    and alert rules, and `config/grafana` a dashboard.
    """#
  }
}

extension MetricReference {
  /// Every metric, as the catalog of metrics has it.
  static let table = HelpTable(
    head: ["metric", "kind", "labels", "meaning"],
    rows: all.map { ["`\($0.name)`", $0.kind, $0.labels, $0.meaning] })
}
