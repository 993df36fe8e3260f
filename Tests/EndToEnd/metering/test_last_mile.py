"""Where the bytes of a text don't fit into what is left, the provider's own count may."""

from harness.sandbox import expected_usage

OUTPUT = 50
TEXT = "Turnstiles let one person through at a time. " * 44
MESSAGES = [{"role": "user", "content": TEXT}]
BODY = {"model": "gpt-4o-mini", "messages": MESSAGES, "max_completion_tokens": OUTPUT}


def start_with_tokens(catraca, sandbox, tokens):
    catraca.configuration.add_client(
        "small", [{"name": "all", "period": "total", "tokens": tokens}]
    )
    catraca.start()
    sandbox.clear()


def paths(sandbox):
    return [entry["path"] for entry in sandbox.journal()]


def test_a_request_is_let_through_by_the_provider_s_count(catraca, sandbox):
    prompt = expected_usage(MESSAGES).prompt
    start_with_tokens(catraca, sandbox, prompt + OUTPUT + 100)
    assert len(TEXT) > prompt + OUTPUT + 100
    assert catraca.post(BODY, client="small").status == 200
    [row] = catraca.ledger.usage(client_id="small")
    assert row["prompt_tokens"] == prompt
    assert prompt + OUTPUT < row["held_tokens"] < prompt + OUTPUT + 100
    assert row["overrun_tokens"] == 0
    assert paths(sandbox) == ["/v1/responses/input_tokens", "/v1/chat/completions"]


def test_a_text_that_is_too_long_by_any_count_is_refused_without_asking(catraca, sandbox):
    start_with_tokens(catraca, sandbox, 200)
    assert catraca.post(BODY, client="small").status == 429
    assert paths(sandbox) == []


def test_what_can_only_be_bounded_keeps_its_bound(catraca, sandbox):
    prompt = expected_usage(MESSAGES).prompt
    start_with_tokens(catraca, sandbox, prompt + OUTPUT + 100)
    tool = {"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}
    assert catraca.post({**BODY, "tools": [tool]}, client="small").status == 429
    assert paths(sandbox) == []
