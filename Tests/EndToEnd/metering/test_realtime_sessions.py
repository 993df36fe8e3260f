"""Realtime sessions while they run, and however they end."""

import json
import signal
from contextlib import ExitStack
from random import Random

import pytest
from harness.crowd import at_once
from harness.realtime import (
    PATH,
    end_of,
    open_session,
    receive,
    receive_until,
    respond,
    say,
    send,
)
from harness.rows import assert_estimated
from harness.sandbox import script
from harness.sanitizers import MEMORY_FACTOR
from harness.waiting import eventually
from websockets.exceptions import ConnectionClosed, InvalidStatus
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    CloseConnection,
    Ping,
    Pong,
    Request,
    TextMessage,
)


# While it runs


def test_the_end_of_the_budget_closes_the_session(catraca):
    budget = {"name": "all", "tokens": 7_000, "period": "total"}
    catraca.configuration.add_client("small", [budget])
    catraca.start()
    headers = script(prompt_tokens=100, completion_tokens=1000)
    with open_session(catraca, "small", headers=headers) as session:
        for _ in range(2):
            assert respond(session)["type"] == "response.done"
        close, events = end_of(session)
    assert (close.code, close.reason) == (1008, "budget_exceeded")
    assert events[-1]["error"]["code"] == "budget_exceeded"
    assert len(catraca.ledger.usage()) == 2
    [denial] = catraca.denials(1)
    assert (denial["budget_id"], denial["reason"]) == ("small/all", "token_limit")
    assert catraca.process.event("budget_exceeded")["operation"] == "realtime"
    eventually(lambda: not catraca.ledger.in_flight(), "no intent is left")


def test_many_sessions_on_a_small_budget_never_overspend(catraca, sandbox):
    budget = {"name": "all", "tokens": 60_000, "period": "total"}
    catraca.configuration.add_client("small", [budget])
    catraca.configuration.settings["budgets"] = {"admission_wait": "200ms"}
    catraca.start()

    def talk(_):
        headers = script(prompt_tokens=300, completion_tokens=700)
        try:
            with open_session(catraca, "small", headers=headers) as session:
                for _ in range(3):
                    respond(session)
        except (ConnectionClosed, InvalidStatus):
            pass

    at_once(100, talk)
    eventually(lambda: not catraca.ledger.in_flight(), "no intent is left")
    used = sum(row["total_tokens"] for row in catraca.ledger.usage())
    assert 1000 * len(sandbox.journal()) <= 60_000
    assert used <= 60_000
    assert sum(row["overrun_tokens"] for row in catraca.ledger.usage()) == 0
    assert catraca.command("audit").returncode == 0


@pytest.mark.parametrize(
    "event, code",
    [
        (
            {"type": "session.update", "session": {"model": "gpt-realtime-2"}},
            "unsupported_parameter",
        ),
        (
            {
                "type": "session.update",
                "session": {"audio": {"input": {"transcription": {"model": "unknown"}}}},
            },
            "model_not_priced",
        ),
        ({"type": "session.update", "session": {"Model": "gpt-realtime-2"}}, "invalid_json"),
        ({"type": "session.update", "Session": {"model": "gpt-realtime-2"}}, "invalid_json"),
        ({"type": "x", "Type": "response.create"}, "invalid_json"),
        ({"no": "type"}, "invalid_json"),
    ],
)
def test_an_event_that_can_not_be_metered_is_answered_and_not_passed_on(running, event, code):
    with open_session(running) as session:
        session.send(json.dumps(event))
        error = receive(session)
        assert (error["type"], error["error"]["code"]) == ("error", code)
        assert respond(session)["response"]["status"] == "completed"


def test_a_repeated_key_is_not_passed_on(running):
    with open_session(running) as session:
        session.send('{"type":"input_audio_buffer.append","type":"response.create"}')
        assert receive(session)["error"]["code"] == "invalid_json"
    assert running.ledger.usage() == []


def test_responses_count_in_the_requests_a_minute(catraca):
    catraca.configuration.add_client("slow", requests_per_minute=2)
    catraca.start()
    with open_session(catraca, "slow") as session:
        respond(session)
        respond(session)
        send(session, "response.create", event_id="third")
        error = receive(session)["error"]
        assert (error["code"], error["event_id"]) == ("rate_limit_exceeded", "third")


def test_pings_and_large_messages_pass(running):
    with open_session(running, max_size=None) as session:
        assert session.ping().wait(timeout=20)
        send(session, "conversation.item.create", item=say("long " * 100_000))
        receive_until(session, "conversation.item.added")
        assert respond(session)["response"]["usage"]["input_tokens"] > 100_000


def test_a_resting_session_takes_little_memory(running):
    def resident():
        lines = open(f"/proc/{running.process.pid}/status").read().splitlines()
        [size] = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
        return int(size)

    with ExitStack() as sessions:
        for _ in range(20):
            sessions.enter_context(open_session(running, ping_interval=None))
        before = resident()
        for _ in range(100):
            sessions.enter_context(open_session(running, ping_interval=None))
        assert (resident() - before) / 100 < 200 * MEMORY_FACTOR, "KiB a session"


@pytest.mark.parametrize("seed", range(3))
def test_frames_of_another_implementation_pass_however_they_are_cut(running, seed):
    """wsproto frames, sent in pieces of random size; messages in fragments."""
    random = Random(seed)
    with running.connect() as connection:
        client = WSConnection(ConnectionType.CLIENT)
        fields = [(b"authorization", f"Bearer {running.key()}".encode())]
        data = client.send(Request(host="catraca", target=PATH, extra_headers=fields))
        text = json.dumps({"type": "conversation.item.create", "item": say("x" * 3000)})
        answers = []

        def exchange(data, until):
            while data:
                size = random.choice([1, 2, 7, 100, 5000])
                connection.socket.sendall(data[:size])
                data = data[size:]
            while not (answers and until(answers[-1])):
                client.receive_data(connection.socket.recv(random.choice([1, 3, 4096])))
                answers.extend(client.events())

        exchange(data, lambda event: isinstance(event, TextMessage))
        assert isinstance(answers[0], AcceptConnection) and not answers[0].extensions
        data = client.send(TextMessage(data=text[:1000], message_finished=False))
        data += client.send(Ping(payload=b"between"))
        data += client.send(TextMessage(data=text[1000:]))
        data += client.send(TextMessage(data='{"type":"response.create"}'))
        done = "response.done"
        exchange(data, lambda event: isinstance(event, TextMessage) and done in event.data)
        assert Pong(payload=b"between") in answers
        exchange(
            client.send(CloseConnection(code=1000, reason="bye")),
            lambda event: isinstance(event, CloseConnection),
        )
        assert (answers[-1].code, answers[-1].reason) == (1000, "bye")
    assert running.row()["prompt_tokens"] == 750 + 4 + 3


@pytest.mark.parametrize(
    "frame, code",
    [
        (b"\xc1\x80\0\0\0\0", 1002),
        (b"\x81\x00", 1002),
        (b"\x83\x80\0\0\0\0", 1002),
        (b"\x81\x81\0\0\0\0\xff", 1007),
        (b"\x82\xff\0\0\0\0\x01\0\0\x01\0\0\0\0", 1009),
    ],
    ids=["reserved bits", "unmasked", "reserved opcode", "not UTF-8", "too large"],
)
def test_a_violation_of_the_protocol_closes_the_session(running, frame, code):
    with open_session(running) as session:
        session.socket.sendall(frame)
        assert end_of(session)[0].code == code
    assert running.ledger.usage() == []


# Ends


def test_a_client_that_leaves_mid_response_is_estimated(running):
    session = open_session(running, headers=script(chunks=200, chunk_delay_ms=20))
    send(session, "response.create")
    receive_until(session, "response.output_text.delta")
    session.socket.close()
    assert_estimated(running.row_in_time(), "client_disconnected", status=101)


def test_a_provider_that_breaks_off_mid_response_is_estimated(running):
    headers = script(cut_after=3, chunk_delay_ms=20)
    with open_session(running, headers=headers) as session:
        send(session, "response.create")
        close, _ = end_of(session)
    assert (close.code, close.reason) == (1011, "upstream_broken")
    assert_estimated(running.row(), "upstream_broken", status=101)


def test_a_killed_server_leaves_one_interrupted_row(catraca):
    catraca.start()
    session = open_session(catraca, headers=script(chunks=200, chunk_delay_ms=20))
    send(session, "response.create")
    receive_until(session, "response.output_text.delta")
    catraca.kill()
    catraca.start()
    assert_estimated(catraca.row(), "interrupted")
    assert catraca.row()["status"] == 0


def test_a_stop_ends_resting_sessions_and_lets_a_response_end(running):
    resting = open_session(running)
    busy = open_session(running, headers=script(chunks=20, chunk_delay_ms=20))
    send(busy, "response.create")
    receive_until(busy, "response.output_text.delta")
    running.process.signal(signal.SIGTERM)
    close, _ = end_of(resting)
    assert (close.code, close.reason) == (1001, "shutting_down")
    close, events = end_of(busy)
    assert close.code == 1001
    assert [event for event in events if event["type"] == "response.done"]
    assert running.process.wait() == 0
    assert running.row()["outcome"] == "ok"


def test_a_session_in_which_nobody_speaks_is_closed(catraca):
    catraca.configuration.settings["limits"] = {"upstream_idle": "300ms"}
    catraca.start()
    with open_session(catraca, ping_interval=None) as session:
        close, _ = end_of(session)
    assert (close.code, close.reason) == (1001, "idle")


def test_a_hold_is_free_again_after_each_session(catraca):
    budget = {"name": "all", "tokens": 9_000, "period": "total"}
    catraca.configuration.add_client("small", [budget])
    catraca.start()
    for _ in range(5):
        with open_session(catraca, "small") as session:
            respond(session)
    assert len(catraca.ledger.usage()) == 5


@pytest.mark.parametrize(
    "session",
    [
        {"audio": {"input": {"transcription": {"model": "whisper-1"}}}},
        {"input_audio_transcription": {"model": "whisper-1"}},
    ],
)
@pytest.mark.parametrize(
    "rights, code",
    [
        ({"operations": ["realtime"]}, "operation_not_allowed"),
        ({"models": ["gpt-realtime*"]}, "model_not_allowed"),
    ],
)
def test_a_transcription_needs_rights_of_its_own(catraca, session, rights, code):
    catraca.configuration.add_client("talker", **rights)
    catraca.start()
    with open_session(catraca, "talker") as socket:
        send(socket, "session.update", session=session)
        assert receive(socket)["error"]["code"] == code
        assert respond(socket)["response"]["status"] == "completed"
