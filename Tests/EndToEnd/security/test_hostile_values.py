"""Values that are far beyond any sense end no process, whoever sends them."""

import itertools
import json

import pytest
from harness.raw_http import Connection
from harness.routes import filled, provider_routes
from test_admin_contract import BODIES

FORM = "application/x-www-form-urlencoded"
WAYS_BACK = {
    "a control character in the query": b"back=/dashboard/clients?%7F",
    "control characters in the path": b"back=/dashboard/%7F%00%0D%0A",
    "a path as long as a form of nobody may be": b"back=/dashboard/" + b"!" * 4000,
    "a path longer than a header may be": b"back=/dashboard/" + b"!" * 500_000,
    "a query longer than a header may be": b"back=/dashboard/x?" + b"a" * 1_040_000,
}
LARGEST = 1 << 53
NUMBERS = [-(1 << 63), -1, 0, 1, LARGEST, (1 << 63) - 1, 1 << 63, 1 << 64, 1e308, -1e308, 1e-320]
TEXTS = ["", "-", "%", "\0", "\x7f", "💣" * 40, "a" * 300, "9" * 400, "1e999999999999", "NaN"]
TIMES = ["0001-01-01", "9999-12-31", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"]
EXTREMES = [*NUMBERS, *TEXTS, *TIMES, None, True, [], {}, [[]], [{}], [1 << 63], {"a": 1 << 63}]
FIELDS = """
    n best_of max_tokens max_completion_tokens max_output_tokens max_tool_calls dimensions
    partial_images size quality stream stream_options service_tier user metadata tools prediction
    messages input prompt modalities reasoning_effort voice background audio
""".split()
REQUEST = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "input": "Hello",
    "prompt": "Hello",
    "max_tokens": 5,
}
HEADERS = """
    x-catraca-user x-catraca-conversation x-catraca-agent x-catraca-metadata x-catraca-provider
    traceparent tracestate accept-language cookie origin expect range idempotency-key
    content-encoding if-modified-since
""".split()


@pytest.mark.parametrize("way", WAYS_BACK)
def test_the_page_that_a_nameless_form_leads_back_to_may_be_anything(running, way):
    host, port = running.process.address("admin")
    with Connection(host, port) as connection:
        answer = connection.post(
            "/dashboard/preferences", WAYS_BACK[way], headers={"content-type": FORM}
        )
        # Longer ones are refused before they are read.
        assert answer.status == (303 if len(WAYS_BACK[way]) < 4096 else 413)
        assert len(answer.fields.get("location", "")) <= 10_000
    assert is_alive(running)


def test_a_refusal_of_the_largest_request_is_shown(catraca, tokens):
    budget = {"name": "small", "tokens": 1000, "period": "total", "enforcement": "hard"}
    catraca.configuration.add_client("acme", [budget])
    catraca.start()
    body = {
        "model": "gpt-3.5-turbo-instruct",
        "prompt": ["a"] * 1100,
        "n": 128,
        "max_tokens": LARGEST,
    }
    answer = catraca.post(body, path="/v1/completions")
    assert (answer.status, answer.code) == (429, "budget_exceeded"), answer
    host, port = catraca.process.address("admin")
    with Connection(host, port) as connection:
        form = f"token={tokens['admin']}".encode()
        signed_in = connection.post("/dashboard/sign-in", form, headers={"content-type": FORM})
        cookie = {"cookie": signed_in.fields["set-cookie"].split(";")[0]}
        for path in ["/dashboard/refusals", "/dashboard/", "/dashboard/clients/acme"]:
            assert connection.get(path, headers=cookie).status == 200, path


def test_days_that_go_back_are_shown(catraca):
    # Clocks of this zone went from 00:01 back to 23:01 of the day before.
    catraca.configuration.add_client("acme")
    catraca.configuration.clients["clients"]["acme"]["timezone"] = "America/St_Johns"
    catraca.start()
    span = "from=2010-11-07T02:30:30Z&to=2010-11-07T02:45:00Z"
    reply = catraca.admin(catraca.key()).get(f"/api/analytics?by=day&{span}")
    assert reply.status == 200, reply
    assert [entry["key"] for entry in reply.json()["series"]] == ["2010-11-07"]


def test_no_parameter_of_any_call_ends_the_process(admin, catraca):
    calls = []
    for path, operations in admin.done("GET", "/api/openapi.json")["paths"].items():
        for method, operation in operations.items():
            names = [each["name"] for each in operation.get("parameters", [])]
            if method == "get":
                calls += [(f"{filled(path)}?{name}=", name) for name in names]
    assert len(calls) > 60, calls
    with connect(catraca, "admin") as connection:
        for (start, name), value in itertools.product(calls, [*NUMBERS, *TEXTS[:1], *TIMES]):
            target = start + str(value).replace("+", "%2B")
            answer = connection.get(target, admin.token)
            assert answer.status < 500, (target, answer)
        for start, name in calls:
            for value in ["%00", "%7F", "%F0%9F%92%A3" * 40, "a" * 300, "9" * 400, "%ff", "%"]:
                assert connection.get(start + value, admin.token).status < 500, start + value
    assert is_alive(catraca)


def test_no_field_of_any_call_ends_the_process(admin, catraca):
    count = 0
    document = admin.done("GET", "/api/openapi.json")
    with connect(catraca, "admin") as connection:
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                for field, value in itertools.product(fields_of(operation, document), EXTREMES):
                    body = json.dumps({**BODIES.get(path, {}), field: value}).encode()
                    connection.send(
                        connection.request(method.upper(), filled(path), body, admin.token)
                    )
                    answer = connection.answer()
                    assert answer.status < 500, (method, path, body, answer)
                    count += 1
    assert count > 1000
    assert is_alive(catraca)


def test_no_figure_of_a_request_ends_the_process(catraca):
    budget = {"name": "all", "mode": "both", "tokens": 1000, "cost": "0.01", "period": "total"}
    catraca.configuration.add_client("acme", [budget])
    catraca.start()
    paths = [path for method, path in provider_routes() if method == "POST"]
    with connect(catraca, "proxy") as connection:
        for path, field, value in itertools.product(paths, FIELDS, EXTREMES):
            body = json.dumps({**REQUEST, field: value}).encode()
            answer = connection.post(path, body, catraca.key())
            assert answer.status < 500, (path, field, value, answer)
    assert is_alive(catraca)


def test_no_header_field_ends_the_process(catraca, tokens):
    catraca.start()
    values = [str(value) for value in NUMBERS] + ["", "-", "a" * 30_000, "{" * 600, "é\t" * 99]
    values += ["00-" + "0" * 32 + "-" + "0" * 16 + "-01", "en;q=-9223372036854775808, *;q=9e99"]
    requests = [("proxy", "POST", "/v1/chat/completions", catraca.key())]
    requests += [("admin", "GET", "/dashboard/", None), ("admin", "GET", "/api/analytics", "x")]
    for (listener, method, path, key), name in itertools.product(requests, HEADERS):
        for value in values:
            body = json.dumps(REQUEST).encode() if method == "POST" else None
            with connect(catraca, listener) as connection:
                head = connection.request(method, path, body, key, {name: value})
                connection.send(head)
                assert connection.answer().status < 500, (path, name, value)
    assert is_alive(catraca)


def fields_of(operation, document):
    """The names of what a call's body takes."""
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema.get("properties", {})


def connect(catraca, listener):
    return Connection(*catraca.process.address(listener))


def is_alive(catraca):
    with connect(catraca, "proxy") as connection:
        return catraca.process.is_running() and connection.get("/healthz").status == 200
