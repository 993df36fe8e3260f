"""A provider whose realtime sessions hide their work, or show the provider's key."""

import json
import threading

import pytest
from harness.catraca import Catraca
from harness.configuration import Configuration
from harness.realtime import end_of, open_session, receive_until, send
from harness.waiting import eventually
from websockets.sync.server import serve

KEY = "sk-proj-AbCdEf0123456789wxyz"
USAGE = {"total_tokens": 30, "input_tokens": 10, "output_tokens": 20}


class HostileSessions:
    """Opens every session, then does as `play` says."""

    def __init__(self):
        self.play = lambda session: None
        self._server = serve(self._session, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.socket.getsockname()[1]}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _session(self, session):
        session.send(json.dumps({"type": "session.created", "session": {}}))
        self.play(session)

    def close(self):
        self._server.shutdown()


@pytest.fixture
def provider():
    provider = HostileSessions()
    yield provider
    provider.close()


@pytest.fixture
def house(tmp_path, provider):
    (tmp_path / "key").write_text(KEY)
    settings = {"base_url": provider.url, "api_key_file": str(tmp_path / "key")}
    configuration = Configuration(tmp_path, {"openai": settings})
    configuration.settings["pricing"] = ["pricing/openai.yaml"]
    configuration.add_client("acme")
    catraca = Catraca(configuration).start()
    yield catraca
    catraca.end()


def done(usage=USAGE):
    response = {"id": "resp_1", "status": "completed", "output": [], "usage": usage}
    return json.dumps({"type": "response.done", "response": response})


UNREADABLE = {
    "binary": done().encode(),
    "a type twice": done().replace("{", '{"type":"other",', 1),
    "too deep": done().replace("{", '{"x":' + "[" * 5000 + "]" * 5000 + ",", 1),
    "no JSON": done() + "}",
}


def assert_charged_its_hold(house):
    row = house.row()
    assert (row["status"], row["usage_source"]) == (101, "estimated")
    assert row["outcome"] == "upstream_broken"
    assert row["cost_nano_usd"] == row["held_nano_usd"] > 0
    eventually(lambda: not house.ledger.in_flight(), "no intent is left")
    assert house.command("audit").returncode == 0


@pytest.mark.parametrize("message", UNREADABLE)
@pytest.mark.parametrize("asked", [True, False], ids=["asked", "unasked"])
def test_an_event_that_cannot_be_read_ends_the_session_at_the_hold(
    house, provider, message, asked
):
    def play(session):
        session.recv()
        for _ in range(20):
            session.send(UNREADABLE[message])
        session.recv()

    provider.play = play
    with open_session(house) as session:
        send(session, "response.create" if asked else "other")
        close, events = end_of(session)
    assert (close.code, close.reason) == (1014, "upstream_invalid_response")
    assert events == []
    assert_charged_its_hold(house)


@pytest.mark.parametrize(
    "usage",
    [
        {"total_tokens": -1, "input_tokens": -1, "output_tokens": -1},
        {"total_tokens": 2**63 - 1, "input_tokens": 2**63 - 1, "output_tokens": 2**63 - 1},
        "10",
    ],
    ids=["below zero", "too large", "a text"],
)
def test_a_usage_that_cannot_be_read_is_charged_what_was_held(house, provider, usage):
    def play(session):
        session.recv()
        session.send(done(usage))
        session.recv()

    provider.play = play
    with open_session(house) as session:
        send(session, "response.create")
        assert receive_until(session, "response.done")["response"]["usage"] == usage
    row = house.row()
    assert (row["outcome"], row["usage_source"]) == ("ok", "estimated")
    assert row["cost_nano_usd"] == row["held_nano_usd"] > 0


@pytest.mark.parametrize("reason", [KEY, f"no {KEY[:12]}****{KEY[-4:]}", KEY[:14]])
def test_the_reason_of_a_close_shows_no_key(house, provider, reason):
    def play(session):
        session.recv()
        session.close(1008, reason)

    provider.play = play
    with open_session(house) as session:
        send(session, "other")
        close, _ = end_of(session)
    assert close.code == 1008
    assert "[provider key]" in close.reason and KEY[:12] not in close.reason


@pytest.mark.parametrize("kind", ["ping", "pong"])
def test_a_ping_that_shows_the_key_does_not_pass(house, provider, kind):
    def play(session):
        session.recv()
        getattr(session, kind)(f"{KEY} {KEY} {KEY} {KEY}")
        session.send(json.dumps({"type": "other"}))
        session.recv()

    provider.play = play
    with open_session(house) as session:
        passed = []
        receive_frame = session.protocol.recv_frame
        session.protocol.recv_frame = lambda frame: (passed.append(frame), receive_frame(frame))
        send(session, "other")
        receive_until(session, "other")
    assert KEY[:12].encode() not in b"".join(bytes(frame.data) for frame in passed)
