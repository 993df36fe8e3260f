"""Sound and images: exact costs, and answers that are the provider's byte for byte."""

from decimal import Decimal

import groq
import openai
import pytest
from harness.crowd import at_once
from harness.forms import form
from harness.prices import ceiling
from harness.sandbox import script
from harness.sounds import lying_flac, wave_file

SECONDS = Decimal("12.42")
TEXT = "Café à Zürich 🙂"
CHARACTERS = 15
SEED = script(seed=7)
PICTURE = ("x.png", b"\x89PNG" + bytes(5000), "image/png")


def sound(seconds=SECONDS):
    return ("sound.wav", wave_file(seconds), "audio/wav")


def nano(dollars):
    return ceiling(Decimal(dollars) * 10**9)


def tokens(text):
    return -(-len(text.encode()) // 4) + 3


def per_million(*lines):
    return sum(count * Decimal(price) for count, price in lines) / 10**6


def assert_recorded(running, dollars, **columns):
    row = running.row()
    expected = {
        "status": 200,
        "outcome": "ok",
        "usage_source": "reported",
        "overrun_tokens": 0,
        "overrun_nano_usd": 0,
        "cost_nano_usd": nano(dollars),
        **columns,
    }
    assert {name: row[name] for name in expected} == expected
    assert row["held_nano_usd"] >= row["cost_nano_usd"]
    return row


@pytest.fixture
def direct(sandbox):
    """The same SDK, straight at the provider."""
    return openai.OpenAI(base_url=f"{sandbox.url}/v1", api_key="sk-direct")


@pytest.fixture
def direct_groq(sandbox):
    return groq.Groq(base_url=sandbox.url, api_key="gsk-direct")


def same_bytes(through, straight, **request):
    """The answer through Catraca, which is the one of the provider."""
    return same(
        through.with_raw_response.create, straight.with_raw_response.create, **request
    )


def same(through, straight, **request):
    answer = through(**request, extra_headers=SEED).http_response
    assert answer.read() == straight(**request, extra_headers=SEED).http_response.read()
    return answer


# Speech


@pytest.mark.parametrize(("model", "price"), [("tts-1", "15"), ("tts-1-hd", "30")])
def test_speech_is_priced_by_the_character(running, direct, model, price):
    request = {"model": model, "voice": "alloy", "input": TEXT}
    answer = same_bytes(running.openai().audio.speech, direct.audio.speech, **request)
    assert answer.headers["content-type"] == "audio/mpeg"
    cost = Decimal(running.row()["cost_nano_usd"]) / 10**9
    assert answer.headers["x-catraca-cost-usd"] == f"{cost:.9f}"
    assert_recorded(
        running,
        per_million((CHARACTERS, price)),
        operation="speech",
        endpoint="/v1/audio/speech",
        characters=CHARACTERS,
        total_tokens=0,
    )


def test_groq_speech_is_priced_by_the_character(running, direct_groq):
    request = {"model": "canopylabs/orpheus-v1-english", "voice": "troy", "input": "[cheerful] Hi!"}
    same_bytes(running.groq().audio.speech, direct_groq.audio.speech, **request)
    assert_recorded(running, per_million((14, "22")), characters=14, source="groq")


@pytest.mark.parametrize("model", ["tts-1", "gpt-4o-mini-tts"])
def test_speech_says_what_it_leaves(configuration, catraca, tokens, model):
    budget = {"name": "b", "mode": "both", "tokens": 10_000_000, "cost": "500", "period": "total"}
    configuration.add_client("acme", [budget])
    running = catraca.start()
    request = {"model": model, "input": "Olá, catraca!", "voice": "alloy"}
    answer = running.openai().audio.speech.with_raw_response.create(**request)
    stands = running.admin(tokens["admin"]).done("GET", "/api/admin/budgets/acme/b")
    assert stands["held_tokens"] == 0 and stands["remaining_cost"] != "500.000000000"
    told = answer.headers
    assert told["x-catraca-remaining-tokens"] == str(stands["remaining_tokens"])
    assert told["x-catraca-remaining-cost"] == stands["remaining_cost"]


def test_a_stream_of_speech_reports_its_tokens(running, direct):
    request = {"model": "gpt-4o-mini-tts", "voice": "alloy", "input": TEXT, "stream_format": "sse"}
    same_bytes(running.openai().audio.speech, direct.audio.speech, **request)
    output = 2 * CHARACTERS
    assert_recorded(
        running,
        per_million((tokens(TEXT), "0.6"), (output, "12")),
        stream=1,
        prompt_tokens=tokens(TEXT),
        completion_tokens=output,
        audio_output_tokens=output,
    )


def test_speech_of_a_token_model_without_a_stream_is_estimated(running, direct):
    request = {"model": "gpt-4o-mini-tts", "voice": "alloy", "input": TEXT}
    same_bytes(running.openai().audio.speech, direct.audio.speech, **request)
    row = running.row()
    assert row["usage_source"] == "estimated"
    assert 0 < row["audio_output_tokens"] == row["completion_tokens"]
    assert 0 < row["cost_nano_usd"] <= row["held_nano_usd"]


def test_speech_that_breaks_off_is_charged_and_cut(running):
    with pytest.raises(openai.APIConnectionError):
        running.openai(max_retries=0).audio.speech.create(
            model="tts-1", voice="alloy", input=TEXT, extra_headers=script(cut_after=3)
        )
    row = running.row_in_time()
    assert row["outcome"] == "upstream_broken"
    assert row["cost_nano_usd"] == nano(per_million((CHARACTERS, "15")))


# Transcriptions


@pytest.mark.parametrize("format", ["json", "verbose_json", "text", "srt", "vtt"])
def test_whisper_is_priced_by_its_reported_duration(running, direct, format):
    request = {"model": "whisper-1", "file": sound(), "response_format": format}
    answer = same_bytes(
        running.openai().audio.transcriptions, direct.audio.transcriptions, **request
    )
    kind = "application/json" if "json" in format else "text/plain"
    assert answer.headers["content-type"].startswith(kind)
    assert_recorded(
        running,
        Decimal(13) / 60 * Decimal("0.006"),
        operation="transcription",
        endpoint="/v1/audio/transcriptions",
        audio_ms=13_000,
        total_tokens=0,
    )


@pytest.mark.parametrize("format", [None, "json", "verbose_json", "text", "srt", "vtt"])
def test_a_translation_is_priced_by_the_duration_asked_for(running, direct, format):
    request = {"model": "whisper-1", "file": sound()}
    if format:
        request["response_format"] = format
    same_bytes(running.openai().audio.translations, direct.audio.translations, **request)
    assert_recorded(
        running,
        Decimal(13) / 60 * Decimal("0.006"),
        operation="translation",
        endpoint="/v1/audio/translations",
        audio_ms=13_000,
    )


@pytest.mark.parametrize(("seconds", "billed"), [("3.2", "10"), ("12.42", "12.42")])
@pytest.mark.parametrize("format", ["json", "text", "verbose_json"])
def test_groq_bills_ten_seconds_at_least(running, direct_groq, format, seconds, billed):
    request = {
        "model": "whisper-large-v3",
        "file": sound(Decimal(seconds)),
        "response_format": format,
    }
    same_bytes(running.groq().audio.transcriptions, direct_groq.audio.transcriptions, **request)
    assert_recorded(
        running,
        Decimal(billed) * Decimal("0.00185") / 60,
        source="groq",
        audio_ms=int(Decimal(seconds) * 1000),
    )


@pytest.mark.parametrize("format", [None, "json", "text", "verbose_json"])
def test_groq_translates_at_the_price_of_the_duration(running, direct_groq, format):
    request = {"model": "whisper-large-v3", "file": sound()}
    if format:
        request["response_format"] = format
    same_bytes(running.groq().audio.translations, direct_groq.audio.translations, **request)
    assert_recorded(
        running,
        SECONDS * Decimal("0.00185") / 60,
        source="groq",
        operation="translation",
        audio_ms=int(SECONDS * 1000),
    )


@pytest.mark.parametrize("stream", [False, True])
def test_a_token_model_is_priced_by_its_tokens(running, direct, stream):
    request = {"model": "gpt-4o-transcribe", "file": sound(), "stream": stream, "prompt": "A gate."}
    same_bytes(running.openai().audio.transcriptions, direct.audio.transcriptions, **request)
    audio, text, output = 125, 1, 17
    assert_recorded(
        running,
        per_million((text, "2.5"), (audio, "6"), (output, "10")),
        stream=int(stream),
        prompt_tokens=audio + text,
        audio_input_tokens=audio,
        completion_tokens=output,
        audio_ms=0,
    )


def test_the_sdk_reads_a_streamed_transcription_event_by_event(running):
    stream = running.openai().audio.transcriptions.create(
        model="gpt-4o-transcribe", file=sound(), stream=True
    )
    *deltas, last = list(stream)
    assert {event.type for event in deltas} == {"transcript.text.delta"}
    assert last.type == "transcript.text.done"
    assert running.row()["completion_tokens"] == last.usage.output_tokens


def test_the_providers_error_passes_and_costs_nothing(running, direct):
    request = {"model": "gpt-4o-transcribe", "file": sound(), "response_format": "srt"}
    with pytest.raises(openai.BadRequestError) as raised:
        running.openai().audio.transcriptions.create(**request)
    assert raised.value.body["code"] == "unsupported_value"
    assert running.row()["cost_nano_usd"] == 0


def test_a_url_instead_of_a_file_is_refused(running, sandbox):
    with pytest.raises(groq.BadRequestError) as raised:
        running.groq().audio.transcriptions.create(
            model="whisper-large-v3", url="https://example.org/long.mp3"
        )
    assert raised.value.body["error"]["param"] == "url"
    assert sandbox.journal() == []


@pytest.mark.parametrize(
    "fields",
    [
        [("model", "whisper-1"), ("model", "gpt-4o-transcribe")],
        [("model[]", "whisper-1"), ("model", "gpt-4o-transcribe")],
        [("model", "whisper-1"), ("response_format", "json"), ("response_format", "text")],
        [],
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(running, sandbox, fields):
    boundary = "b0undary"
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields
    ]
    file = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n'
    body = "".join([*parts, file, f"--{boundary}--\r\n"]).encode()
    with running.connect() as connection:
        answer = connection.post(
            "/openai/v1/audio/transcriptions",
            body,
            running.key(),
            {"content-type": f"multipart/form-data; boundary={boundary}"},
        )
    assert (answer.status, answer.code) == (400, "invalid_json")
    assert sandbox.journal() == []


# Images


@pytest.mark.parametrize("stream", [False, True])
def test_images_are_priced_by_their_tokens(running, direct, stream):
    request = {
        "model": "gpt-image-2",
        "prompt": "An otter",
        "n": 2,
        "size": "1024x1024",
        "quality": "medium",
    }
    if stream:
        request |= {"stream": True, "partial_images": 1}
    through, straight = running.openai().images, direct.images
    same(through.with_raw_response.generate, straight.with_raw_response.generate, **request)
    times = 2 if stream else 1
    text, output = times * tokens("An otter"), 2 * 1056
    assert_recorded(
        running,
        per_million((text, "5"), (output, "30")),
        operation="image",
        endpoint="/v1/images/generations",
        prompt_tokens=text,
        completion_tokens=output,
        image_output_tokens=output,
        images=2,
    )


@pytest.mark.parametrize("stream", [False, True])
def test_an_edit_pays_for_the_picture_that_it_starts_from(running, direct, stream):
    request = {"model": "gpt-image-2", "prompt": "Add a hat", "image": PICTURE}
    if stream:
        request |= {"stream": True, "partial_images": 1}
    through, straight = running.openai().images, direct.images
    same(through.with_raw_response.edit, straight.with_raw_response.edit, **request)
    text, pictures, output = tokens("Add a hat"), 323, 1056
    assert_recorded(
        running,
        per_million((text, "5"), (pictures, "8"), (output, "30")),
        endpoint="/v1/images/edits",
        stream=int(stream),
        prompt_tokens=text + pictures,
        image_input_tokens=pictures,
        completion_tokens=output,
        images=1,
    )


def test_a_variation_is_charged_by_what_it_reports(running, direct):
    request = {"model": "gpt-image-2", "image": PICTURE, "n": 2}
    through, straight = running.openai().images, direct.images
    same(
        through.with_raw_response.create_variation,
        straight.with_raw_response.create_variation,
        **request,
    )
    text, pictures, output = tokens(""), 323, 2 * 1056
    assert_recorded(
        running,
        per_million((text, "5"), (pictures, "8"), (output, "30")),
        endpoint="/v1/images/variations",
        image_input_tokens=pictures,
        completion_tokens=output,
        images=2,
    )


def test_the_sdk_reads_a_streamed_image_event_by_event(running):
    stream = running.openai().images.generate(
        model="gpt-image-2", prompt="An otter", stream=True, partial_images=1
    )
    kinds = [event.type for event in stream]
    assert kinds == ["image_generation.partial_image", "image_generation.completed"]
    assert running.row()["image_output_tokens"] == 1056


# Budgets


def test_a_long_sound_is_refused_before_a_byte_goes_out(configuration, catraca, sandbox):
    budget = {"name": "tight", "mode": "cost", "cost": "0.01", "currency": "USD", "period": "total"}
    configuration.add_client("acme", [budget])
    running = catraca.start()
    client = running.openai(max_retries=0)
    client.audio.transcriptions.create(model="whisper-1", file=sound())
    with pytest.raises(openai.RateLimitError):
        client.audio.transcriptions.create(model="whisper-1", file=sound(Decimal(100)))
    assert len(sandbox.journal()) == 1
    assert len(running.ledger.usage()) == 1


def test_a_header_that_states_a_moment_overspends_nothing(configuration, catraca):
    budget = {"name": "tight", "mode": "cost", "cost": "0.50", "currency": "USD", "period": "total"}
    configuration.add_client("acme", [budget])
    configuration.settings["budgets"] = {"admission_wait": "60s"}
    running = catraca.start()
    # 820 seconds are billed, of 1.2 kB whose header states one sample.
    content_type, body = form(lying_flac(100), model="whisper-1", response_format="json")
    path = "/v1/audio/transcriptions"
    headers = {"content-type": content_type}
    answers = at_once(100, lambda _: running.post(body, path=path, headers=headers).status)
    assert sorted(answers) == [200] * 6 + [429] * 94
    costs = [row["cost_nano_usd"] for row in running.ledger.usage()]
    assert costs == [82_000_000] * 6
