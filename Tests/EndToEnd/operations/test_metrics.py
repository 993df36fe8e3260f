"""The metrics that Prometheus reads of a server, and the rules and panels made from them."""

import json
import re
import sqlite3
import subprocess
from collections import Counter
from contextlib import closing
from decimal import Decimal

import pytest
from harness.metrics import Metrics
from harness.process import REPOSITORY
from harness.raw_http import Connection
from harness.sandbox import script
from harness.waiting import eventually

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 20,
}
KINDS = {
    "input": "prompt_tokens",
    "cached_input": "cached_tokens",
    "cache_write": "cache_write_tokens",
    "audio_input": "audio_input_tokens",
    "image_input": "image_input_tokens",
    "output": "completion_tokens",
    "reasoning": "reasoning_tokens",
    "audio_output": "audio_output_tokens",
    "image_output": "image_output_tokens",
}
LABELS = {
    "catraca_requests_total": {"client", "provider", "model", "operation", "outcome"},
    "catraca_tokens_total": {"client", "provider", "model", "kind"},
    "catraca_cost_usd_total": {"client", "provider", "model"},
    "catraca_denials_total": {"client", "reason"},
    "catraca_unmetered_requests_total": {"client"},
    "catraca_budget_used_tokens": {"budget", "currency"},
    "catraca_budget_held_tokens": {"budget", "currency"},
    "catraca_budget_limit_tokens": {"budget", "currency"},
    "catraca_budget_used_cost": {"budget", "currency"},
    "catraca_budget_held_cost": {"budget", "currency"},
    "catraca_budget_limit_cost": {"budget", "currency"},
    "catraca_overhead_seconds_bucket": {"le"},
    "catraca_upstream_latency_seconds_bucket": {"le"},
    "catraca_time_to_first_token_seconds_bucket": {"le"},
    "catraca_connections": {"listener"},
    "catraca_requests_in_flight": set(),
    "catraca_ledger_lag_seconds": set(),
    "catraca_config_reloads_total": set(),
    "catraca_config_reload_failures_total": set(),
    "catraca_overruns_total": set(),
    "catraca_build_info": {"version"},
}
BUDGET = {"name": "all", "mode": "both", "tokens": 1000, "cost": "500.00", "period": "total"}


def assert_equal_to_rows(metrics, rows):
    """Requests, tokens and cost, of each series and no other."""
    requests, tokens, cost = Counter(), Counter(), Counter()
    for row in rows:
        who = ("client", row["client_id"]), ("model", row["model"]), ("provider", row["source"])
        what = ("operation", row["operation"]), ("outcome", row["outcome"])
        requests[tuple(sorted(who + what))] += 1
        cost[tuple(sorted(who))] += Decimal(row["cost_usd"])
        for kind, column in KINDS.items():
            tokens[tuple(sorted((*who, ("kind", kind))))] += row[column]
    assert metrics.series("catraca_requests_total") == requests
    found = metrics.series("catraca_tokens_total")
    assert {series: count for series, count in found.items() if count} == {
        series: count for series, count in tokens.items() if count
    }
    exact = re.findall(
        r'^catraca_cost_usd_total\{client="(.*?)",provider="(.*?)",model="(.*?)"\} (\d+\.\d{9})$',
        metrics.text,
        re.M,
    )
    assert {
        (client, model, provider): Decimal(text) for client, provider, model, text in exact
    } == {tuple(value for _, value in series): total for series, total in cost.items()}


def hold_one(connection, key):
    """Sends a request whose answer won't come."""
    headers = script(delay_ms=20_000)
    connection.send(connection.request("POST", "/v1/chat/completions", BODY, key, headers))


@pytest.fixture
def used(catraca):
    """A server after a plain answer, a stream, an error, an embedding and a refusal."""
    catraca.configuration.add_client("small", [BUDGET])
    catraca.start()
    catraca.post(BODY)
    catraca.post({**BODY, "stream": True})
    catraca.post(BODY, headers=script(status=500))
    catraca.post({"model": "text-embedding-3-small", "input": "x"}, path="/v1/embeddings")
    catraca.post(BODY, client="small")
    with catraca.connect() as connection:
        assert connection.get("/v1/models", catraca.key()).status == 200
    assert catraca.post({**BODY, "max_completion_tokens": 5000}, client="small").status == 429
    return catraca


def test_names_and_labels_are_those_of_the_contract(used):
    used.denials(1)
    eventually(lambda: Metrics.of(used).series("catraca_denials_total"), "the refusal")
    metrics = Metrics.of(used)
    labels = {}
    for sample in metrics.samples:
        labels.setdefault(sample.name, set()).update(sample.labels)
    assert {name: labels.get(name) for name in LABELS} == LABELS
    histograms = {name[: -len("_bucket")] for name in LABELS if name.endswith("_bucket")}
    assert labels.keys() - LABELS.keys() == {
        f"{name}_{part}" for name in histograms for part in ["sum", "count"]
    }


def test_promtool_finds_nothing_to_mend(used):
    assert promtool("check", "metrics", input=Metrics.of(used).text) == ""


def test_sums_are_those_of_the_rows_also_after_a_restart_and_a_kill(used):
    assert_equal_to_rows(Metrics.of(used), used.ledger.usage())
    before = Metrics.of(used).series("catraca_cost_usd_total")
    used.terminate()
    used.start()
    assert Metrics.of(used).series("catraca_cost_usd_total") == before
    used.post({**BODY, "stream": True})
    assert_equal_to_rows(Metrics.of(used), used.ledger.usage())
    used.kill()
    used.start()
    assert len(used.ledger.usage()) == 6
    assert_equal_to_rows(Metrics.of(used), used.ledger.usage())


def test_an_interrupted_request_counts_after_the_kill(catraca, sandbox):
    catraca.start()
    with catraca.connect() as connection:
        hold_one(connection, catraca.key())
        eventually(sandbox.journal, "the request")
        catraca.kill()
    catraca.start()
    assert catraca.row()["outcome"] == "interrupted"
    metrics = Metrics.of(catraca)
    assert_equal_to_rows(metrics, catraca.ledger.usage())
    assert metrics.value("catraca_overhead_seconds_count") == 0


def test_what_did_not_pass_the_proxy_counts_too(catraca, admin):
    report = {"userId": "acme", "tokensUsed": 7, "provider": "openai", "model": "gpt-4o-mini"}
    admin.done("POST", "/api/token-billing/process-usage", report)
    assert_equal_to_rows(Metrics.of(catraca), catraca.ledger.usage())


def test_models_outside_the_price_book_are_one(catraca):
    catraca.configuration.settings["metering"] = {"unknown_model": "free"}
    catraca.start()
    for number in range(3):
        assert catraca.post({**BODY, "model": f"mystery-{number}"}).status == 200
    catraca.post({**BODY, "model": "gpt-4o-mini-2024-07-18"})
    for _ in range(2):
        series = Metrics.of(catraca).series("catraca_requests_total")
        assert {dict(labels)["model"]: count for labels, count in series.items()} == {
            "other": 3,
            "gpt-4o-mini-2024-07-18": 1,
        }
        catraca.kill()
        catraca.start()


def test_budgets_show_what_is_used_held_and_allowed(catraca, sandbox):
    catraca.configuration.add_client("small", [BUDGET])
    catraca.start()
    catraca.post(BODY, client="small")
    row = catraca.row()
    labels = {"budget": "small/all", "currency": "BRL"}

    def shown(name):
        return Metrics.of(catraca).value(f"catraca_budget_{name}", **labels)

    assert shown("used_tokens") == row["total_tokens"]
    assert shown("used_cost") == row["cost_nano"] / 10**9
    assert (shown("limit_tokens"), shown("limit_cost")) == (1000, 500)
    assert (shown("held_tokens"), shown("held_cost")) == (0, 0)
    with catraca.connect() as connection:
        hold_one(connection, catraca.key("small"))
        eventually(lambda: shown("held_tokens") > 0, "the hold")
        assert shown("held_cost") > 0
        metrics = Metrics.of(catraca)
        assert metrics.value("catraca_requests_in_flight") == 1
        assert metrics.value("catraca_connections", listener="proxy") == 1
        assert metrics.value("catraca_connections", listener="admin") >= 1
    eventually(lambda: shown("held_tokens") == 0, "the end of the hold")
    eventually(
        lambda: Metrics.of(catraca).value("catraca_requests_in_flight") == 0, "the end of it"
    )


def test_a_budget_without_a_limit_of_cost_has_no_sample_of_it(catraca):
    catraca.configuration.add_client("small", [{"name": "t", "tokens": 10}])
    metrics = Metrics.of(catraca.start())
    assert metrics.sum("catraca_budget_limit_tokens", budget="small/t") == 10
    assert metrics.series("catraca_budget_limit_cost") == {}
    assert metrics.sum("catraca_budget_used_cost", budget="small/t") == 0


def test_histograms_have_every_request(used):
    metrics = Metrics.of(used)
    rows = [row for row in used.ledger.usage() if row["overhead_us"] is not None]
    total = sum(row["overhead_us"] for row in rows) / 10**6
    assert metrics.value("catraca_overhead_seconds_count") == len(rows) == 5
    assert metrics.value("catraca_overhead_seconds_sum") == pytest.approx(total)
    assert metrics.value("catraca_overhead_seconds_bucket", le="+Inf") == 5
    assert metrics.value("catraca_upstream_latency_seconds_count") == 5
    assert metrics.value("catraca_time_to_first_token_seconds_count") == sum(
        row["ttft_ms"] is not None for row in rows
    )


def test_upstream_latency_is_the_providers(catraca):
    catraca.start()
    catraca.post(BODY, headers=script(delay_ms=300))
    latency = Metrics.of(catraca).value("catraca_upstream_latency_seconds_sum")
    assert 0.3 <= latency <= catraca.row()["latency_ms"] / 1000 + 0.001


def test_refusals_are_counted_by_reason(used):
    used.denials(1)
    eventually(
        lambda: Metrics.of(used).series("catraca_denials_total")
        == {(("client", "small"), ("reason", "token_limit")): 1},
        "the refusal",
    )


def test_edits_of_the_configuration_are_counted(running):
    def counts():
        metrics = Metrics.of(running)
        return tuple(
            metrics.value(f"catraca_config_{name}_total")
            for name in ["reloads", "reload_failures"]
        )

    assert counts() == (0, 0)
    running.configuration.add_client("late")
    running.configuration.write()
    eventually(lambda: counts() == (1, 0), "the edit")
    text = json.dumps({**running.configuration.clients, "clientz": {}, "plants": {}})
    running.configuration.write_text("clients.yaml", text)
    eventually(lambda: counts() == (1, 1), "the bad edit")


def test_lag_grows_while_the_ledger_cannot_be_written(catraca):
    catraca.configuration.settings["ledger"]["on_failure"] = "allow"
    catraca.start()
    assert Metrics.of(catraca).value("catraca_ledger_lag_seconds") < 1
    with closing(sqlite3.connect(catraca.ledger.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert catraca.post(BODY).status == 200
        before = Metrics.of(catraca).value("catraca_ledger_lag_seconds")
        assert before > 0
        eventually(
            lambda: Metrics.of(catraca).value("catraca_ledger_lag_seconds") > before, "more lag"
        )
        other.execute("ROLLBACK")
    eventually(lambda: Metrics.of(catraca).value("catraca_ledger_lag_seconds") == 0, "no lag")
    assert_equal_to_rows(Metrics.of(catraca), catraca.ledger.usage())


def test_many_budgets_are_streamed_and_each_family_stands_together(catraca):
    for number in range(1500):
        catraca.configuration.add_client(f"c{number}", [{"name": "t", "tokens": 10}])
    catraca.start()
    host, port = catraca.process.address("admin")
    with Connection(host, port) as connection:
        reply = connection.get("/metrics")
        assert reply.status == 200
        assert reply.fields["transfer-encoding"] == "chunked"
    text = Metrics.of(catraca).text
    names = re.findall(r"^# TYPE (\w+) ", text, re.M)
    assert len(names) == len(set(names))
    assert text.count("\ncatraca_budget_limit_tokens{") == 1500
    test_promtool_finds_nothing_to_mend(catraca)


def promtool(*arguments, input=None):
    checked = subprocess.run(
        ["promtool", *arguments],
        cwd=REPOSITORY / "config/prometheus",
        input=input,
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    return checked.stdout + checked.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "config", "prometheus.yml"),
        ("check", "rules", "catraca.rules.yml"),
        ("test", "rules", "catraca.rules.test.yml"),
    ],
    ids=" ".join,
)
def test_rules_are_valid_and_say_what_they_should(arguments):
    promtool(*arguments)


@pytest.mark.parametrize(
    "file",
    ["prometheus/catraca.rules.yml", "prometheus/catraca.rules.test.yml", "grafana/catraca.json"],
)
def test_rules_and_dashboard_ask_for_metrics_that_there_are(used, file):
    used.denials(1)
    eventually(lambda: Metrics.of(used).series("catraca_denials_total"), "the refusal")
    there = {sample.name for sample in Metrics.of(used).samples}
    asked = set(re.findall(r"\bcatraca_\w+", (REPOSITORY / "config" / file).read_text()))
    assert asked and asked <= there, asked - there


def test_every_expression_of_the_dashboard_is_a_query(tmp_path):
    dashboard = json.loads((REPOSITORY / "config/grafana/catraca.json").read_text())
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    rules = [
        {"record": f"panel:expression{number}", "expr": filled(expression)}
        for number, expression in enumerate(expressions)
    ]
    file = tmp_path / "panels.yml"
    file.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    promtool("check", "rules", str(file))


def filled(expression):
    """The expression with what Grafana puts in the place of its variables."""
    for name, value in {"$__rate_interval": "1m", "$__range": "1h", "$client": ".*"}.items():
        expression = expression.replace(name, value)
    return expression
