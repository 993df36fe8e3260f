"""A receiver of OpenTelemetry's OTLP over HTTP: what it gets must be what the protocol's own
definitions (`opentelemetry-proto`) read, nothing unknown in it."""

import base64
import logging

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from oteltest.sink import HttpSink
from oteltest.sink.handler import AccumulatingHandler

from .receivers import WebReceiver
from .waiting import eventually

REQUESTS = {"/v1/traces": ExportTraceServiceRequest, "/v1/metrics": ExportMetricsServiceRequest}


class Collector(WebReceiver):
    def messages(self, path):
        """All that came to a path, read strictly. Ids are in hexadecimal, where the JSON of other
        protocol buffers has Base64."""
        for delivery in list(self.deliveries):
            assert delivery.fields["content-type"] == "application/json"
            if delivery.path == path:
                request = REQUESTS[path]()
                yield json_format.Parse(delivery.body, request, ignore_unknown_fields=False)

    def all_spans(self):
        return [
            Span(span, resource.resource)
            for message in self.messages("/v1/traces")
            for resource in message.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def spans(self, count):
        """All spans, once there are `count`."""
        eventually(lambda: len(self.all_spans()) >= count, f"{count} spans")
        spans = self.all_spans()
        assert len(spans) == count, spans
        return spans

    def span(self):
        [span] = self.spans(1)
        return span

    def metrics(self):
        """The last of each metric, by name."""
        return {
            metric.name: metric
            for message in self.messages("/v1/metrics")
            for resource in message.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


class AnySpelling(HttpSink):
    """It looks for `Content-Type` in this spelling alone."""

    def handle_trace(self, post_data, headers):
        super().handle_trace(post_data, spelled(headers))

    def handle_metrics(self, post_data, headers):
        super().handle_metrics(post_data, spelled(headers))


def spelled(headers):
    return {name.title(): value for name, value in headers.items()}


class Sink:
    """The receiver of `oteltest`, which is made to test what sends OTLP."""

    def __init__(self):
        self._received = AccumulatingHandler()
        self._server = AnySpelling(self._received, logging.getLogger("oteltest"), port=0)
        self._server.start()
        eventually(lambda: self._server.httpd is not None, "the sink to listen")
        self.url = f"http://127.0.0.1:{self._server.httpd.server_port}"

    def telemetry(self):
        return self._received.telemetry

    def close(self):
        self._server.stop()


class Span:
    def __init__(self, span, resource):
        self.message = span
        self.name = span.name
        self.resource = values(resource.attributes)
        self.attributes = values(span.attributes)
        self.trace_id = hexadecimal(span.trace_id)
        self.span_id = hexadecimal(span.span_id)
        self.parent_id = hexadecimal(span.parent_span_id)
        self.is_error = span.status.code == span.status.STATUS_CODE_ERROR

    def __getitem__(self, name):
        return self.attributes[name]

    def __repr__(self):
        return f"{self.name} {self.attributes}"


def hexadecimal(read):
    """An id as it was sent, of what a reader of Base64 made of it."""
    return base64.b64encode(read).decode()


def values(attributes):
    read = {}
    for attribute in attributes:
        kind = attribute.value.WhichOneof("value")
        assert attribute.key not in read
        read[attribute.key] = getattr(attribute.value, kind)
    return read
