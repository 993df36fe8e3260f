"""An edit is in force within two seconds, all of it or nothing."""

import json
import signal
from collections import Counter

from harness.configuration import new_key
from harness.metrics import Metrics
from harness.rows import assert_cost
from harness.sandbox import expected_usage
from harness.waiting import eventually

MESSAGES = [{"role": "user", "content": "Hello"}]
BODY = {"model": "gpt-4o-mini", "messages": MESSAGES}
IN_FORCE = 3.0  # two seconds, and one for a busy machine


def cost(catraca):
    catraca.post(BODY)
    return catraca.ledger.usage()[-1]["cost_nano_usd"]


def edit_price(catraca, old, new):
    path = catraca.configuration.price_file("openai")
    text = path.read_text()
    start = text.index("\n  gpt-4o-mini:")
    at = text.index(old, start)
    assert at - start < 2000, "the price to edit is not that model's"
    catraca.configuration.write_text("pricing/openai.yaml", text[:at] + new + text[at + len(old) :])


def test_a_new_price_counts_for_the_next_request_and_not_for_the_last(running):
    before = cost(running)
    edit_price(running, '"0.15"', '"1.15"')
    eventually(lambda: cost(running) > before, "the new price", IN_FORCE)
    first, *_, last = running.ledger.usage()
    assert first["price_version"] != last["price_version"]
    usage = expected_usage(MESSAGES)
    assert_cost(last, running.configuration, usage, "openai", BODY["model"])
    assert first["cost_nano_usd"] == before


def test_a_new_client_is_known_and_a_revoked_key_is_not(running):
    old = running.key()
    running.configuration.add_client("late")
    new, digest = new_key()
    acme = running.configuration.clients["clients"]["acme"]
    acme["keys"] = [{"name": "fresh", "sha256": digest}]
    running.configuration.write()
    eventually(lambda: running.post(BODY, client="late").status == 200, "the client", IN_FORCE)
    with running.connect() as connection:
        assert connection.post("/v1/chat/completions", BODY, old).status == 401
    with running.connect() as connection:
        assert connection.post("/v1/chat/completions", BODY, new).status == 200
    assert running.ledger.usage()[-1]["key_name"] == "fresh"


def test_a_lowered_budget_counts_what_was_used_before(catraca):
    budget = {"name": "all", "mode": "tokens", "tokens": 100_000, "period": "total"}
    catraca.configuration.add_client("small", [budget])
    catraca.start()
    limited = {**BODY, "max_completion_tokens": 30}
    assert catraca.post(limited, client="small").status == 200
    used = catraca.row()["total_tokens"]
    budget["tokens"] = used + 10
    catraca.configuration.clients["clients"]["small"]["budgets"] = [budget]
    catraca.configuration.write()
    eventually(lambda: catraca.post(limited, client="small").status == 429, "the limit", IN_FORCE)
    [denial, *_] = catraca.denials(1)
    assert denial["limit_value"] == used + 10


def test_a_bad_edit_leaves_all_of_the_old_in_force(running):
    """The good half of an edit waits for the bad half to be mended."""
    before = cost(running)
    running.configuration.add_client("late")
    text = json.dumps({**running.configuration.clients, "clientz": {}})
    running.configuration.write_text("clients.yaml", text)
    line = running.process.wait_for_line(
        lambda line: "clients.yaml:1:" in json.dumps(line), "the mistake", IN_FORCE
    )
    assert line["level"] == "error"
    assert "clientz" in json.dumps(line) and "clients" in json.dumps(line)
    assert running.post(BODY, client="late").status == 401
    assert cost(running) == before
    running.configuration.write()
    eventually(lambda: running.post(BODY, client="late").status == 200, "the client", IN_FORCE)


def cut_short(catraca, text=""):
    """Writes a clients.yaml in place, as a writer does that fails after this text."""
    (catraca.configuration.folder / "clients.yaml").write_text(text)
    return catraca.process.wait_for_line(
        lambda line: line.get("event") == "configuration_refused", "the refusal", IN_FORCE
    )


def is_known(catraca):
    return catraca.post(BODY).status == 200


def is_unknown(catraca):
    with catraca.connect() as connection:
        return connection.post("/v1/chat/completions", BODY, catraca.key()).status == 401


def test_a_file_of_clients_that_is_cut_short_is_not_put_in_force(running):
    line = cut_short(running)
    assert "0 of 1 clients, 0 of 1 keys" in line["mistake"]
    assert "catraca check --accept" in line["mistake"]
    assert is_known(running)
    assert Metrics.of(running).value("catraca_config_reload_failures_total") == 1
    running.configuration.add_client("late")
    running.configuration.write()
    eventually(lambda: running.post(BODY, client="late").status == 200, "the client", IN_FORCE)


def test_a_loss_that_is_meant_is_accepted_by_a_command(running):
    cut_short(running, "clients: {}\n")
    assert is_known(running)
    done = running.command("check", "--accept")
    assert done.returncode == 0, done.stderr
    assert "accepted" in done.stdout
    eventually(lambda: is_unknown(running), "the accepted files", IN_FORCE)


def test_a_loss_that_is_read_twice_alike_is_put_in_force(running):
    cut_short(running)
    assert is_known(running)

    def confirm():
        running.process.signal(signal.SIGHUP)
        return is_unknown(running)

    eventually(confirm, "the second look", 3 * IN_FORCE)


def test_a_start_without_the_clients_that_it_had_says_so(running):
    assert is_known(running)
    assert running.terminate() == 0
    running.configuration.clients["clients"].clear()
    running.start()
    line = running.process.wait_for_line(
        lambda line: "no client is declared" in line.get("warning", ""), "the warning", IN_FORCE
    )
    assert line["event"] == "configuration_warning"


def test_a_reload_says_what_is_declared_more_or_less_of(catraca):
    budgets = [
        {"name": f"b{number}", "mode": "tokens", "tokens": 10**6, "period": "total"}
        for number in range(6)
    ]
    catraca.configuration.add_client("small", budgets)
    catraca.start()
    small = catraca.configuration.clients["clients"]["small"]
    small["budgets"] = budgets[:2]
    catraca.configuration.write()
    line = catraca.process.event("configuration_refused")
    assert "2 of 6 budgets are left" in line["mistake"]
    small["budgets"] = budgets[:4]
    catraca.configuration.add_client("late")
    catraca.configuration.write()
    line = catraca.process.event("configuration_reloaded")
    assert line["changes"] == [
        "clients: 2 before, 3 now", "keys: 2 before, 3 now", "budgets: 6 before, 4 now"
    ]


def test_sighup_reads_the_configuration_again(running):
    running.configuration.add_client("late")
    running.configuration.write()
    running.process.signal(signal.SIGHUP)
    eventually(lambda: running.post(BODY, client="late").status == 200, "the client", IN_FORCE)


def test_a_ledger_learns_of_many_budgets_while_requests_are_served(catraca):
    """They are too many to be written before the server listens."""

    def declare(tokens):
        for number in range(60):
            catraca.configuration.add_client(
                f"client-{number}",
                [
                    {"name": f"{name}", "mode": "tokens", "tokens": tokens, "period": "total"}
                    for name in range(20)
                ],
            )

    def limits():
        return Counter(row["limit_tokens"] for row in catraca.ledger.rows("client_budgets"))

    def learns(expected):
        assert catraca.post(BODY).status == 200
        eventually(lambda: limits() == expected, f"the budgets of {expected}", 4 * IN_FORCE)

    declare(10_000)
    catraca.start()
    learns({10_000: 1200})
    declare(20_000)
    del catraca.configuration.clients["clients"]["client-3"]
    catraca.configuration.write()
    learns({20_000: 1180})
    assert catraca.terminate() == 0
    declare(30_000)
    catraca.start()
    learns({30_000: 1200})
