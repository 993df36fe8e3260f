"""A month of made-up traffic with markups, batches, work in the background, tools, containers and
sessions: all that is shown of it agrees to the nano-unit."""

import csv
import io
import json
import random
import tempfile
from collections import Counter
from contextlib import ExitStack
from decimal import Decimal, ROUND_CEILING
from pathlib import Path

import pytest
from harness.billing import declare_plan
from harness.catraca import Catraca
from harness.chosen_ledger import IS_POSTGRESQL
from harness.clock import Clock
from harness.configuration import sandbox_providers
from harness.metrics import Metrics
from harness.objects import assign
from harness.postgres import PostgresServer
from harness.postgres_ledger import PostgresLedger
from harness.realtime import MODEL as REALTIME
from harness.realtime import open_session, respond, say, send
from harness.sandbox import Sandbox, script
from harness.waiting import eventually
from test_batches import line, submit
from test_margin import assert_nothing

MONTH = "2027-01"
SPAN = f"from={MONTH}-01&to=2027-02-01"
MARKUPS = {"acme": "20%", "beta": "-5%", "gamma": "12.75%", "delta": "0%"}
BRL = Decimal("5.40")
CHAT, EMBEDDING = "gpt-4o-mini", "text-embedding-3-small"
BOOK = {
    CHAT: ("0.15", "0.075", "0.6"),
    EMBEDDING: ("0.02", "0.02", "0"),
    REALTIME: ("4", "0.4", "16"),
}
OWN = {**BOOK, CHAT: ("0.30", "0.3", "0.9")}
BATCH = ("0.075", "0.075", "0.3")
CALLS = {"web_search": "0.025", "file_search": "0.0025", "code_interpreter": "0.03"}
TOOLS = [
    {"type": "web_search"},
    {"type": "file_search", "vector_store_ids": ["vs_month"]},
    {"type": "code_interpreter", "container": {"type": "auto", "memory_limit": "1g"}},
]
BATCH_LINES = 3
SUMS = ["cost_nano_usd", "cost_nano", "provider_cost_nano_usd"]
ROLLUPS = ["usage_daily", "usage_daily_users", "usage_daily_conversations", "usage_hourly"]


def nano(text):
    return int(Decimal(text) * 10**9)


def priced(row, prices):
    """The row's quantities at prices per million tokens, in nano-dollars, not rounded."""
    fresh = row["prompt_tokens"] - row["cached_tokens"]
    quantities = fresh, row["cached_tokens"], row["completion_tokens"]
    rates = BATCH if row["operation"] == "batch" else prices[row["model"]]
    tokens = sum(
        count * Decimal(price) for count, price in zip(quantities, rates, strict=True)
    )
    calls = json.loads(row["tool_calls"] or "{}")
    assert sum(calls.values()) == row["calls"]
    return 1000 * tokens + sum(count * nano(CALLS[kind]) for kind, count in calls.items())


def ceiling(amount):
    return int(amount.to_integral_value(ROUND_CEILING))


@pytest.fixture
def timed(configuration, tmp_path):
    """A server that isn't started yet, and its clock, which is also that of its database."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="catraca-clock-")))
        # PostgreSQL is run by another user.
        folder.chmod(0o755)
        server = Catraca(configuration)
        clock = Clock(server, folder)
        if IS_POSTGRESQL:
            database = stack.enter_context(PostgresServer(clock.environment))
            server.use(PostgresLedger(database), tmp_path)
        stack.callback(server.end)
        yield server, clock


@pytest.fixture
def catraca(timed):
    return timed[0]


@pytest.fixture
def clock(timed):
    return timed[1]


@pytest.fixture
def provider(catraca, clock, tmp_path):
    """A stand-in provider whose clock is the server's, so that its report is of the same days."""
    folder = tmp_path / "provider"
    folder.mkdir()
    launcher = ["env", *(f"{name}={value}" for name, value in clock.environment.items())]
    sandbox = Sandbox(folder, launcher)
    yield sandbox
    sandbox.end()


@pytest.fixture
def month(catraca, tokens, clock, provider):
    """The ledger after the month, the server still running on its last day."""
    configuration = catraca.configuration
    configuration.settings["providers"] = sandbox_providers(provider.url)
    configuration.settings["admin"]["metrics"] = "token"
    budget = {"name": "month", "cost": "1000", "currency": "BRL", "period": "monthly"}
    for client, markup in MARKUPS.items():
        configuration.add_client(client, [budget])
        configuration.clients["clients"][client] |= {"timezone": "UTC", "markup": markup}
    declare_plan(configuration, included=0, every=10_000, charge="1.00")
    clock.set(f"{MONTH}-01T00:00:10+00:00")
    admin = catraca.start().admin(tokens["admin"])
    input_, cached, output = OWN[CHAT]
    own = {"input": input_, "cached_input": cached, "output": output}
    body = {"client_id": "gamma", "provider": "openai", "model": CHAT, "per_million_tokens": own}
    admin.done("POST", "/api/pricing-config", body, status=201)
    assign(catraca.ledger, "vs_month", "vector_store", "*")
    chance = random.Random(25)
    for day in range(1, 32):
        works = [use, use, use, use_tools, chance.choice([use_later, use_batch, use_session])]
        for work in works:
            clock.set(f"{MONTH}-{day:02}T{chance.randrange(1, 23):02}:10:00+00:00")
            work(catraca, chance)
    clock.set(f"{MONTH}-31T23:30:00+00:00")
    return catraca


def tokens_by(chance):
    tokens = {"prompt_tokens": chance.randrange(101, 900)}
    tokens["cached_tokens"] = chance.randrange(0, tokens["prompt_tokens"])
    tokens["completion_tokens"] = chance.randrange(0, 90)
    return tokens


def use_tools(catraca, chance):
    """A response that searches, and runs code in containers."""
    names = ["web_searches", "file_searches", "containers"]
    calls = {name: chance.randrange(0, 3) for name in names}
    body = {"model": CHAT, "input": "Hello", "tools": TOOLS, "max_tool_calls": 12}
    does = script(**tokens_by(chance), **calls)
    answer = catraca.post(body, "/v1/responses", chance.choice(list(MARKUPS)), does)
    assert answer.status == 200, answer


def use_later(catraca, chance):
    """A response in the background, which its client asks for."""
    client = catraca.openai(chance.choice(list(MARKUPS)))
    options = {"model": CHAT, "input": "Hello", "background": True, "max_output_tokens": 100}
    created = client.responses.create(**options, extra_headers=script(**tokens_by(chance)))
    eventually(lambda: client.responses.retrieve(created.id).status == "completed", "its end")
    eventually(lambda: not catraca.ledger.deferred(), "its row")


def use_batch(catraca, chance):
    """A batch of a client that pays the book's prices or a multiple of them."""
    client = catraca.openai(chance.choice(["acme", "beta", "delta"]))
    lines = [line(number, "Hello") for number in range(BATCH_LINES)]
    created = submit(client, lines, script(**tokens_by(chance)))
    eventually(lambda: client.batches.retrieve(created.id).status == "completed", "its end")
    eventually(lambda: not catraca.ledger.deferred(), "its rows")


def use_session(catraca, chance):
    """Two turns of a session over a WebSocket."""
    does = script(**tokens_by(chance))
    with open_session(catraca, chance.choice(list(MARKUPS)), headers=does.items()) as session:
        for _ in range(2):
            send(session, "conversation.item.create", item=say("Hello"))
            respond(session)


def use(catraca, chance):
    """One request of a client: its endpoint, its tokens and its fate by chance."""
    client = chance.choice(list(MARKUPS))
    tokens = tokens_by(chance)
    headers = {"x-catraca-user": f"u{chance.randrange(3)}"}
    chat = {"model": CHAT, "messages": [{"role": "user", "content": "Hello " * 200}]}
    chat["max_completion_tokens"] = 100
    path, body, does = chance.choice(
        [
            ("/v1/chat/completions", chat, tokens),
            ("/v1/chat/completions", {**chat, "stream": True}, tokens),
            ("/v1/responses", {"model": CHAT, "input": "Hello " * 30}, {}),
            ("/v1/embeddings", {"model": EMBEDDING, "input": "Hello " * chance.randrange(9)}, {}),
            ("/v1/chat/completions", chat, {"status": 500}),
        ]
    )
    answer = catraca.post(body, path, client, {**headers, **(script(**does) if does else {})})
    assert answer.status == does.get("status", 200), answer


def assert_sums(found, expected, where):
    assert {key: value for key, value in found.items() if any(value)} == expected, where


def sums_by(rows, *columns):
    """The sums of charges in US dollars and in reais, and of the provider's charges."""
    sums = {}
    for row in rows:
        key = tuple(row[column] for column in columns)
        sums[key] = [
            old + row[name] for old, name in zip(sums.get(key, [0, 0, 0]), SUMS, strict=True)
        ]
    return sums


def test_rows_rollups_answers_exports_metrics_and_the_providers_report_agree(month, tokens):
    rows = month.ledger.usage()
    assert {row["day"][:7] for row in rows} == {MONTH}
    kinds = Counter((row["operation"], row["endpoint"]) for row in rows)
    assert kinds["batch", "/v1/chat/completions"] >= 5 * BATCH_LINES
    assert kinds["realtime", "/v1/realtime"] >= 10 and kinds["responses", "/v1/responses"] >= 40
    calls = sum((Counter(json.loads(row["tool_calls"] or "{}")) for row in rows), Counter())
    assert set(calls) == set(CALLS) and min(calls.values()) > 10
    for row in rows:
        markup = 1 + Decimal(MARKUPS[row["client_id"]].rstrip("%")) / 100
        charged = priced(row, OWN if row["client_id"] == "gamma" else BOOK) * markup
        expected = [ceiling(charged), ceiling(charged * BRL), ceiling(priced(row, BOOK))]
        assert [row[name] for name in SUMS] == expected, row
    [all_] = sums_by(rows).values()
    assert all_[0] != all_[2] > 0
    admin = month.admin(tokens["admin"])
    compare_answers(admin, rows, all_)
    compare_exports(month, admin, all_)
    compare_metrics(month, tokens, rows)
    compare_invoice(month, rows)
    assert month.terminate() == 0
    compare_rollups(month, all_)
    audit = month.command("audit")
    assert audit.returncode == 0, audit.stdout
    compare_report(month)


def compare_answers(admin, rows, all_):
    def figures(entry, prefix=""):
        names = [f"{prefix}{name}_usd" for name in ["cost", "provider_cost", "margin"]]
        return [nano(entry[name]) for name in names]

    expected = [all_[0], all_[2], all_[0] - all_[2]]
    for by, column in [("client", "client_id"), ("model", "model"), ("day", "day")]:
        answer = admin.done("GET", f"/api/analytics?by={by}&{SPAN}")
        assert figures(answer["totals"]) == expected
        assert nano(answer["totals"]["cost"]) == all_[1]
        found = {(line["key"],): figures(line)[:2] for line in answer["series"]}
        sums = {key: [a, c] for key, (a, _, c) in sums_by(rows, column).items()}
        assert_sums(found, {key: value for key, value in sums.items() if any(value)}, by)
    for client in MARKUPS:
        own = [row for row in rows if row["client_id"] == client]
        [(usd, brl, provider)] = sums_by(own).values()
        summary = admin.done("GET", f"/api/usage/summary?client={client}&days=31")
        assert figures(summary, "total_") == [usd, provider, usd - provider]
        days = [figures(day) for day in summary["daily_usage"]]
        assert [sum(column) for column in zip(*days)] == [usd, provider, usd - provider]
        budget = admin.done("GET", f"/api/admin/budgets/{client}/month")
        assert nano(budget["current_cost"]) == brl


def compare_exports(catraca, admin, all_):
    def sums(entries, *names):
        return [sum(nano(entry[name]) for entry in entries) for name in names]

    logs = f"/api/admin/usage-logs?{SPAN}&format="
    lines = [json.loads(line) for line in admin.get(logs + "jsonl").text.splitlines()]
    sheet = list(csv.DictReader(io.StringIO(admin.get(logs + "csv").text)))
    for entries in [lines, sheet]:
        assert sums(entries, "cost_usd", "cost", "provider_cost_usd") == all_
    focus = list(csv.DictReader(io.StringIO(admin.get(logs + "focus").text)))
    assert sums(focus, "x_CostUsd", "BilledCost", "x_ProviderCost") == all_
    assert sums(focus, "EffectiveCost") == [all_[1]]
    done = catraca.command("usage", "--days", "31", "--by", "client", "--format", "json")
    report = json.loads(done.stdout)
    for entries in [[report["totals"]], report["series"]]:
        assert sums(entries, "cost_usd", "cost", "provider_cost_usd") == all_
        assert sums(entries, "margin_usd") == [all_[0] - all_[2]]


def compare_metrics(catraca, tokens, rows):
    metrics = Metrics.of(catraca, tokens["admin"])
    for place, name in [(0, "catraca_cost_usd_total"), (2, "catraca_provider_cost_usd_total")]:
        found = Counter()
        for line in metrics.text.splitlines():
            if line.startswith(name + "{"):
                client = line.split('client="')[1].split('"')[0]
                found[client] += nano(line.rsplit(" ", 1)[1])
        assert found == {key: sums[place] for (key,), sums in sums_by(rows, "client_id").items()}


def compare_invoice(catraca, rows):
    own = [row for row in rows if row["client_id"] == "acme"]
    done = catraca.command("invoice", "acme", "--period", MONTH, "--format", "json")
    assert done.returncode == 0, done.stderr
    invoice = json.loads(done.stdout)
    assert invoice["audit"] == {"ok": True, "differences": []}
    assert invoice["tokens_total"] == sum(row["total_tokens"] for row in own)
    assert len(invoice["lines"]) == 1 + -(-invoice["tokens_total"] // 10_000)
    found = {line["model"]: nano(line["cost_usd"]) for line in invoice["usage"]}
    assert found == {model: sums[0] for (model,), sums in sums_by(own, "model").items()}
    assert_nothing(done.stdout, "the invoice")


def compare_rollups(catraca, all_):
    for table in [*ROLLUPS, "usage_totals"]:
        rows = catraca.ledger.rows(table)
        charged = sum(row["cost_nano_usd"] for row in rows)
        difference = sum(row["provider_difference_nano_usd"] for row in rows)
        assert [charged, charged + difference] == [all_[0], all_[2]], table


def compare_report(catraca):
    catraca.environment["OPENAI_ADMIN_KEY"] = "sk-admin-of-the-organization"
    span = ["--from", f"{MONTH}-01", "--to", f"{MONTH}-31"]
    options = ["--provider", "openai", "--threshold", "0", "--format", "json"]
    done = catraca.command("reconcile", *options, *span)
    report = json.loads(done.stdout)
    assert (done.returncode, report["differences"]) == (0, []), report
    assert report["compared"] > 31 * 12
    # The same report, without one row's calls: only they differ.
    with catraca.ledger.changing() as database:
        changed = database.execute(
            """UPDATE usage_logs SET tool_calls = '{"web_search":1}' WHERE id =
            (SELECT min(id) FROM usage_logs WHERE tool_calls LIKE '%code_interpreter":1%')"""
        )
        assert changed.rowcount == 1
    report = json.loads(catraca.command("reconcile", *options, *span).stdout)
    quantities = {line["quantity"] for line in report["differences"]}
    assert {"container_sessions", "container_cost_usd"} <= quantities
    counts = {"container_sessions", "file_search_calls", "web_search_calls"}
    costs = {"container_cost_usd", "file_search_cost_usd", "web_search_cost_usd"}
    assert quantities <= counts | costs
