#!/usr/bin/env python3
"""How long reports take on a ledger with a year of requests, or the dashboard's pages.

Fills a ledger with rows by SQL, starts `catraca serve` on it, and prints the first and the median
of each call in milliseconds as a Markdown table.

CATRACA_BIN names the binary, a release build.
"""

import argparse
import contextlib
import hashlib
import http.client
import json
import re
import sqlite3
import statistics
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

import servers

TOKEN = "of-the-benchmark"
DAYS = 365
CALLS = {
    "summary of 30 days": "/api/usage/summary?client=c1&days=30",
    "analytics of 90 days by day": "/api/analytics?client=c1&days=90",
    "the same, by model": "/api/analytics?client=c1&days=90&by=model",
    "the same, by week": "/api/analytics?client=c1&days=90&by=week",
    "the same, by month": "/api/analytics?client=c1&days=90&by=month",
    "the same, by operation": "/api/analytics?client=c1&days=90&by=operation",
    "the same, by agent": "/api/analytics?client=c1&days=90&by=agent",
    "the same, by provider": "/api/analytics?client=c1&days=90&by=provider",
    "the same, by key": "/api/analytics?client=c1&days=90&by=key",
    "the same, by user": "/api/analytics?client=c1&days=90&by=user",
    "the same, of one model": "/api/analytics?client=c1&days=90&model=gpt-4o",
    "the same, of one user": "/api/analytics?client=c1&days=90&user=u7",
    "the same, by conversation": "/api/analytics?client=c1&days=90&by=conversation",
    "all clients, by day": "/api/analytics?days=90",
    "all clients, by model": "/api/analytics?days=90&by=model",
    "all clients, by client": "/api/analytics?days=90&by=client",
    "all clients, by user": "/api/analytics?days=90&by=user",
    "all clients, by conversation": "/api/analytics?days=90&by=conversation",
    "usage-logs, first page": "/api/admin/usage-logs",
    "usage-logs of a client": "/api/admin/usage-logs?client=c1",
    "usage-logs of a user": "/api/admin/usage-logs?user=u7",
    "usage-logs of a conversation": "/api/admin/usage-logs?conversation=v7",
    "usage-logs of a model": "/api/admin/usage-logs?model=gpt-4o",
    "usage-logs of a key": "/api/admin/usage-logs?key=app",
    "usage-logs of a client's key": "/api/admin/usage-logs?client=c1&key=app",
    "usage-logs of a rare agent": "/api/admin/usage-logs?agent=rare",
    "usage-logs of a rare key": "/api/admin/usage-logs?key=rare",
    "usage-logs of a rare provider": "/api/admin/usage-logs?provider=groq",
    "usage-logs of a rare model": "/api/admin/usage-logs?model=llama-3.1-8b-instant",
    "usage-logs of a model that nobody used": "/api/admin/usage-logs?model=none",
    "usage-logs of a rare operation": "/api/admin/usage-logs?operation=embedding",
    "usage-logs of a rare outcome": "/api/admin/usage-logs?outcome=interrupted",
    "usage-logs of a rare usage_source": "/api/admin/usage-logs?usage_source=estimated",
    "usage-logs of rare streams": "/api/admin/usage-logs?stream=true",
    "usage-logs of a client's rare outcome": "/api/admin/usage-logs?client=c1&outcome=interrupted",
    "usage-logs of a day half a year ago": "/api/admin/usage-logs?from={from}&to={to}",
}
PAGES = {
    "Overview": "/dashboard/",
    "Clients": "/dashboard/clients",
    "Client": "/dashboard/clients/c1",
    "Client, 90 days by week, by operation": "/dashboard/clients/c1?days=90&per=week&by=operation",
    "Client, 90 days, by user": "/dashboard/clients/c1?days=90&by=user",
    "Client, 90 days, by conversation": "/dashboard/clients/c1?days=90&by=conversation",
    "Client, 90 days, by key": "/dashboard/clients/c1?days=90&by=key",
    "Requests": "/dashboard/requests",
    "Requests of a client": "/dashboard/requests?client=c1",
    "Requests of a client's user": "/dashboard/requests?client=c1&user=u7",
    "Requests of a client's rare outcome": "/dashboard/requests?client=c1&outcome=interrupted",
    "Requests of a model that nobody used": "/dashboard/requests?client=c1&model=none",
    "Requests of a day half a year ago": "/dashboard/requests?client=c1&from={from}&to={to}",
    "Refusals of a client": "/dashboard/refusals?client=c1",
    "Budgets of a client": "/dashboard/budgets?client=c1",
    "Keys of a client": "/dashboard/keys?client=c1",
    "Prices of a client": "/dashboard/prices?client=c1",
    "Billing": "/dashboard/billing",
    "Billing of a client": "/dashboard/billing/c1",
    "Audit trail": "/dashboard/audit?client=c1",
}
# A day's rows. Of every client and hour alike: each client has one conversation after the other, of
# 20 requests; users are spread over all of it. Rare values have a filter too.
INSERT_ROWS = """
    WITH RECURSIVE numbers (n) AS (
      SELECT :first UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :next),
    moments AS (SELECT n, :start + (n - :first) * 86400.0 / (:next - :first) AS moment
      FROM numbers)
    INSERT INTO usage_logs (request_id, client_id, key_name, user_id, conversation_id, agent_id,
      source, model, operation, endpoint, stream, status, outcome, usage_source, prompt_tokens,
      cached_tokens, cache_write_tokens, cache_write_long_tokens, audio_input_tokens,
      image_input_tokens, completion_tokens, reasoning_tokens, audio_output_tokens,
      image_output_tokens, total_tokens, audio_ms, characters, images, calls, cost_nano_usd,
      cost_nano, currency, held_tokens, held_nano_usd, overrun_tokens, overrun_nano_usd,
      latency_ms, created_at, day, budget_accounts, begins_conversation)
    SELECT printf('%08x-%04x-7000-8000-%012x', moment / 65.536, n & 65535, n),
      'c' || (n % :clients + 1),
      CASE WHEN n % 49999 = 0 THEN 'rare' WHEN n % 3 THEN 'web' ELSE 'app' END,
      'u' || (n * 104729 % 1000), 'v' || (n / (20 * :clients) * :clients + n % :clients),
      iif(n % 50000, NULL, 'rare'), iif(n % 50001, 'openai', 'groq'),
      CASE WHEN n % 50001 = 0 THEN 'llama-3.1-8b-instant'
        WHEN n % 4 = 0 THEN 'gpt-4o' ELSE 'gpt-4o-mini' END,
      iif(n % 50002, 'chat', 'embedding'), '/v1/chat/completions', n % 50003 = 0, 200,
      iif(n % 50004, 'ok', 'interrupted'), iif(n % 50005, 'reported', 'estimated'),
      500, 0, 0, 0, 0, 0, 100, 0, 0, 0, 600, 0, 0, 0, 0, 135000, 729000, 'BRL', 2000, 500000, 0, 0,
      800, strftime('%Y-%m-%dT%H:%M:%S.000Z', moment, 'unixepoch'), :day, '',
      n % (20 * :clients) < :clients
    FROM moments
"""
SUMS = """
    count(*), sum(prompt_tokens), sum(completion_tokens), sum(begins_conversation),
    sum(cost_nano_usd), sum(cost_nano)
"""
OF_THE_DAY = "FROM usage_logs WHERE id > :before"
INSERT_SUMS = [
    f"""INSERT INTO usage_daily SELECT client_id, day, :utc_day, key_name, coalesce(agent_id, ''),
      source, model, operation, currency, {SUMS} {OF_THE_DAY} GROUP BY 1, 2, 4, 5, 6, 7, 8, 9""",
    f"""INSERT INTO usage_daily_users SELECT client_id, day, :utc_day, user_id, currency, {SUMS}
      {OF_THE_DAY} GROUP BY 1, 4, 5""",
    f"""INSERT INTO usage_daily_conversations SELECT client_id, day, :utc_day, conversation_id,
      currency, {SUMS} {OF_THE_DAY} GROUP BY 1, 4, 5""",
    f"""INSERT INTO usage_hourly SELECT :utc_day * 24 + substr(created_at, 12, 2), source, model,
      operation, currency, {SUMS} {OF_THE_DAY} GROUP BY 1, 2, 3, 4, 5""",
    f"""INSERT INTO token_usage SELECT client_id, day, sum(prompt_tokens), sum(completion_tokens),
      sum(total_tokens), sum(begins_conversation), count(*), sum(cost_nano_usd) {OF_THE_DAY}
      GROUP BY 1""",
]
INDEXES = "SELECT name, sql FROM sqlite_master WHERE tbl_name = 'usage_logs' AND type = 'index'"


def fill(path, rows, clients):
    """Makes the rows of a year that ends now, and what is summed of them.

    The indexes of the rows are made anew at the end, which is faster."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        for setting in ["synchronous = OFF", "journal_mode = OFF", "cache_size = -262144"]:
            database.execute(f"PRAGMA {setting}")
        indexes = dict(database.execute(INDEXES))
        for name in indexes:
            database.execute(f"DROP INDEX {name}")
        database.execute("BEGIN")
        today = int(time.time()) // 86_400
        for number in range(DAYS):
            first, after = rows * number // DAYS, rows * (number + 1) // DAYS
            day = today - DAYS + 1 + number
            values = {
                "first": first,
                "next": after,
                "before": first,
                "clients": clients,
                "start": day * 86_400,
                "day": time.strftime("%Y-%m-%d", time.gmtime(day * 86_400)),
                "utc_day": day,
            }
            for statement in [INSERT_ROWS, *INSERT_SUMS]:
                database.execute(statement, values)
        # Nobody asks for metrics here, so a start needn't sum all rows.
        database.execute("UPDATE usage_totals_reach SET last_id = :rows", {"rows": rows})
        database.execute("COMMIT")
        for statement in indexes.values():
            database.execute(statement)
        database.execute("PRAGMA journal_mode = WAL")


def write_configuration(folder, clients):
    names = {f"c{number}": {} for number in range(1, clients + 1)}
    digest = hashlib.sha256(TOKEN.encode()).hexdigest()
    settings = {
        "proxy": {"listen": ["127.0.0.1:0"]},
        "admin": {
            "listen": ["127.0.0.1:0"],
            "tokens": [{"name": "benchmark", "role": "viewer", "sha256": digest}],
        },
        "providers": {"openai": {"base_url": "http://127.0.0.1:9/v1"}},
        "pricing": ["openai.yaml"],
        "ledger": {"url": f"sqlite:{folder}/ledger.db"},
        "currency": {"billing": "BRL", "per_usd": {"BRL": "5.40"}},
    }
    prices = {
        "provider": "openai",
        "currency": "USD",
        "source": "https://example.com/prices",
        "as_of": "2026-01-01",
        "models": {"gpt-4o": {"per_million_tokens": {"input": "1", "output": "2"}}},
    }
    (folder / "catraca.yaml").write_text(json.dumps(settings))
    (folder / "clients.yaml").write_text(json.dumps({"clients": names}))
    (folder / "openai.yaml").write_text(json.dumps(prices))


def measure(url, headers, repetitions):
    """How long each repetition takes, in milliseconds."""
    request = urllib.request.Request(url, headers=headers)
    durations = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        with urllib.request.urlopen(request, timeout=120) as answer:
            answer.read()
        durations.append((time.perf_counter() - begin) * 1000)
    return durations


def sign_in(address):
    """The headers of a browser that is signed in."""
    connection = http.client.HTTPConnection(address)
    with contextlib.closing(connection):
        connection.request("POST", "/dashboard/sign-in", f"token={TOKEN}")
        return {"cookie": connection.getresponse().headers["set-cookie"].split(";")[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--clients", type=int, default=20, help="who share the rows alike")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="keeps the ledger here, or uses the one here")
    parser.add_argument("--pages", action="store_true", help="measures the dashboard's pages")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = arguments.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if not (folder / "ledger.db").exists():
            folder.mkdir(parents=True, exist_ok=True)
            write_configuration(folder, arguments.clients)
            migrate = [servers.binary(), "migrate", "--config", str(folder)]
            subprocess.run(migrate, check=True, stdout=subprocess.DEVNULL)
            fill(folder / "ledger.db", arguments.rows, arguments.clients)
        command = [servers.binary(), "serve", "--config", str(folder)]
        server = servers.Server("catraca", command, None, folder / "output")
        stack.callback(server.stop)
        pattern = r'"listener":"admin","address":"(127\.0\.0\.1:\d+)"'
        address = server.wait_until(
            lambda output: (re.search(pattern, output) or [None, None])[1], "doesn't listen"
        )
        day = time.time() - 182 * 86_400
        span = {
            name: time.strftime("%Y-%m-%d", time.gmtime(day + later))
            for name, later in [("from", 0), ("to", 86_400)]
        }
        headers = sign_in(address) if arguments.pages else {"authorization": f"Bearer {TOKEN}"}
        print(f"| of {arguments.rows:,} rows | ms, first | ms, median |\n| --- | --- | --- |")
        for name, path in (PAGES if arguments.pages else CALLS).items():
            url = f"http://{address}{path.format_map(span)}"
            durations = measure(url, headers, arguments.repetitions)
            median = statistics.median(durations)
            print(f"| {name} | {durations[0]:.0f} | {median:.0f} |", flush=True)


if __name__ == "__main__":
    main()
