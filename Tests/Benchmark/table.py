"""Measurements as a table in Markdown."""

import operator
import statistics
from typing import NamedTuple


class Aim(NamedTuple):
    """The aim for the median of Catraca's figure, or of its ratio to nginx's."""

    limit: float
    unit: str
    is_ratio: bool = False
    is_least: bool = False

    def __str__(self):
        return f"{'≥' if self.is_least else '≤'} {self.limit:g} {self.unit}".strip()

    def is_met(self, figure):
        return (operator.ge if self.is_least else operator.le)(figure, self.limit)


class Line(NamedTuple):
    title: str
    # By the names of proxies.
    samples: dict
    aim: Aim
    # Why there are no figures, or what limits them.
    note: str = ""

    def ratios(self):
        pairs = zip(self.samples.get("catraca", []), self.samples.get("nginx", []))
        # Chance can hide the little that nginx adds.
        return [ours / theirs for ours, theirs in pairs if theirs > 0]

    def verdict(self):
        figures = self.ratios() if self.aim.is_ratio else self.samples.get("catraca")
        if not figures:
            return self.note or "not measured"
        median = statistics.median(figures)
        answer = "yes" if self.aim.is_met(median) else "no"
        return f"{answer}; {self.note}" if self.note else answer


def summary(values):
    if not values:
        return "–"
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def markdown(lines):
    found = {name for line in lines for name in line.samples}
    order = ["nginx", "haproxy", "envoy", "litellm", "libcurl", "libcurl and SQLite", "catraca"]
    names = [name for name in order if name in found | {"catraca"}]
    rows = [["median (least to most)", *names, "catraca / nginx", "aim", "met"]]
    rows.append(["---"] * len(rows[0]))
    for line in lines:
        figures = [summary(line.samples.get(name)) for name in names]
        rows.append([line.title, *figures, summary(line.ratios()), str(line.aim), line.verdict()])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def as_json(line):
    return {
        "title": line.title,
        "samples": line.samples,
        "ratios": line.ratios(),
        "aim": str(line.aim),
        "met": line.verdict(),
    }
