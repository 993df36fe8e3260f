"""The charges of realtime sessions, and their refusals, with the real SDK and without."""

import base64
import csv
import io

import pytest
from harness.configuration import PROVIDER_KEYS
from harness.realtime import (
    MODEL,
    PATH,
    TRANSCRIBER,
    SMALLEST_BOUND,
    open_session,
    receive,
    receive_until,
    refusal,
    respond,
    say,
    send,
)
from harness.sandbox import script
from harness.waiting import eventually


# Records


def test_the_sdk_holds_a_session_of_several_responses(running, sandbox):
    usages = []
    with running.openai().realtime.connect(model=MODEL) as connection:
        assert connection.recv().type == "session.created"
        for text in ["Hello", "And again", "Good-bye"]:
            connection.conversation.item.create(item=say(text))
            connection.response.create()
            for event in connection:
                if event.type == "response.done":
                    # A response that has been passed on is recorded.
                    usages.append(event.response.usage)
                    assert len(running.ledger.usage()) == len(usages)
                    break
    rows = running.ledger.usage()
    assert [row["prompt_tokens"] for row in rows] == [usage.input_tokens for usage in usages]
    for row, usage in zip(rows, usages):
        assert row["completion_tokens"] == usage.output_tokens == 5
        assert (row["operation"], row["endpoint"]) == ("realtime", "/v1/realtime")
        assert (row["outcome"], row["usage_source"]) == ("ok", "reported")
        assert (row["model"], row["stream"], row["status"]) == (MODEL, 1, 101)
        cost = usage.input_tokens * 4000 + usage.output_tokens * 16000
        assert (row["cost_nano_usd"], row["overrun_tokens"]) == (cost, 0)
    assert len({row["request_id"] for row in rows}) == 3
    eventually(lambda: not running.ledger.in_flight(), "no intent is left")
    assert running.command("audit").returncode == 0
    assert len(sandbox.journal()) == 3


def test_kinds_of_tokens_have_their_prices(running):
    headers = script(prompt_tokens=1000, cached_tokens=400, completion_tokens=90, audio_tokens=60)
    with open_session(running, headers=headers) as session:
        respond(session)
    row = running.row()
    assert (row["prompt_tokens"], row["cached_tokens"]) == (1000, 400)
    assert (row["completion_tokens"], row["audio_output_tokens"]) == (90, 60)
    assert row["cost_nano_usd"] == 600 * 4000 + 400 * 400 + 30 * 16000 + 60 * 64000


def test_cached_sound_is_sound_at_the_price_of_the_cache(catraca, tokens):
    admin = catraca.start().admin(tokens["admin"])
    sound = base64.b64encode(bytes(48_000)).decode()
    headers = script(prompt_tokens=12, cached_tokens=8)
    with open_session(catraca, headers=headers) as session:
        send(session, "input_audio_buffer.append", audio=sound)
        send(session, "input_audio_buffer.commit")
        details = respond(session)["response"]["usage"]["input_token_details"]
    cached = details["cached_tokens_details"]
    assert (details["audio_tokens"], details["cached_tokens"], cached["audio_tokens"]) == (10, 8, 6)
    row = catraca.row()
    assert (row["audio_input_tokens"], row["cached_audio_tokens"]) == (10, 6)
    assert (row["prompt_tokens"], row["cached_tokens"]) == (12, 8)
    # Four of the ten tokens of sound have its price, and none of the text that of text.
    assert row["cost_nano_usd"] == 4 * 32000 + 8 * 400 + 5 * 16000
    one = admin.done("GET", f"/api/admin/usage-logs/{row['request_id']}")
    assert (one["audio_input_tokens"], one["cached_audio_tokens"]) == (10, 6)
    amounts = {part["quantity"]: part["amount"] for part in one["explain"]}
    assert (amounts["audio_input_tokens"], amounts["cached_input_tokens"]) == (4, 8)
    explained = catraca.command("explain", row["request_id"], "--format", "json")
    assert '"cached_audio_tokens":6' in explained.stdout.replace(" ", "")
    exported = catraca.command("usage", "--by", "request", "--format", "csv")
    [exported] = csv.DictReader(io.StringIO(exported.stdout))
    assert (exported["audio_input_tokens"], exported["cached_audio_tokens"]) == ("10", "6")
    assert 'kind="audio_input"} 10' in admin.get("/metrics").text
    assert catraca.command("audit").returncode == 0


def test_what_is_written_down_is_charged_by_its_own_model(running):
    sound = base64.b64encode(bytes(48_000)).decode()
    transcription = {"audio": {"input": {"transcription": {"model": TRANSCRIBER}}}}
    with open_session(running) as session:
        send(session, "session.update", session={"type": "realtime", **transcription})
        assert receive(session)["type"] == "session.updated"
        send(session, "input_audio_buffer.append", audio=sound)
        send(session, "input_audio_buffer.commit")
        receive_until(session, "conversation.item.input_audio_transcription.completed")
        rows = running.ledger.usage()
        done = respond(session)
    [row] = rows
    assert (row["operation"], row["model"]) == ("transcription", TRANSCRIBER)
    assert (row["prompt_tokens"], row["audio_input_tokens"]) == (10, 10)
    assert (row["completion_tokens"], row["cost_nano_usd"]) == (2, 10 * 3000 + 2 * 5000)
    [_, row] = running.ledger.usage()
    usage = done["response"]["usage"]
    assert usage["input_token_details"]["audio_tokens"] == row["audio_input_tokens"] == 10
    text = usage["input_tokens"] - 10
    assert row["cost_nano_usd"] == text * 4000 + 10 * 32000 + 5 * 16000
    eventually(lambda: not running.ledger.in_flight(), "no intent is left")


def test_a_response_that_the_provider_begins_is_charged_too(running):
    sound = base64.b64encode(bytes(48_000)).decode()
    with open_session(running, headers=script(detect_turns=True, chunk_delay_ms=50)) as session:
        for count in [1, 2, 3]:
            send(session, "input_audio_buffer.append", audio=sound)
            receive_until(session, "response.created")
            assert len(running.ledger.in_flight()) == 1
            receive_until(session, "response.done")
            assert len(running.ledger.usage()) == count
    rows = running.ledger.usage()
    assert [row["audio_input_tokens"] for row in rows] == [10, 20, 30]
    assert [row["overrun_tokens"] for row in rows] == [0, 0, 0]
    eventually(lambda: not running.ledger.in_flight(), "no intent is left")


def test_an_idle_session_leaves_no_row(running):
    with open_session(running) as session:
        send(session, "conversation.item.create", item=say("Hello"))
        receive_until(session, "conversation.item.added")
    eventually(lambda: not running.ledger.in_flight(), "no intent is left")
    assert running.terminate() == 0
    assert running.ledger.usage() == []


# Refused before the upgrade


def test_a_budget_refuses_in_http(catraca):
    budget = {"name": "all", "tokens": SMALLEST_BOUND, "period": "total"}
    catraca.configuration.add_client("small", [budget])
    catraca.start()
    status, body = refusal(catraca, client="small")
    assert (status, body["error"]["code"]) == (429, "budget_exceeded")
    [denial] = catraca.denials(1)
    assert (denial["operation"], denial["model"]) == ("realtime", MODEL)
    assert catraca.ledger.usage() == []


@pytest.mark.parametrize(
    "path, status, code",
    [
        ("/v1/realtime", 400, "invalid_json"),
        ("/v1/realtime?model=nobody-knows", 400, "model_not_priced"),
        ("/v1/realtime?model=gpt-4o-mini", 400, "model_not_priced"),
        (f"{PATH}&model=gpt-realtime-mini", 400, "invalid_json"),
        ("/v1/realtime?Model=gpt-realtime", 400, "invalid_json"),
        (f"{PATH}&MODEL=gpt-realtime-mini", 400, "invalid_json"),
        (f"{PATH}&mod%65l=gpt-realtime-mini", 400, "invalid_json"),
        (f"{PATH}&call_id=rtc_1", 400, "unsupported_parameter"),
        ("/v1/realtime?intent=transcription", 400, "unsupported_parameter"),
        ("/v1/responses", 426, "websocket_not_supported"),
        ("/v1/live/sessions", 403, "endpoint_not_metered"),
    ],
)
def test_what_can_not_be_metered_is_refused(running, sandbox, path, status, code):
    assert refusal(running, path=path)[0] == status
    assert refusal(running, path=path)[1]["error"]["code"] == code
    assert sandbox.journal() == []


@pytest.mark.parametrize(
    "named",
    [
        "conversation=conv_0123456789abcdef",
        "previous_response_id=resp_0123456789abcdef",
        "x=file-0123456789abcdef",
        "session_id=resp_0123456789abcdef",
    ],
)
def test_an_object_that_is_not_the_clients_opens_no_session(running, sandbox, named):
    status, body = refusal(running, path=f"{PATH}&{named}")
    assert status == (400 if "previous" in named else 404)
    assert named.split("=")[1] in body["error"]["message"]
    assert sandbox.journal() == []


@pytest.mark.parametrize(
    "path",
    ["realtime/client_secrets", "realtime/sessions", "realtime/calls", "live/sessions"],
)
def test_what_leads_around_the_meter_stays_refused(running, path):
    answer = running.post({"model": MODEL}, path=f"/v1/{path}")
    assert (answer.status, answer.code) == (403, "endpoint_not_metered")


def test_a_key_is_held_to_its_rules(catraca):
    configuration = catraca.configuration
    configuration.add_client("chatter", operations=["chat"])
    configuration.add_client("other", models=["gpt-4o*"])
    catraca.start()
    assert refusal(catraca, client="chatter")[1]["error"]["code"] == "operation_not_allowed"
    assert refusal(catraca, client="other")[1]["error"]["code"] == "model_not_allowed"
    wrong = {"authorization": "Bearer sk-ctr-wrong"}
    assert refusal(catraca, headers=wrong)[0] == 401


def test_an_ordinary_request_is_told_to_upgrade(running):
    with running.connect() as connection:
        answer = connection.get(PATH, running.key())
    assert (answer.status, answer.code) == (426, "upgrade_required")
    assert answer.fields["sec-websocket-version"] == "13"


def test_the_provider_refuses_in_its_own_words(running):
    status, body = refusal(running, headers=script(status=401))
    assert (status, body["error"]["message"]) == (401, "The sandbox was asked for status 401.")
    assert running.ledger.usage() == [] and running.ledger.in_flight() == []


def test_an_error_event_does_not_show_the_providers_key(running):
    """The sandbox repeats what it is sent, and so the key if it is told."""
    secret = PROVIDER_KEYS["TEST_OPENAI_KEY"]
    with open_session(running) as session:
        send(session, secret)
        error = receive(session)
    assert error["error"]["message"] == "unknown type '[provider key]'"


def test_a_browser_offers_its_key_as_a_subprotocol(running):
    key = f"openai-insecure-api-key.{running.key()}"
    with open_session(
        running, additional_headers={}, subprotocols=["realtime", key]
    ) as session:
        assert session.subprotocol == "realtime"
        respond(session)
    assert running.row()["outcome"] == "ok"
