"""Spans in OpenTelemetry's protocol, taken by a receiver that others made."""

from harness.otlp import Sink
from harness.waiting import eventually
from oteltest import telemetry

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 20,
}


def test_a_receiver_takes_spans_and_metrics(catraca):
    sink = Sink()
    try:
        catraca.environment |= {
            "OTEL_EXPORTER_OTLP_ENDPOINT": sink.url,
            "OTEL_BSP_SCHEDULE_DELAY": "10",
            "OTEL_METRIC_EXPORT_INTERVAL": "100",
        }
        catraca.start()
        for stream in [False, True]:
            assert catraca.post({**BODY, "stream": stream}).status == 200
        eventually(lambda: telemetry.count_spans(sink.telemetry()) == 2, "two spans")
        eventually(
            lambda: "catraca_requests_total" in telemetry.get_metric_names(sink.telemetry()),
            "metrics",
        )
        assert telemetry.get_span_names(sink.telemetry()) == {"chat gpt-4o-mini"}
        events = {line["event"] for line in catraca.process.log}
        assert "telemetry_not_exported" not in events
    finally:
        sink.close()
