"""Any provider of the OpenAI kind, shown by Anthropic's compatible endpoint: added by configuration
alone, metered and priced by a file of its own."""

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


def add_anthropic(configuration, url):
    configuration.settings["providers"]["anthropic"] = {
        "base_url": url,
        "api_key_env": "TEST_OPENAI_KEY",
        "on_disconnect": "drain",
    }
    configuration.settings["pricing"].append("pricing/anthropic.yaml")


@pytest.fixture
def running(configuration, catraca, sandbox):
    add_anthropic(configuration, f"{sandbox.url}/v1")
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


# The shape of its own answers: no details, and a usage chunk as OpenAI's.
ANSWER = {
    "id": "msg_01",
    "object": "chat.completion",
    "created": 1,
    "model": MODEL,
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "It counts."},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28},
}
CHUNK = {
    "id": "msg_01",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": MODEL,
    "choices": [{"index": 0, "delta": {"content": "It counts."}, "finish_reason": "stop"}],
}
LAST = {**CHUNK, "choices": [], "usage": ANSWER["usage"]}


@pytest.fixture
def replayed(tmp_path):
    provider = Replay()
    folder = tmp_path / "replayed"
    folder.mkdir()
    configuration = Configuration(folder, {})
    add_anthropic(configuration, f"{provider.url}/v1")
    configuration.settings["pricing"] = ["pricing/anthropic.yaml"]
    configuration.add_client("acme")
    catraca = Catraca(configuration).start()
    yield catraca, provider
    catraca.end()
    provider.end()


def event(value):
    return f"data: {json.dumps(value)}\n\n".encode()


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("stream", [False, True])
def test_its_own_shape_passes_and_is_charged(replayed, stream, cut):
    catraca, provider = replayed
    done = b"data: [DONE]\n\n"
    if stream:
        fields = {"content-type": "text/event-stream; charset=utf-8"}
        provider.play(200, fields, event(CHUNK) + event(LAST) + done, cut)
        expected = event(CHUNK) + done
    else:
        expected = json.dumps(ANSWER).encode()
        provider.play(200, {"content-type": "application/json"}, expected, cut)
    answer = catraca.post({"model": MODEL, "messages": MESSAGES, "stream": stream})
    assert (answer.status, answer.body) == (200, expected)
    [(path, fields, body)] = provider.requests
    assert path == "/v1/chat/completions"
    assert fields["authorization"] == "Bearer sk-provider-oai1"
    assert json.loads(body).get("stream_options") == ({"include_usage": True} if stream else None)
    assert_row(
        catraca.row(),
        catraca.configuration,
        Usage(prompt=21, completion=7),
        provider="anthropic",
        model=MODEL,
        stream=stream,
    )


def test_the_example_in_the_configuration_is_valid(configuration, catraca):
    """What catraca.yaml shows as a comment, taken in."""
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
