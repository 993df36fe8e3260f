"""The samples of `/metrics`, read by Prometheus' own Python client."""

from prometheus_client.parser import text_string_to_metric_families


class Metrics:
    def __init__(self, text):
        self.text = text
        self.families = {family.name: family for family in text_string_to_metric_families(text)}

    @classmethod
    def of(cls, catraca, token=None):
        """Those of a running server; without a setting nobody needs a token for them here."""
        reply = catraca.admin(token).get("/metrics")
        assert reply.status == 200, reply
        assert reply.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        return cls(reply.text)

    @property
    def samples(self):
        return [sample for family in self.families.values() for sample in family.samples]

    def series(self, name):
        return {
            tuple(sorted(sample.labels.items())): sample.value
            for sample in self.samples
            if sample.name == name
        }

    def sum(self, name, **labels):
        """Of all samples that have these labels; zero where there is none."""
        return sum(
            value
            for found, value in self.series(name).items()
            if labels.items() <= dict(found).items()
        )

    def value(self, name, **labels):
        return self.series(name)[tuple(sorted(labels.items()))]
