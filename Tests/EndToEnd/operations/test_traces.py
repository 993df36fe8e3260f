"""Spans and metrics in OpenTelemetry's protocol: what is sent, whose trace goes on, and what
happens when nobody takes it."""

import json
import signal
import socket
from contextlib import closing

import pytest
from harness.metrics import Metrics
from harness.otlp import Collector
from harness.realtime import MODEL as REALTIME_MODEL
from harness.realtime import open_session, respond
from harness.recording_server import RecordingServer
from harness.sandbox import script, script_of
from harness.secrets import Secrets
from harness.usage import Usage
from harness.waiting import eventually
from opentelemetry import propagate, trace
from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_CUMULATIVE
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.semconv._incubating.attributes import (
    error_attributes,
    gen_ai_attributes,
    http_attributes,
    server_attributes,
    url_attributes,
)

SAID = "a secret that nobody may read"
BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": SAID}],
    "max_completion_tokens": 20,
}
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"
HEADER_SECRET = "collector-secret-1"
CONVENTIONS = {
    value
    for module in [
        error_attributes,
        gen_ai_attributes,
        http_attributes,
        server_attributes,
        url_attributes,
    ]
    for value in vars(module).values()
    if isinstance(value, str)
}


@pytest.fixture
def collector():
    collector = Collector()
    yield collector
    collector.close()


@pytest.fixture
def traced(catraca, collector):
    """A server that isn't started yet, and sends each span at once."""
    catraca.environment |= {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "OTEL_METRICS_EXPORTER": "none",
        "OTEL_BSP_SCHEDULE_DELAY": "10",
    }
    return catraca


@pytest.fixture
def provider(catraca):
    """A provider that writes down what it gets."""
    provider = RecordingServer()
    url = f"http://127.0.0.1:{provider.port}/v1"
    catraca.configuration.settings["providers"]["openai"]["base_url"] = url
    yield provider
    provider.close()


def assert_same(span, **attributes):
    expected = {name.replace("__", "."): value for name, value in attributes.items()}
    assert {name: span.attributes.get(name) for name in expected} == expected


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_a_request_is_a_span(traced, collector, sandbox, stream):
    traced.environment["OTEL_SERVICE_NAME"] = "gate"
    traced.environment["OTEL_RESOURCE_ATTRIBUTES"] = "deployment.environment.name=a%20test"
    traced.start()
    usage = Usage(prompt=100, completion=20, cached=40, reasoning=5)
    headers = {"x-catraca-conversation": "c1", **script_of(usage)}
    assert traced.post({**BODY, "stream": stream}, headers=headers).status == 200
    span, row = collector.span(), traced.row()
    assert span.name == "chat gpt-4o-mini"
    assert span.message.kind == span.message.SPAN_KIND_SERVER
    assert len(span.trace_id) == 32 and len(span.span_id) == 16 and span.parent_id == ""
    assert not span.is_error
    assert span.resource["service.name"] == "gate" and span.resource["service.version"]
    assert span.resource["deployment.environment.name"] == "a test"
    assert span.attributes == {
        "http.request.method": "POST",
        "http.route": "/v1/chat/completions",
        "url.path": "/v1/chat/completions",
        "http.response.status_code": 200,
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "server.address": "127.0.0.1",
        "server.port": sandbox.port,
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.request.stream": stream,
        "gen_ai.request.max_tokens": 20,
        "gen_ai.conversation.id": "c1",
        "gen_ai.response.model": row["response_model"],
        "gen_ai.response.time_to_first_chunk": row["ttft_ms"] / 1000,
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 40,
        "gen_ai.usage.reasoning.output_tokens": 5,
        "catraca.request_id": row["request_id"],
        "catraca.client": "acme",
        "catraca.key": "main",
        "catraca.usage_source": "reported",
        "catraca.cost_usd": row["cost_usd"],
        "catraca.cost_nano_usd": row["cost_nano_usd"],
        "catraca.held_tokens": span["catraca.held_tokens"],
        "catraca.held_cost_usd": span["catraca.held_cost_usd"],
    }
    own = {name for name in span.attributes if name.startswith("catraca.")}
    assert span.attributes.keys() - own <= CONVENTIONS
    started = span.message.start_time_unix_nano
    assert 0 < span.message.end_time_unix_nano - started < 60e9
    [delivery] = collector.deliveries
    assert SAID.encode() not in delivery.body
    Secrets({**traced.environment, "key": traced.key()}).assert_absent("a span", delivery.body)


def test_other_operations_have_names_of_their_own(traced, collector):
    traced.start()
    traced.post({"model": "text-embedding-3-small", "input": "x"}, path="/v1/embeddings")
    assert collector.span().name == "embeddings text-embedding-3-small"


def test_reading_what_costs_nothing_is_a_span_without_a_model(traced, collector):
    path = "/v1/responses/input_tokens"
    traced.start().post({"model": "gpt-4o-mini", "input": SAID}, path=path)
    span = collector.span()
    assert span.name == "POST"
    assert_same(span, url__path=path, gen_ai__provider__name="openai")


def test_a_refusal_by_a_budget_is_an_error_that_names_it(traced, collector):
    budget = {"name": "small", "tokens": 10, "period": "total"}
    traced.configuration.add_client("poor", [budget])
    traced.start()
    assert traced.post(BODY, client="poor").status == 429
    span = collector.span()
    assert span.name == "chat gpt-4o-mini" and span.is_error
    assert_same(
        span,
        http__response__status_code=429,
        error__type="budget_exceeded",
        catraca__refused_by_budget="poor/small",
        catraca__client="poor",
        gen_ai__provider__name="openai",
        gen_ai__usage__input_tokens=None,
    )


def test_who_shows_no_key_has_a_span_too(traced, collector):
    traced.start()
    with traced.connect() as connection:
        assert connection.post("/v1/chat/completions", BODY, "sk-ctr-wrong").status == 401
    span = collector.span()
    assert span.name == "POST" and span.is_error
    assert_same(span, http__response__status_code=401, error__type="invalid_api_key")


def test_a_providers_error_is_an_error(traced, collector):
    traced.start()
    assert traced.post(BODY, headers=script(status=500)).status == 500
    span = collector.span()
    assert span.is_error
    assert_same(span, http__response__status_code=500, error__type="500")


def test_a_broken_stream_is_an_error(traced, collector):
    traced.start()
    with pytest.raises(Exception):
        traced.post({**BODY, "stream": True}, headers=script(cut_after=3))
    span = collector.span()
    assert span.is_error
    assert_same(span, http__response__status_code=200, error__type="upstream_broken")


def test_a_session_is_one_span_with_the_sum_of_its_responses(traced, collector):
    traced.start()
    headers = {"traceparent": PARENT}
    with open_session(traced, headers=headers) as session:
        respond(session)
        respond(session)
    rows = traced.ledger.usage()
    span = collector.span()
    assert (span.name, span.trace_id) == (f"realtime {REALTIME_MODEL}", TRACE)
    assert_same(
        span,
        http__response__status_code=101,
        gen_ai__usage__input_tokens=sum(row["prompt_tokens"] for row in rows),
        gen_ai__usage__output_tokens=sum(row["completion_tokens"] for row in rows),
        catraca__cost_nano_usd=sum(row["cost_nano_usd"] for row in rows),
        error__type=None,
    )
    assert len(rows) == 2
    process = traced.process
    eventually(lambda: [line.get("trace_id") for line in process.log].count(TRACE) == 2, "lines")


def test_an_apps_trace_goes_on_and_the_provider_gets_it(traced, collector, provider):
    traced.start()
    tracer = TracerProvider().get_tracer("app")
    with tracer.start_as_current_span("work") as work:
        headers = {}
        propagate.inject(headers)
        headers["tracestate"] = "vendor=opaque"
        completions = traced.openai().chat.completions
        completions.create(**BODY, extra_headers=headers)
    span = collector.span()
    context = work.get_span_context()
    assert span.trace_id == trace.format_trace_id(context.trace_id)
    assert span.parent_id == trace.format_span_id(context.span_id)
    assert span.message.trace_state == "vendor=opaque"
    [seen] = provider.taken()
    assert seen.values("traceparent") == [f"00-{span.trace_id}-{span.span_id}-01"]
    assert seen.values("tracestate") == ["vendor=opaque"]
    assert traced.process.event("request")["trace_id"] == span.trace_id


def test_a_trace_that_makes_no_sense_is_not_gone_on_with(traced, collector, provider):
    traced.start()
    headers = {"traceparent": f"00-{'0' * 32}-{SPAN}-01", "tracestate": "vendor=opaque"}
    assert traced.post(BODY, headers=headers).status == 200
    span = collector.span()
    assert span.parent_id == "" and span.message.trace_state == ""
    [seen] = provider.taken()
    assert seen.values("traceparent") == [f"00-{span.trace_id}-{span.span_id}-01"]
    assert seen.values("tracestate") == []


def test_without_a_collector_an_apps_trace_passes_as_it_is(catraca, provider):
    catraca.start()
    headers = {"traceparent": PARENT, "tracestate": "vendor=opaque"}
    assert catraca.post(BODY, headers=headers).status == 200
    [seen] = provider.taken()
    assert seen.values("traceparent") == [PARENT]
    assert seen.values("tracestate") == ["vendor=opaque"]
    assert "trace_id" not in catraca.process.event("request")
    assert "catraca_dropped_spans_total" not in Metrics.of(catraca).text


def test_a_sampler_that_says_no_is_obeyed_and_passed_on(traced, collector, provider):
    traced.environment["OTEL_TRACES_SAMPLER"] = "parentbased_always_off"
    traced.start()
    assert traced.post(BODY).status == 200
    assert traced.post(BODY, headers={"traceparent": PARENT}).status == 200
    assert collector.span().trace_id == TRACE
    first, second = provider.taken()
    assert first.values("traceparent")[0].endswith("-00")
    assert second.values("traceparent")[0].startswith(f"00-{TRACE}-")
    assert second.values("traceparent")[0].endswith("-01")


def test_a_collector_is_told_who_sends(traced, collector):
    traced.environment["OTEL_EXPORTER_OTLP_HEADERS"] = f"api-key={HEADER_SECRET},team=a%20b"
    traced.start()
    traced.post(BODY)
    collector.span()
    fields = collector.deliveries[0].fields
    assert fields["api-key"] == HEADER_SECRET and fields["team"] == "a b"
    assert HEADER_SECRET not in json.dumps(traced.process.log)


def test_what_a_collector_cant_take_now_is_sent_again(traced, collector):
    collector.answers = [503, 429]
    collector.fields = {"retry-after": "0"}
    traced.start()
    traced.post(BODY)
    deliveries = collector.received(3)
    assert len({delivery.body for delivery in deliveries}) == 1
    assert Metrics.of(traced).value("catraca_dropped_spans_total") == 0


def test_a_collector_that_comes_late_gets_what_waited(traced):
    with socket.socket() as reserved:
        # Nobody else gets a port that is bound, and until somebody listens it refuses.
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        traced.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = f"http://127.0.0.1:{port}"
        assert traced.start().post(BODY).status == 200
        collector = Collector(port)
    with closing(collector):
        assert collector.span()["catraca.request_id"] == traced.row()["request_id"]


def test_what_nobody_takes_is_dropped_counted_and_logged_once(traced, collector):
    collector.answers = [400] * 100
    traced.environment["OTEL_BSP_MAX_EXPORT_BATCH_SIZE"] = "1"
    traced.start()
    for _ in range(3):
        assert traced.post(BODY).status == 200
    eventually(
        lambda: Metrics.of(traced).value("catraca_dropped_spans_total") == 3, "three drops"
    )
    line = traced.process.event("telemetry_not_exported")
    assert (line["level"], line["signal"]) == ("warn", "traces")
    assert line["reason"] == "the receiver answered 400"
    assert line["url"] == f"{collector.url}/v1/traces"


def test_what_a_collector_rejects_is_counted(traced, collector):
    collector.body = b'{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}'
    traced.start()
    traced.post(BODY)
    line = traced.process.event("telemetry_not_exported")
    assert (line["reason"], line["dropped_spans"]) == ("too old", 1)


def test_a_stop_sends_what_waits(traced, collector):
    traced.environment["OTEL_BSP_SCHEDULE_DELAY"] = "3600000"
    traced.environment["OTEL_METRICS_EXPORTER"] = "otlp"
    traced.start()
    for _ in range(3):
        assert traced.post(BODY).status == 200
    assert collector.deliveries == []
    assert traced.terminate() == 0
    assert len(collector.all_spans()) == 3
    [point] = collector.metrics()["catraca_requests_total"].sum.data_points
    assert point.as_int == 3


def test_a_stop_doesnt_wait_for_a_collector_that_doesnt_answer(traced):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        traced.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = url
        traced.start()
        assert traced.post(BODY).status == 200
        traced.process.signal(signal.SIGTERM)
        assert traced.process.wait() == 0
    assert traced.process.event("telemetry_not_exported")["dropped_spans"] == 1


def test_metrics_are_those_of_prometheus(traced, collector):
    traced.environment |= {
        "OTEL_METRICS_EXPORTER": "otlp",
        "OTEL_TRACES_EXPORTER": "none",
        "OTEL_METRIC_EXPORT_INTERVAL": "50",
    }
    traced.configuration.add_client("small", [{"name": "all", "tokens": 1000, "period": "total"}])
    traced.start()
    usage = Usage(prompt=100, completion=20, cached=40)
    assert traced.post(BODY, client="small", headers=script_of(usage)).status == 200
    eventually(lambda: "catraca_requests_total" in collector.metrics(), "metrics")
    shown, sent = Metrics.of(traced), collector.metrics()
    assert not list(collector.messages("/v1/traces"))
    for name in ["catraca_requests_total", "catraca_tokens_total", "catraca_cost_usd_total"]:
        assert sent[name].sum.is_monotonic
        assert series(sent[name].sum) == shown.series(name)
    assert series(sent["catraca_budget_used_tokens"].gauge) == shown.series(
        "catraca_budget_used_tokens"
    )
    histogram = sent["catraca_upstream_latency_seconds"].histogram
    [point] = histogram.data_points
    assert (point.count, sum(point.bucket_counts)) == (1, 1)
    assert len(point.bucket_counts) == len(point.explicit_bounds) + 1
    assert histogram.aggregation_temporality == AGGREGATION_TEMPORALITY_CUMULATIVE


def series(data):
    return {
        tuple(sorted((label.key, label.value.string_value) for label in point.attributes)): (
            getattr(point, point.WhichOneof("value"))
        )
        for point in data.data_points
    }


@pytest.mark.parametrize(
    "name, value, complaint",
    [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", '"grpc" is not valid; allowed: http/json'),
        ("OTEL_TRACES_SAMPLER", "maybe", '"maybe" is not valid; allowed: always_on, '),
        ("OTEL_EXPORTER_OTLP_HEADERS", "hush", "its value is not valid; allowed: NAME=VALUE"),
    ],
)
def test_a_variable_that_makes_no_sense_stops_the_start(traced, name, value, complaint):
    traced.environment[name] = value
    traced.configuration.write()
    done = traced.command("serve")
    assert done.returncode == 1
    assert f"catraca: serve: {name}: {complaint}" in done.stderr
