"""Requests that cost more than they seem to: a hard budget is never overspent."""

import struct
from concurrent.futures import ThreadPoolExecutor

import pytest
from attackers import (
    Attacker,
    assert_audit_agrees,
    assert_not_overspent,
    charged_nano_usd,
    dollars,
    wait_for_rest,
)

RATE = 8000


def lying_wave(seconds, claimed_byte_rate):
    """A WAV file of this duration whose header claims another byte rate."""
    data = bytes(seconds * RATE)
    fmt = struct.pack("<HHIIHH", 1, 1, RATE, claimed_byte_rate, 1, 8)
    chunks = b"WAVEfmt " + struct.pack("<I", len(fmt)) + fmt
    chunks += b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(chunks)) + chunks


def at_once(count, send):
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(send, range(count)))


@pytest.mark.parametrize("claimed", [RATE * 1000, 2**32 - 1, 0])
def test_a_header_that_claims_a_short_sound_saves_nothing(catraca, account, claimed):
    catraca.configuration.add_client("thief", [dollars("0.5")])
    catraca.configuration.settings["budgets"] = {"admission_wait": "30s"}
    catraca.start()
    thief = Attacker(catraca, "thief")
    form = {"model": b"whisper-1", "response_format": b"json", "file": lying_wave(240, claimed)}
    request = thief.form("/v1/audio/transcriptions", form)
    at_once(30, lambda _: thief.send(request).status)
    wait_for_rest(catraca, account)
    limit = 5 * 10**8
    billed = sum(work.nano_usd for work in account.truth.works())
    assert billed <= limit
    assert charged_nano_usd(catraca, client_id="thief") <= limit


TOOLS = [{"type": "web_search"}]
SAID = {"role": "user", "content": "Hello turnstile"}
DECLARATIONS = {
    "the request": {"input": [SAID], "tools": TOOLS},
    "an item": {"input": [{"type": "additional_tools", "tools": TOOLS}, SAID]},
    "a result": {"input": [{"type": "tool_search_output", "tools": TOOLS}, SAID]},
}


@pytest.mark.parametrize("declaration", DECLARATIONS.values(), ids=DECLARATIONS)
def test_a_search_that_goes_on_and_on_stays_within_the_budget(catraca, account, declaration):
    catraca.configuration.add_client("thief", [dollars("0.50")])
    catraca.start()
    thief = Attacker(catraca, "thief")


    def search(_):
        body = {
            "model": "gpt-5-mini",
            "max_output_tokens": 1000,
            **declaration,
            "user": thief.next_user(),
        }
        order = {"output": 100, "searches": 40}
        return thief.send(thief.request("/v1/responses", body, order)).status

    statuses = at_once(20, search)
    wait_for_rest(catraca, account)
    assert set(statuses) <= {200, 429}
    assert_not_overspent(catraca, account, "thief", 0.50)


def test_the_overrun_of_one_client_refuses_no_other(catraca, account):
    catraca.configuration.add_client("careless", [])
    catraca.configuration.add_client("modest", [dollars("0.01")])
    catraca.start()
    careless, modest = Attacker(catraca, "careless"), Attacker(catraca, "modest")
    for _ in range(30):
        body = {
            "model": "gpt-5-mini",
            "input": "Hello",
            "max_output_tokens": 100,
        }
        careless.send(careless.request("/v1/responses", body, {"added": 60_000}))
    body = {
        "model": "gpt-5-mini",
        "input": "Hello turnstile",
        "max_output_tokens": 100,
        "user": modest.next_user(),
    }
    answer = modest.send(modest.request("/v1/responses", body))
    assert answer.status == 200, answer.body


def test_absurd_reports_of_usage_leave_a_server_that_starts(catraca, tokens):
    catraca.configuration.add_client("acme", [dollars("5")])
    catraca.start()
    admin = catraca.admin(tokens["admin"])
    for _ in range(20):
        report = {"userId": "acme", "tokensUsed": 10**12, "provider": "openai"}
        report |= {"model": "o1-pro", "inputTokens": 0, "outputTokens": 10**12}
        reply = admin.post("/api/token-billing/process-usage", report)
        assert reply.status in (200, 201, 400), reply
    for _ in range(2):
        assert admin.get("/api/admin/budgets").status == 200
        assert admin.get("/api/analytics").status == 200
        assert catraca.terminate() == 0
        catraca.start()
        admin = catraca.admin(tokens["admin"])
    assert_audit_agrees(catraca)


def test_a_budget_that_leaves_its_file_and_comes_back_remembers_its_use(catraca, account):
    budget = {"name": "all", "mode": "tokens", "tokens": 3000, "period": "total"}
    # The other's budget stays: a file that lost all of them would be taken for cut short.
    for client in ("acme", "other"):
        catraca.configuration.add_client(client, [budget])
    catraca.start()
    acme = Attacker(catraca, "acme")

    def spend():
        body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
        body |= {"max_completion_tokens": 1000, "user": acme.next_user()}
        return acme.send(acme.request("/v1/chat/completions", body, {"output": 1000})).status

    def declare(budgets):
        client = catraca.configuration.clients["clients"]["acme"]
        client["budgets"] = budgets
        seen = len(reloads())
        catraca.configuration.write()
        catraca.process.wait_for_line(lambda _: len(reloads()) > seen, "the reload")

    def reloads():
        events = [line.get("event") for line in catraca.process.log]
        return [event for event in events if event == "configuration_reloaded"]

    statuses = [spend() for _ in range(4)]
    for _ in range(2):
        declare([])
        declare([budget])
        statuses += [spend() for _ in range(3)]
    wait_for_rest(catraca, account)
    used = sum(row["total_tokens"] for row in catraca.ledger.usage())
    assert used <= 3000, statuses
