"""Any provider of the OpenAI kind, shown by Anthropic's and Google's compatible endpoints: added by
configuration alone, metered and priced by a file of its own."""

import json

import openai
import pytest
from harness.catraca import Catraca
from harness.configuration import Configuration
from harness.prices import Prices
from harness.process import REPOSITORY
from harness.replay import CUTS, Replay
from harness.rows import assert_row
from harness.sandbox import expected_usage, script
from harness.usage import Usage

MODEL = "claude-opus-5-5"
MESSAGES = [{"role": "user", "content": "What does a turnstile do?"}]


def add_provider(configuration, name, url):
    configuration.settings["providers"][name] = {
        "base_url": url,
        "api_key_env": "TEST_OPENAI_KEY",
        "on_disconnect": "drain",
    }
    configuration.settings["pricing"].append(f"pricing/{name}.yaml")


@pytest.fixture
def running(configuration, catraca, sandbox):
    add_provider(configuration, "anthropic", f"{sandbox.url}/v1")
    return catraca.start()


def create(running, client=None, **options):
    client = client or running.openai()
    return client.chat.completions.create(model=MODEL, messages=MESSAGES, **options)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", ["/v1", "/anthropic/v1"])
def test_its_models_are_found_metered_and_priced(running, sandbox, path, stream):
    client = openai.OpenAI(base_url=f"{running.url}{path}", api_key=running.key())
    answer = create(running, client, stream=stream)
    if stream:
        assert all(chunk.usage is None for chunk in answer)
    assert_row(
        running.row(),
        running.configuration,
        expected_usage(MESSAGES),
        provider="anthropic",
        model=MODEL,
        stream=stream,
    )
    assert len(sandbox.journal()) == 1


def test_what_it_does_not_report_is_estimated_by_its_family(running):
    create(running, extra_headers=script(no_usage=True))
    row = running.row()
    bytes_sent = len(MESSAGES[0]["content"]) + 16
    assert row["usage_source"] == "estimated"
    assert row["prompt_tokens"] == -(-bytes_sent * 10 // 35)


def test_a_long_prompt_is_charged_at_its_step(running):
    usage = Usage(prompt=100_001, completion=10)
    running.openai().chat.completions.create(
        model="claude-haiku-5-5",
        messages=[{"role": "user", "content": "x" * 110_000}],
        extra_headers=script(prompt_tokens=usage.prompt, completion_tokens=usage.completion),
    )
    assert running.row()["cost_nano_usd"] == 100_001 * 500 + 10 * 2_500


# Answers in the shape of either: Anthropic's as OpenAI's, without details; Google's with the usage
# so far in every chunk, asked or not, and with what the model thought in the total alone.

DONE = b"data: [DONE]\n\n"
ANTHROPIC = {"prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28}
GOOGLE = {"completion_tokens": 3, "prompt_tokens": 9, "total_tokens": 105}
GOOGLE_MODEL = "gemini-3-flash-preview"


def chunk(model, content, **others):
    choices = [] if content is None else [{"index": 0, "delta": {"content": content}}]
    return event({"id": "1", "model": model, "choices": choices, **others})


def event(value):
    return f"data: {json.dumps(value)}\n\n".encode()


def whole(model, usage):
    message = {"role": "assistant", "content": "It counts."}
    answer = {"model": model, "choices": [{"index": 0, "message": message}], "usage": usage}
    return json.dumps(answer).encode()


GOOGLE_STREAM = (
    chunk(
        GOOGLE_MODEL,
        "It",
        usage={"completion_tokens": 1, "prompt_tokens": 9, "total_tokens": 103},
    )
    + chunk(GOOGLE_MODEL, " counts.", usage=GOOGLE)
    + DONE
)
# The provider, its model, what it answers, what of it the client sees, and the usage.
SHAPES = {
    "anthropic": ("anthropic", MODEL, whole(MODEL, ANTHROPIC), None, Usage(21, 7)),
    "anthropic stream": (
        "anthropic",
        MODEL,
        chunk(MODEL, "It counts.") + chunk(MODEL, None, usage=ANTHROPIC) + DONE,
        chunk(MODEL, "It counts.") + DONE,
        Usage(21, 7),
    ),
    "google": (
        "google",
        GOOGLE_MODEL,
        whole(GOOGLE_MODEL, GOOGLE),
        None,
        Usage(9, 96, reasoning=93),
    ),
    "google stream": (
        "google",
        GOOGLE_MODEL,
        GOOGLE_STREAM,
        None,
        Usage(9, 96, reasoning=93),
    ),
}


@pytest.fixture
def replayed(tmp_path):
    provider = Replay()
    folder = tmp_path / "replayed"
    folder.mkdir()
    configuration = Configuration(folder, {})
    configuration.settings["pricing"] = []
    add_provider(configuration, "anthropic", f"{provider.url}/v1")
    add_provider(configuration, "google", f"{provider.url}/v1beta/openai")
    configuration.add_client("acme")
    catraca = Catraca(configuration).start()
    yield catraca, provider
    catraca.end()
    provider.end()


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_its_own_shape_passes_and_is_charged(replayed, shape, cut):
    catraca, provider = replayed
    name, model, answer, seen, usage = SHAPES[shape]
    stream = shape.endswith("stream")
    kind = "text/event-stream; charset=utf-8" if stream else "application/json"
    provider.play(200, {"content-type": kind}, answer, cut)
    received = catraca.post({"model": model, "messages": MESSAGES, "stream": stream})
    assert (received.status, received.body) == (200, seen or answer)
    [(path, fields, body)] = provider.requests
    base = {"anthropic": "/v1", "google": "/v1beta/openai"}[name]
    assert path == f"{base}/chat/completions"
    assert fields["authorization"] == "Bearer sk-provider-oai1"
    # Google's says it anyway.
    asked = {"include_usage": True} if shape == "anthropic stream" else None
    assert json.loads(body).get("stream_options") == asked
    assert_row(
        catraca.row(), catraca.configuration, usage, provider=name, model=model, stream=stream
    )


def test_the_example_in_the_configuration_is_valid(configuration, catraca):
    """The example that catraca.yaml has as a comment, taken in."""
    lines = (REPOSITORY / "config/catraca.yaml").read_text().splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("  # anthropic:"))
    example = [line.replace("# ", "", 1) for line in lines[start : start + 4]]
    text = "\n".join(lines[:start] + example + lines[start + 4 :]).replace(
        "pricing: [", "pricing: [pricing/anthropic.yaml, "
    )
    configuration.write()
    configuration.write_text("catraca.yaml", text)
    checked = catraca.command("check")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    prices = Prices(configuration.folder / "pricing")
    assert prices.nano_usd("anthropic", MODEL, Usage(prompt=1_000_000, completion=0)) == 4 * 10**9
