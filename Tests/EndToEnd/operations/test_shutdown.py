"""SIGTERM ends what is in flight well, and nothing new begins."""

import json
import signal

import pytest
from harness.crowd import at_once
from harness.raw_http import Truncated
from harness.rows import assert_estimated, assert_row
from harness.sandbox import expected_usage, script
from harness.waiting import eventually

MESSAGES = [{"role": "user", "content": "Hello"}]
BODY = {"model": "gpt-4o-mini", "messages": MESSAGES}
CHAT = "/v1/chat/completions"


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_a_request_in_flight_is_finished_and_recorded(running, stream):
    values = {"completion_tokens": 30, "chunk_delay_ms": 20} if stream else {"delay_ms": 500}
    with running.connect() as idle, running.connect() as busy:
        assert idle.get("/healthz").status == 200
        body = {**BODY, "stream": stream}
        busy.send(busy.request("POST", CHAT, body, running.key(), script(**values)))
        if stream:
            status, _ = busy.head()
        else:
            eventually(running.ledger.in_flight, "the intent")
        running.process.signal(signal.SIGTERM)
        assert idle.is_at_end()
        if stream:
            assert b"".join(busy.chunks()).endswith(b"data: [DONE]\n\n")
        else:
            status = busy.answer().status
        assert status == 200
    assert running.process.wait() == 0
    usage = expected_usage(MESSAGES, 30) if stream else expected_usage(MESSAGES)
    assert_row(running.row(), running.configuration, usage, model=BODY["model"], stream=stream)
    assert running.ledger.in_flight() == []


def test_an_idle_server_ends_at_once_and_listens_no_more(running):
    assert running.terminate() == 0
    with pytest.raises(ConnectionRefusedError):
        running.connect()


def test_a_crowd_in_flight_is_finished(running):
    """Those that the server has begun with get their answer; the others get no answer at all."""
    slow = script(delay_ms=200)

    def send(index):
        if index == 0:
            eventually(lambda: len(running.ledger.in_flight()) > 0, "an intent")
            running.process.signal(signal.SIGTERM)
            return None
        try:
            return running.post(BODY, headers=slow).status
        except Exception:
            return None

    statuses = at_once(50, send)
    assert running.process.wait() == 0
    answered = [status for status in statuses if status == 200]
    assert answered
    assert len(running.ledger.usage()) == len(answered)
    assert running.ledger.in_flight() == []


def test_who_comes_during_the_stop_is_told_so(running):
    with running.connect() as busy:
        body = {**BODY, "stream": True}
        slow = script(completion_tokens=30, chunk_delay_ms=30)
        busy.send(busy.request("POST", CHAT, body, running.key(), slow))
        assert busy.head()[0] == 200
        running.process.signal(signal.SIGTERM)
        running.process.event("stopping")
        refused = running.post(BODY)
        assert (refused.status, refused.code) == (503, "shutting_down")
        assert refused.fields["retry-after"] == "1"
        assert b"".join(busy.chunks()).endswith(b"data: [DONE]\n\n")
    assert running.process.wait() == 0
    assert running.row()["outcome"] == "ok"


@pytest.mark.parametrize("client", ["openai", "groq"], ids=["cancel", "drain"])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_a_second_signal_ends_what_would_go_on_and_settles_it(running, sandbox, stream, client):
    """Whichever way the provider's calls are treated when their client leaves."""
    path, model = {
        "openai": (CHAT, "gpt-4o-mini"),
        "groq": ("/groq/openai/v1/chat/completions", "llama-3.1-8b-instant"),
    }[client]
    body = {**BODY, "model": model, "stream": stream}
    endless = script(chunk_delay_ms=600_000) if stream else script(hang=True)
    with running.connect() as busy:
        busy.send(busy.request("POST", path, body, running.key(), endless))
        eventually(sandbox.journal, "a request at the provider")
        running.process.signal(signal.SIGTERM)
        running.process.event("stopping")
        running.process.signal(signal.SIGTERM)
        running.process.event("stopping_at_once")
        assert running.process.wait(within=5) == 0
        busy.rest()
    assert running.ledger.in_flight() == []
    assert_estimated(running.row(), "client_disconnected")


@pytest.mark.parametrize("signals", [1, 2], ids=["patient", "hurried"])
def test_a_stop_under_load_loses_nothing(catraca, sandbox, signals):
    """Each request that reached the provider has its row, and each answered one its usage."""
    catraca.start()

    def send(index):
        if index == 0:
            eventually(lambda: len(sandbox.journal()) > 20, "some requests at the provider")
            for _ in range(signals):
                catraca.process.signal(signal.SIGTERM)
                catraca.process.event("stopping")
            return None
        body = {**BODY, "user": f"u{index}", "stream": index % 2 == 0}
        headers = script(delay_ms=index % 20 * 20, chunk_delay_ms=index % 5)
        try:
            return catraca.post(body, headers=headers).status
        except (OSError, Truncated):
            return None

    statuses = at_once(150, send)
    assert catraca.process.wait() == 0
    answered = {f"u{index}" for index, status in enumerate(statuses) if status == 200}
    served = {json.loads(entry["body"])["user"]: entry for entry in sandbox.journal()}
    rows = {row["user_id"]: row for row in catraca.ledger.usage()}
    assert len(rows) == len(catraca.ledger.usage())
    assert answered <= served.keys() <= rows.keys()
    for user in answered:
        entry, row = served[user], rows[user]
        assert row["total_tokens"] == entry["prompt_tokens"] + entry["completion_tokens"]
    assert catraca.ledger.in_flight() == []
    audit = catraca.command("audit")
    assert audit.returncode == 0, audit.stdout + audit.stderr
