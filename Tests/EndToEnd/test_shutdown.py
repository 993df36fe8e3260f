"""SIGTERM ends what is in flight well, and nothing new begins."""

import signal

import pytest
from harness.crowd import at_once
from harness.rows import assert_row
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
