"""Every endpoint that streams, left by its client or cut by its provider: one row, and where its
usage came from."""

import pytest
from harness.raw_http import Truncated
from harness.recordings import form
from harness.rows import assert_estimated
from harness.sandbox import script
from harness.waiting import eventually

MESSAGES = [{"role": "user", "content": "Count to a hundred."}]
IMAGE = {"model": "gpt-image-2", "prompt": "An otter", "n": 4, "size": "1024x1024"}
SOUND = {"name": "a.wav", "seconds": "12.42"}


def json_form(**fields):
    return {**fields, "stream": True}, {}


def multipart(**fields):
    body, kind = form({**fields, "stream": "true"})
    return body, {"content-type": kind}


# The path of each, its request, and the column that an exact usage fills.
STREAMS = {
    "chat": (
        "/v1/chat/completions",
        json_form(model="gpt-4o-mini", messages=MESSAGES),
        "completion_tokens",
    ),
    "completions": (
        "/v1/completions",
        json_form(model="gpt-3.5-turbo-instruct", prompt="Once upon", max_tokens=60),
        "completion_tokens",
    ),
    "responses": (
        "/v1/responses",
        json_form(model="gpt-5-mini", input="Count to a hundred."),
        "completion_tokens",
    ),
    "speech": (
        "/v1/audio/speech",
        json_form(
            model="gpt-4o-mini-tts", voice="alloy", input="One goes through.", stream_format="sse"
        ),
        "audio_output_tokens",
    ),
    "transcription": (
        "/v1/audio/transcriptions",
        multipart(model="gpt-4o-transcribe", file=SOUND),
        "audio_input_tokens",
    ),
    "generation": (
        "/v1/images/generations",
        json_form(**IMAGE, partial_images=1),
        "image_output_tokens",
    ),
    "edit": (
        "/v1/images/edits",
        multipart(model="gpt-image-2", prompt="A hat", image={"name": "x.png", "bytes": 5000}),
        "image_output_tokens",
    ),
}
SLOW = script(chunk_delay_ms=40)


def send(connection, running, path, request, script):
    body, headers = request
    connection.send(
        connection.request("POST", path, body, running.key(), {**headers, **script})
    )


def hang_up(running, sandbox, stream):
    """Leaves when the first event has come."""
    path, request, _ = STREAMS[stream]
    with running.connect() as connection:
        send(connection, running, path, request, SLOW)
        connection.head()
        next(connection.chunks())


@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_whose_client_leaves_is_stopped_and_estimated(running, sandbox, stream):
    hang_up(running, sandbox, stream)
    path = STREAMS[stream][0]
    row = running.row_in_time()
    assert_estimated(row, "client_disconnected", endpoint=path, stream=1, status=200)
    [entry] = eventually(sandbox.journal, "the call in the journal")
    assert not entry["completed"]


@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_whose_client_leaves_is_drained_and_exact(catraca, sandbox, stream):
    catraca.configuration.settings["providers"]["openai"]["on_disconnect"] = "drain"
    running = catraca.start()
    path, request, column = STREAMS[stream]
    with running.connect() as connection:
        send(connection, running, path, request, {})
        connection.answer()
    whole = running.row()
    assert (whole["usage_source"], whole["outcome"]) == ("reported", "ok")
    hang_up(running, sandbox, stream)
    drained = eventually(lambda: running.ledger.usage(usage_source="drained"), "a drained row")
    assert drained[0]["outcome"] == "client_disconnected"
    exact = [column, "prompt_tokens", "completion_tokens", "total_tokens", "cost_nano_usd"]
    assert whole[column] > 0
    assert {name: drained[0][name] for name in exact} == {name: whole[name] for name in exact}
    assert all(entry["completed"] for entry in sandbox.journal())


@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_that_its_provider_cuts_is_cut_and_estimated(running, stream):
    path, request, _ = STREAMS[stream]
    with running.connect() as connection:
        send(connection, running, path, request, script(cut_after=1, chunk_delay_ms=20))
        with pytest.raises(Truncated):
            connection.answer()
    assert_estimated(running.row_in_time(), "upstream_broken", endpoint=path, stream=1)


def test_speech_by_the_character_is_exact_however_it_ends(running):
    """Its cost is known from its request alone."""
    body = {"model": "tts-1", "voice": "alloy", "input": "One goes through."}
    with running.connect() as connection:
        send(connection, running, "/v1/audio/speech", (body, {}), SLOW)
        connection.head()
        next(connection.chunks())
    row = running.row_in_time()
    assert (row["outcome"], row["usage_source"]) == ("client_disconnected", "reported")
    assert (row["characters"], row["cost_nano_usd"]) == (17, 17 * 15_000)
