"""`catraca reconcile`: the provider's own report beside what was recorded."""

import datetime
import json
import urllib.request

import pytest
from harness.configuration import PROVIDER_KEYS
from harness.receivers import WebReceiver
from harness.sandbox import script

MODEL = "gpt-4o-mini"
BODY = {"model": MODEL, "messages": [{"role": "user", "content": "Hello"}]}
ADMIN_KEY = "sk-admin-of-the-organization"
COUNTS = ["requests", "input_tokens", "cached_tokens", "output_tokens"]
COSTS = ["cost_usd", "input_cost_usd", "cached_input_cost_usd", "output_cost_usd"]
QUANTITIES = COUNTS + COSTS


def today(shift=0):
    day = datetime.datetime.now(datetime.timezone.utc).date()
    return str(day + datetime.timedelta(days=shift))


def reconcile(catraca, *options, since=-1, output="json", key=ADMIN_KEY):
    """Its exit status, its report and what it said besides; of yesterday too, for who tests at
    midnight."""
    catraca.environment["OPENAI_ADMIN_KEY"] = key
    span = ["--from", today(since), "--to", today()]
    given = ["--provider", "openai", *span, "--format", output, *options]
    done = catraca.command("reconcile", *given)
    for secret in [ADMIN_KEY, *PROVIDER_KEYS.values()]:
        assert secret not in done.stdout + done.stderr
    report = json.loads(done.stdout) if output == "json" and done.stdout else done.stdout
    return done.returncode, report, done.stderr


def in_all(report):
    """The differences, summed up over days."""
    sums = {}
    for row in report["differences"]:
        name = (row["model"], row["quantity"])
        ours, theirs = sums.get(name, (0, 0))
        sums[name] = (ours + float(row["ours"]), theirs + float(row["theirs"]))
    return sums


@pytest.fixture
def used(running):
    """A server that was used for two models, in every way that texts are."""
    running.post(BODY)
    running.post({**BODY, "stream": True})
    cached = script(prompt_tokens=2000, cached_tokens=1024, completion_tokens=10)
    assert running.post(BODY, headers=cached).status == 200
    running.post({"model": MODEL, "input": "Hello"}, "/v1/responses")
    running.post({"model": "text-embedding-3-small", "input": ["a", "b"]}, "/v1/embeddings")
    failing = running.post(BODY, headers=script(status=500))
    assert failing.status == 500
    assert running.terminate() == 0
    return running


def test_what_was_recorded_is_what_the_provider_reports(used):
    status, report, notes = reconcile(used, "--threshold", "0")
    assert (status, report["differences"]) == (0, []), report
    assert report["compared"] >= len(QUANTITIES) + len(["all costs"]) + 3
    assert (report["provider"], report["from"], report["to"]) == ("openai", today(-1), today())
    # A part that this stand-in doesn't have, as others may not.
    assert notes == "reconcile: openai has no usage/decisions: not compared\n"


def test_prices_that_the_book_lacks_are_named(used):
    """Half of the price that the provider charges, as for a tier that the book has no price for."""
    with used.ledger.changing() as database:
        database.execute("UPDATE usage_logs SET provider_cost_nano_usd = 2 * cost_nano_usd")
    status, report, _ = reconcile(used, since=0)
    assert status == 1
    # Yesterday's and today's costs may not be complete yet.
    assert {(row["quantity"], row["reason"]) for row in report["differences"]} == {
        ("cost_usd", "report_incomplete")
    }
    with used.ledger.changing() as database:
        database.execute(
            "UPDATE usage_logs SET provider_cost_nano_usd = (10 * cost_nano_usd + 10) / 11"
        )
    _, report, _ = reconcile(used, since=0)
    reasons = {row["model"]: row["reason"] for row in report["differences"]}
    assert reasons[MODEL] == reasons[None] == "regional_price"


def test_the_bill_is_compared_line_by_line(running, sandbox):
    """A price of output that is too low, by model and kind, beside tools that cost what they
    should."""
    tools = [{"type": "web_search"}, {"type": "code_interpreter", "container": {"type": "auto"}}]
    body = {"model": MODEL, "input": "Hello", "tools": tools, "max_tool_calls": 9}
    used = {"prompt_tokens": 2000, "cached_tokens": 1024, "completion_tokens": 500}
    does = script(web_searches=2, containers=1, **used)
    assert running.post(body, "/v1/responses", headers=does).status == 200
    assert running.terminate() == 0
    status, report, _ = reconcile(running, "--threshold", "0")
    assert (status, report["differences"]) == (0, []), report
    with running.ledger.changing() as database:
        database.execute(
            """UPDATE price_versions
            SET record = replace(record, 'price.output 0.6', 'price.output 0.4')"""
        )
    status, report, _ = reconcile(running, "--threshold", "0")
    assert status == 1
    [row] = report["differences"]
    assert (row["model"], row["quantity"]) == (MODEL, "output_cost_usd")
    assert (row["ours"], row["theirs"]) == ("0.000200000", "0.000300000")
    assert row["reason"] == "priority_price"


def test_calls_of_tools_and_containers_are_compared(running):
    tools = [{"type": "web_search"}, {"type": "code_interpreter", "container": {"type": "auto"}}]
    body = {"model": MODEL, "input": "Hello", "tools": tools, "max_tool_calls": 9}
    does = script(web_searches=2, file_searches=3, containers=1)
    assert running.post(body, "/v1/responses", headers=does).status == 200
    kinds = {"web_search": 2, "file_search": 3, "code_interpreter": 1}
    assert json.loads(running.row()["tool_calls"]) == kinds
    assert running.terminate() == 0
    status, report, _ = reconcile(running, "--threshold", "0")
    counted = [row for row in report["differences"] if not row["quantity"].endswith("cost_usd")]
    assert counted == [], report
    with running.ledger.changing() as database:
        database.execute("UPDATE usage_logs SET tool_calls = '{\"web_search\":1,\"shell\":2}'")
    status, report, _ = reconcile(running, "--threshold", "0")
    found = {
        (row["model"], row["quantity"]): (row["ours"], row["theirs"], row["reason"])
        for row in report["differences"]
        if not row["quantity"].endswith("cost_usd")
    }
    assert (status, found) == (
        1,
        {
            (MODEL, "web_search_calls"): (1, 2, "tools_elsewhere"),
            (None, "file_search_calls"): (0, 3, "tools_elsewhere"),
            (None, "container_sessions"): (2, 1, "report_incomplete"),
        },
    )


def test_people_read_that_it_is_well(used):
    status, text, _ = reconcile(used, output="table")
    assert status == 0
    assert text.startswith(f"ok: openai, {today(-1)} to {today()}: ")


def test_many_days_come_in_many_pages(used, sandbox):
    status, report, _ = reconcile(used, "--threshold", "0", since=-200)
    assert (status, report["differences"]) == (0, []), report


def test_a_row_that_is_missing_is_named(used):
    with used.ledger.changing() as database:
        deleted = database.execute("DELETE FROM usage_logs WHERE cached_tokens > 0")
        assert deleted.rowcount == 1
    status, report, _ = reconcile(used)
    assert status == 1
    found = in_all(report)
    assert {quantity for model, quantity in found if model == MODEL} == set(QUANTITIES)
    assert {name for name in found if name[0] != MODEL} == {(None, "cost_usd")}
    ours, theirs = found[MODEL, "requests"]
    assert theirs - ours == 1
    ours, theirs = found[MODEL, "input_tokens"]
    assert theirs - ours == 2000


def test_use_that_did_not_pass_here_is_named(used, sandbox):
    request = urllib.request.Request(
        f"{sandbox.url}/v1/chat/completions",
        json.dumps({**BODY, "model": "gpt-4o"}).encode(),
        {"authorization": "Bearer sk-of-somebody-else", "content-type": "application/json"},
    )
    urllib.request.urlopen(request).close()
    status, report, _ = reconcile(used)
    assert status == 1
    found = in_all(report)
    assert found["gpt-4o", "requests"] == (0, 1)
    [row] = [row for row in report["differences"] if row["quantity"] == "requests"]
    assert row["reason"] == "use_elsewhere"
    assert "another key" in report["reasons"]["use_elsewhere"]
    assert (row["ours"], row["theirs"], row["difference"]) == (0, 1, -1)
    assert (row["model"], row["difference_percent"]) == ("gpt-4o", 100.0)
    status, text, _ = reconcile(used, output="table")
    assert status == 1 and "gpt-4o" in text and "differing by more than 1 %" in text
    assert f"\nuse_elsewhere: {report['reasons']['use_elsewhere']}\n" in text
    # All differences are of 100 % at most.
    assert reconcile(used, "--threshold", "100")[0] == 0


def test_differences_are_in_the_servers_log_where_that_is_a_file(used, sandbox):
    used.configuration.settings["log"]["file"] = "catraca.log"
    used.configuration.write()
    used.log_file.touch()
    assert reconcile(used)[0] == 0 and used.log_file.read_bytes() == b""
    sandbox.clear()
    _, report, _ = reconcile(used)
    lines = [json.loads(line) for line in used.log_file.read_bytes().splitlines()]
    assert {(line["event"], line["level"]) for line in lines} == {
        ("reconciliation_difference", "warn")
    }
    told = [
        (line["day"], line["model"], line["quantity"], line["ours"], line["reason"])
        for line in lines
    ]
    assert told == [
        (row["day"], row["model"], row["quantity"], str(row["ours"]), row["reason"])
        for row in report["differences"]
    ]


def test_differences_are_told_where_alerts_go(used, sandbox):
    receiver = WebReceiver()
    try:
        used.configuration.settings["alerts"] = {"webhooks": [{"url": receiver.url}]}
        used.configuration.write()
        status, _, notes = reconcile(used, "--alert")
        assert status == 0 and "alert" not in notes
        assert receiver.deliveries == []
        sandbox.clear()
        status, _, notes = reconcile(used, "--alert")
        assert status == 1 and "reconcile: alert webhook:0 delivered: 200" in notes
        [post] = receiver.deliveries
        body = post.json()
        assert body["type"] == "reconciliation.difference" and body["client_id"] is None
        assert body["text"].startswith("openai, ") and MODEL in body["text"]
    finally:
        receiver.close()


def test_what_cannot_be_compared_is_an_error_in_words(used, sandbox):
    def refused(*options):
        done = used.command("reconcile", *options)
        assert done.returncode == 1 and done.stdout == ""
        return done.stderr

    groq = refused("--provider", "groq")
    assert "groq has no report of use and costs" in groq and "allowed: openai" in groq
    assert "OPENAI_ADMIN_KEY holds no key" in refused("--provider", "openai")
    used.environment["OTHER"] = ADMIN_KEY
    used.configuration.settings["providers"]["openai"]["base_url"] = f"{sandbox.url}/sandbox"
    used.configuration.write()
    done = used.command("reconcile", "--provider", "openai", "--key-env", "OTHER")
    assert "openai has no usage/completions: not compared" in done.stderr


def with_own_key(catraca):
    """A started server whose client `acme` has a key of its own, and whose client `beta` hasn't."""
    catraca.environment["ACME_OPENAI_KEY"] = "sk-own-account-of-acme"
    catraca.configuration.add_client("beta")
    keys = {"openai": {"api_key_env": "ACME_OPENAI_KEY"}}
    catraca.configuration.clients["clients"]["acme"]["provider_keys"] = keys
    return catraca.start()


def test_use_with_a_clients_own_key_is_not_in_the_common_account(catraca, sandbox):
    with_own_key(catraca)
    catraca.post(BODY)
    sandbox.clear()
    catraca.post(BODY, client="beta")
    status, report, notes = reconcile(catraca)
    assert (status, report["differences"]) == (0, []), report
    assert "left out, as they have keys of their own for openai: acme\n" in notes


def test_the_account_of_a_clients_own_key_is_compared_for_itself(catraca, sandbox):
    with_own_key(catraca)
    catraca.post(BODY, client="beta")
    sandbox.clear()
    catraca.post(BODY)
    status, report, notes = reconcile(catraca, "--client", "acme")
    assert (status, report["differences"]) == (0, []), report
    assert "left out" not in notes
    status, _, notes = reconcile(catraca, "--client", "beta")
    assert status != 0
    assert "the client beta has no key of its own for openai; allowed: acme" in notes
