"""Recorded work that doesn't end with one answer: a response made in the background, a batch's
results, a realtime session; the answers whole and byte by byte."""

import json
import threading

import pytest
from harness.catraca import Catraca
from harness.configuration import Configuration, sandbox_providers
from harness.objects import assign
from harness.prices import Prices
from harness.realtime import open_session, receive, send
from harness.recordings import CASES
from harness.replay import CUTS, Replay
from harness.waiting import eventually
from websockets.sync.server import serve

JSON = {"content-type": "application/json"}
TOLD = {"model": "gpt-4o-mini-transcribe"}


@pytest.fixture
def house(tmp_path):
    """A server, and the provider behind it."""
    provider = Replay()
    try:
        yield from serving(tmp_path, provider.url, provider)
    finally:
        provider.end()


def serving(folder, url, provider):
    configuration = Configuration(folder, sandbox_providers(url))
    configuration.add_client("acme")
    catraca = Catraca(configuration).start()
    try:
        yield catraca, provider
        audit = catraca.command("audit")
        assert audit.returncode == 0, audit.stdout + audit.stderr
        assert catraca.ledger.in_flight() == catraca.ledger.deferred() == []
    finally:
        catraca.end()


def read(catraca, path):
    with catraca.connect() as connection:
        connection.send(connection.request("GET", path, b"", catraca.key()))
        return connection.answer().body


def recorded(name):
    return (CASES / name).read_bytes()


@pytest.mark.parametrize("cut", CUTS)
def test_a_recorded_background_response_is_charged_once(house, cut):
    catraca, provider = house
    queued = recorded("c31a-responses-background-queued.json")
    ended = recorded("c31b-responses-background-poll.json")
    request = {"model": "gpt-6-sol", "input": "Long job", "background": True}
    provider.play(200, JSON, queued, cut)
    assert catraca.post(request, "/openai/v1/responses").body == queued
    assert catraca.ledger.usage() == []
    provider.play(200, JSON, ended, cut)
    for _ in range(2):
        assert read(catraca, "/openai/v1/responses/resp_C31") == ended
    [row] = catraca.ledger.usage()
    figures = ("prompt_tokens", "completion_tokens", "reasoning_tokens", "usage_source")
    assert [row[name] for name in figures] == [30, 2100, 1800, "reported"]
    usage = {"input_tokens": 30, "output_tokens": 2100, "reasoning_tokens": 1800}
    prices = Prices(catraca.configuration.folder / "pricing")
    cost = prices.whole_bill("openai", "gpt-6-sol", {"gpt-6-sol": usage}, {})
    assert row["cost_nano_usd"] == cost


def test_explain_knows_a_response_that_the_provider_is_at_work_on(house):
    catraca, provider = house
    provider.play(200, JSON, recorded("c31a-responses-background-queued.json"), CUTS[0])
    request = {"model": "gpt-6-sol", "input": "Long job", "background": True}
    answer = catraca.post(request, "/openai/v1/responses")
    identifier = answer.fields["x-catraca-request-id"]
    told = catraca.command("explain", identifier)
    assert told.returncode == 0, told.stderr
    assert "The provider is at work on resp_C31. Still held: " in told.stdout
    [held] = catraca.ledger.deferred()
    tokens = told.stdout.split("Still held: ")[1].split(" ")[0].replace(",", "")
    assert int(tokens) == held["held_tokens"] > 0
    provider.play(200, JSON, recorded("c31b-responses-background-poll.json"), CUTS[0])
    read(catraca, "/openai/v1/responses/resp_C31")
    assert "at work" not in catraca.command("explain", identifier).stdout


WINDOWS = [("2h", "2h"), ("8h", "8h"), ("soonest", None)]


@pytest.mark.parametrize("window, priced", WINDOWS)
@pytest.mark.parametrize("restarts", [False, True], ids=["", "after a restart"])
def test_a_response_that_has_its_time_is_charged_at_its_windows_prices(
    house, window, priced, restarts
):
    catraca, provider = house
    queued = recorded("d07a-background-2h-queued.json")
    ended = recorded("d07b-background-2h-completed.json")
    request = {
        "model": "gpt-6-luna",
        "input": "Count the birds of the lagoon",
        "background": True,
        "background_options": {"completion_window": window},
        "max_output_tokens": 3000,
    }
    provider.play(200, JSON, queued, CUTS[0])
    assert catraca.post(request, "/openai/v1/responses").body == queued
    if restarts:
        provider.play(200, JSON, queued, CUTS[0])
        catraca.kill()
        catraca.start()
    provider.play(200, JSON, ended, CUTS[0])
    assert read(catraca, "/openai/v1/responses/resp_D07") == ended
    [row] = eventually(catraca.ledger.usage, "its row")
    usage = {"input_tokens": 64, "output_tokens": 1500, "reasoning_tokens": 1472}
    prices = Prices(catraca.configuration.folder / "pricing")
    cost = prices.whole_bill("openai", "gpt-6-luna", {"gpt-6-luna": usage}, {}, window=priced)
    assert row["cost_nano_usd"] == row["provider_cost_nano_usd"] == cost
    explained = catraca.command("explain", row["request_id"]).stdout
    assert (f"completion window {priced}" in explained) is (priced is not None)


def test_a_window_without_a_price_is_refused_and_not_sent(house):
    catraca, provider = house
    request = {
        "model": "gpt-6-luna",
        "input": "x",
        "background": True,
        "background_options": {"completion_window": "5m"},
    }
    answer = catraca.post(request, "/openai/v1/responses")
    assert (answer.status, answer.json()["error"]["code"]) == (400, "model_not_priced")
    assert "completion window 5m" in answer.json()["error"]["message"]
    assert catraca.ledger.usage() == []


@pytest.mark.parametrize("cut", CUTS)
def test_the_recorded_results_of_a_batch_are_charged_line_by_line(house, cut):
    catraca, provider = house
    results = recorded("c55-batch-output.jsonl")
    batch = {"id": "batch_C55", "object": "batch", "status": "in_progress"}
    ended = {**batch, "status": "completed", "output_file_id": "file-C55"}
    lines = b"\n".join(
        json.dumps(
            {
                "custom_id": name,
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": {
                    "model": "gpt-5-mini",
                    "messages": [{"role": "user", "content": "Count"}],
                    "max_completion_tokens": 100,
                },
            }
        ).encode()
        for name in "abcd"
    )
    provider.play(200, JSON, lines, cut, path="/v1/files/file-in/content")
    provider.play(200, JSON, json.dumps(batch).encode(), cut, path="/v1/batches")
    provider.play(200, JSON, json.dumps(ended).encode(), cut, path="/v1/batches/batch_C55")
    provider.play(200, JSON, results, cut, path="/v1/files/file-C55/content")
    request = {
        "input_file_id": "file-in",
        "endpoint": "/v1/chat/completions",
        "completion_window": "24h",
    }
    assign(catraca.ledger, "file-in", "file")
    assert catraca.post(request, "/openai/v1/batches").status == 200
    eventually(lambda: not catraca.ledger.deferred(), "the batch's end")
    rows = catraca.ledger.usage()
    figures = ("prompt_tokens", "completion_tokens", "reasoning_tokens")
    charged = [row for row in rows if row["total_tokens"]]
    assert [[row[name] for name in figures] for row in charged] == [[10, 3, 0], [12, 30, 24]]
    assert all(row["cost_nano_usd"] == 0 for row in rows if row not in charged)
    prices = Prices(catraca.configuration.folder / "pricing")
    for row in charged:
        usage = {
            "input_tokens": row["prompt_tokens"],
            "output_tokens": row["completion_tokens"],
            "reasoning_tokens": row["reasoning_tokens"],
        }
        cost = prices.whole_bill("openai", "gpt-5-mini", {"gpt-5-mini": usage}, {}, "batch")
        assert row["cost_nano_usd"] == cost


@pytest.fixture
def session_house(tmp_path):
    """A server, and the messages of the session that its provider plays."""
    messages = recorded("c57-realtime-events.jsonl").decode().splitlines()

    def play(connection):
        connection.send(messages[0])
        connection.recv()
        for message in messages[1:]:
            connection.send(message)
        for _ in connection:
            pass

    with serve(play, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        port = server.socket.getsockname()[1]
        try:
            yield from serving(tmp_path, f"http://127.0.0.1:{port}", messages)
        finally:
            server.shutdown()
            thread.join()


def test_a_recorded_session_is_charged_response_by_response(session_house):
    catraca, messages = session_house
    session = open_session(catraca, path="/openai/v1/realtime?model=gpt-realtime-2.1")
    with session:
        send(session, "session.update", session={"audio": {"input": {"transcription": TOLD}}})
        for message in messages[1:]:
            assert receive(session) == json.loads(message)
    rows = eventually(
        lambda: (rows := catraca.ledger.usage()) and len(rows) >= 3 and rows, "three rows"
    )
    figures = ("model", "prompt_tokens", "cached_tokens", "completion_tokens")
    figures += ("audio_output_tokens", "usage_source")
    assert sorted(tuple(row[name] for name in figures) for row in rows) == [
        ("gpt-4o-mini-transcribe", 14, 0, 3, 0, "reported"),
        ("gpt-realtime-2.1", 132, 64, 121, 91, "reported"),
        ("gpt-realtime-2.1", 270, 128, 20, 16, "reported"),
    ]
    eventually(lambda: not catraca.ledger.in_flight(), "the session's end")
