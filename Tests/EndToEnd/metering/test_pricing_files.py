"""Pricing files made of LiteLLM's table, and compared."""

import csv
import io
import json
from subprocess import run

import pytest
from harness.prices import Prices
from harness.process import binary

TABLE = {
    "sample_spec": {"mode": "one of: chat", "input_cost_per_token": 0.0},
    "gpt-x": {
        "litellm_provider": "openai",
        "mode": "chat",
        "input_cost_per_token": 1.5e-07,
        "output_cost_per_token": 6e-07,
        "output_cost_per_token_batches": 3e-07,
        "max_output_tokens": 16384,
        "max_input_tokens": 128000,
    },
    "groq/whisper-x": {
        "litellm_provider": "groq",
        "mode": "audio_transcription",
        "input_cost_per_second": 3.083e-05,
        "output_cost_per_second": 0.5,
    },
    "sora-x": {"litellm_provider": "openai", "mode": "video_generation"},
    "claude-x": {"litellm_provider": "anthropic", "mode": "chat", "input_cost_per_token": 1},
}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.json"
    path.write_text(json.dumps(TABLE))
    return str(path)


@pytest.fixture
def command(catraca):
    catraca.configuration.write()
    return catraca.command


def test_a_table_becomes_files_that_are_valid(catraca, command, table, tmp_path):
    out = tmp_path / "out"
    done = command("pricing", "import", table, "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in out.iterdir()) == ["groq.yaml", "openai.yaml"]
    for name in ["sora-x", "output_cost_per_second", "anthropic"]:
        assert name in done.stderr
    for path in out.iterdir():
        (catraca.configuration.folder / "pricing" / path.name).write_text(path.read_text())
    assert command("check").returncode == 0
    done = command("price", "gpt-x", "--in", "1000000", "--out", "1000000", "--format", "json")
    assert json.loads(done.stdout)["cost_usd"] == "0.750000000"


def test_without_a_folder_the_configurations_is_written(catraca, command, table):
    assert command("pricing", "import", table).returncode == 0
    models = Prices(catraca.configuration.folder / "pricing")._models
    assert ("openai", "gpt-x") in models and ("openai", "gpt-4o") not in models


@pytest.mark.parametrize("text", ["", "[]", "{", "null"])
def test_what_is_no_table_is_refused(command, tmp_path, text):
    path = tmp_path / "table.json"
    path.write_text(text)
    done = command("pricing", "import", str(path))
    assert done.returncode == 1 and str(path) in done.stderr
    assert command("pricing", "import", str(tmp_path / "none.json")).returncode == 1
    assert command("pricing", "import").returncode == 2


OLD = """
provider: openai
as_of: 2026-01-01
surcharges: { web_search: { per_call: "0.01" } }
containers: { 1g: "0.03" }
models:
  kept: { aliases: [alias], per_million_tokens: { input: "1", output: "2" } }
  gone: { per_minute: "1" }
"""
NEW = """
provider: openai
as_of: 2026-02-01
surcharges: { web_search: { per_call: "0.02" } }
containers: { 1g: "0.04", 4g: "0.12" }
models:
  kept:
    per_million_tokens: { input: "1.0", output: "3" }
    tiers: { batch: { per_million_tokens: { input: "0.5" } } }
    completion_windows: { 2h: { per_million_tokens: { input: "0.7" } } }
  alias: { per_million_tokens: { input: "1", output: "2" } }
  come: { per_minute: "1" }
"""
DIFFERENCES = [
    ("*", "changed", "containers/1g", "0.03", "0.04"),
    ("*", "added", "containers/4g", None, "0.12"),
    ("*", "changed", "surcharges/web_search", "0.01", "0.02"),
    ("come", "added", None, None, None),
    ("gone", "removed", None, None, None),
    ("kept", "added", "batch/input", None, "0.5"),
    ("kept", "changed", "output", "2", "3"),
    ("kept", "added", "window 2h/input", None, "0.7"),
]


def test_what_differs_is_listed(tmp_path):
    for name, text in [("old", OLD), ("new", NEW)]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "openai.yaml").write_text(text)
    old, new = tmp_path / "old", tmp_path / "new" / "openai.yaml"

    def diff(*arguments):
        words = [binary(), "pricing", "diff", *map(str, arguments)]
        return run(words, capture_output=True, text=True, timeout=60)

    done = diff(old, new, "--format", "json")
    assert done.returncode == 0, done.stderr
    names = ["model", "change", "price", "before", "after"]
    rows = json.loads(done.stdout)["data"]
    assert [tuple(row[name] for name in names) for row in rows] == DIFFERENCES
    rows = list(csv.DictReader(io.StringIO(diff(old, new, "--format", "csv").stdout)))
    assert [row["model"] for row in rows] == [row[0] for row in DIFFERENCES]
    same = diff(old, old)
    assert (same.returncode, same.stdout) == (0, "No price differs.\n")
    (tmp_path / "old" / "openai.yaml").write_text(OLD.replace("per_minute", "per_hour"))
    wrong = diff(old, new)
    assert wrong.returncode == 1 and "openai.yaml:8:11:" in wrong.stderr
    assert diff(tmp_path / "none", new).returncode == 1
    assert diff(old).returncode == 2
