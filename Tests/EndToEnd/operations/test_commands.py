"""The command line."""

import json
import subprocess
from decimal import Decimal

import pytest
from harness.process import REPOSITORY, binary
from harness.sandbox import expected_usage

MESSAGES = [{"role": "user", "content": "Hello"}]
BODY = {"model": "gpt-4o-mini", "messages": MESSAGES}


def run(*arguments):
    return subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("arguments", [["help"], ["--help"], ["version"], ["serve", "--help"]])
def test_help_and_version_are_exit_0(arguments):
    done = run(*arguments)
    assert done.returncode == 0
    assert done.stdout


@pytest.mark.parametrize("arguments", [[], ["no-such-command"], ["serve", "--no-such-option"]])
def test_wrong_usage_is_exit_2_and_says_so_on_stderr(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr and not done.stdout


def test_the_configuration_that_is_shipped_is_valid():
    done = run("check", "--config", str(REPOSITORY / "config"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_check_names_every_mistake_with_its_place(catraca):
    configuration = catraca.configuration
    configuration.write()
    text = (configuration.folder / "catraca.yaml").read_text()
    mistakes = {
        '"level": "debug"': '"level": "loud"',
        '"format": "json"': '"formt": "json"',
        '"billing": "BRL"': '"billing": 7',
    }
    for good, bad in mistakes.items():
        assert good in text
        text = text.replace(good, bad)
    configuration.write_text("catraca.yaml", text)
    done = catraca.command("check")
    assert done.returncode == 1
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "catraca.yaml:" in line]
    assert len(lines) == len(mistakes)
    for line in lines:
        _, row, column, what = line.split(":", 3)
        assert int(row) > 0 and int(column) > 0 and what.strip()
    assert any("formt" in line and "format" in line for line in lines)


def test_usage_sums_up_what_was_recorded(running):
    for _ in range(3):
        running.post(BODY)
    done = running.command("usage", "--client", "acme", "--by", "model", "--format", "json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["totals"]["requests"] == 3
    assert report["totals"]["tokens_total"] == 3 * expected_usage(MESSAGES).total
    [entry] = report["series"]
    assert entry["key"] == BODY["model"]
    cost = sum(row["cost_nano_usd"] for row in running.ledger.usage())
    assert Decimal(report["totals"]["cost_usd"]) == Decimal(cost) / 10**9


def test_explain_shows_how_a_cost_came_about(running):
    answer = running.post(BODY)
    row = running.row()
    done = running.command("explain", answer.fields["x-catraca-request-id"])
    assert done.returncode == 0, done.stderr
    assert row["cost_usd"] in done.stdout
    assert str(row["prompt_tokens"]) in done.stdout
    assert "openai.yaml" in done.stdout


def test_explain_names_each_cost_once(catraca):
    """Charged in dollars, and with a markup: the client's cost and the provider's."""
    catraca.configuration.settings["currency"] = {"billing": "USD"}
    catraca.configuration.clients["clients"]["acme"]["markup"] = "20%"
    catraca.start()
    answer = catraca.post(BODY)
    shown = catraca.command("explain", answer.fields["x-catraca-request-id"]).stdout
    record, tables = shown.split("What the provider charges", 1)
    assert (record.count("Cost USD"), record.count("Provider USD")) == (1, 1)
    assert (tables.count("Cost USD"), tables.count("Provider USD")) == (1, 1)


def test_explain_of_an_unknown_request_is_exit_1(running):
    done = running.command("explain", "01900000-0000-7000-8000-000000000000")
    assert done.returncode == 1
    assert done.stderr


def test_denials_lists_why_requests_were_refused(catraca):
    budget = {"name": "all", "mode": "tokens", "tokens": 100, "period": "total"}
    catraca.configuration.add_client("small", [budget])
    catraca.start()
    assert catraca.post({**BODY, "max_completion_tokens": 500}, client="small").status == 429
    done = catraca.command("denials", "--since", "1h")
    assert done.returncode == 0, done.stderr
    assert "small/all" in done.stdout and "token_limit" in done.stdout


def test_price_is_exact(catraca):
    catraca.configuration.write()
    done = catraca.command("price", "gpt-4o-mini", "--in", "1000", "--out", "1000")
    assert done.returncode == 0, done.stderr
    assert "0.000750000" in done.stdout


def test_audit_of_an_untouched_ledger_is_exit_0_and_of_a_changed_one_exit_1(running):
    running.post(BODY)
    assert running.terminate() == 0
    assert running.command("audit").returncode == 0
    with running.ledger.changing() as database:
        database.execute("UPDATE usage_logs SET cost_nano_usd = cost_nano_usd + 1")
    done = running.command("audit")
    assert done.returncode == 1
    assert "cost" in done.stdout + done.stderr


@pytest.mark.parametrize(
    "line",
    ["serve", "migrate", "doctor --offline", "check --accept", "audit", "usage", "denials",
     "budget status", "client list", "client create beta", "replica list"],
)  # fmt: skip
def test_a_ledger_of_a_build_before_version_1_is_refused(running, line):
    running.post(BODY)
    assert running.terminate() == 0
    with running.ledger.changing() as database:
        # Builds before version 1 numbered 35 steps, and called the first one so.
        database.execute("UPDATE schema_migrations SET name = 'first tables'")
        database.execute("INSERT INTO schema_migrations (number, name) VALUES (35, 'the last')")
    done = running.command(*line.split())
    assert done.returncode == 1
    assert "was made by a build before version 1 of the" in done.stdout + done.stderr
    with running.ledger.changing() as database:
        database.execute("DELETE FROM schema_migrations WHERE number = 35")
        database.execute("UPDATE schema_migrations SET name = 'version 1'")
    # It is left as it was.
    assert running.command("audit").returncode == 0


def test_demo_takes_its_tour_and_ends(tmp_path):
    done = subprocess.run(
        [binary(), "demo", "--exit"], capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "429" in done.stdout
