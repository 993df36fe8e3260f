"""Clients that people use, unchanged: of Catraca they know a base URL and a key, as their users set
them in the environment. Each is a script in `clients/`, run by a Python of its own."""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness.budgets import first_of_next_month_in_sao_paulo
from harness.sandbox import script

FOLDER = Path(__file__).parents[1]
REPOSITORY = FOLDER.parents[1]
ARTICLE = REPOSITORY / "Sources/catraca/catraca.docc/Apps.md"
PYTHON = os.environ.get("CATRACA_CLIENTS_PYTHON", REPOSITORY / ".build/clients/bin/python")
LIMIT = 200
"""Less than any bound of an open-ended question."""


@dataclass
class Client:
    """The steps that a client can do, and how often each asks the provider."""

    steps: dict
    model: str = "gpt-4o-mini"
    refused: str = "plain"
    """The step that a refusal ends."""


CHAT = {"plain": 1, "streaming": 1, "tools": 1}
CLIENTS = {
    "openai": Client({**CHAT, "embeddings": 1}),
    "groq": Client(CHAT, "llama-3.3-70b-versatile"),
    "litellm": Client({**CHAT, "embeddings": 1}),
    "langchain": Client({**CHAT, "embeddings": 1}),
    # It tries every 429 again, whatever the answer says, unless it is told not to.
    "llama_index": Client({**CHAT, "embeddings": 1}, refused="plain_without_retries"),
    "instructor": Client(CHAT),
    # These call the tool and bring its answer to the model.
    "pydantic_ai": Client({**CHAT, "tools": 2, "embeddings": 1}),
    "llm": Client({**CHAT, "tools": 2, "embeddings": 1}),
}


def run(running, folder, name, *steps):
    """Takes these steps with a client of `acme`."""
    [vocabularies] = Path(PYTHON).parent.parent.glob("lib/*/site-packages/llama_index/core/_static")
    environment = {
        "OPENAI_BASE_URL": f"{running.url}/v1",
        "OPENAI_API_BASE": f"{running.url}/v1",
        "OPENAI_API_KEY": running.key(),
        "GROQ_BASE_URL": f"{running.url}/groq",
        "GROQ_API_KEY": running.key(),
        # So that no client looks beyond this machine for a list of prices or a tokenizer.
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "TIKTOKEN_CACHE_DIR": str(vocabularies / "tiktoken_cache"),
        "LLM_USER_PATH": str(folder / "llm"),
        "HOME": str(folder),
    }
    return subprocess.run(
        [PYTHON, FOLDER / "clients/run.py", name, *steps],
        capture_output=True,
        text=True,
        timeout=180,
        env={**os.environ, **environment},
        cwd=folder,
    )


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_works_unchanged(running, sandbox, tmp_path, name):
    client = CLIENTS[name]
    done = run(running, tmp_path, name, *client.steps)
    assert done.returncode == 0, done.stderr
    given = {}
    for line in done.stdout.splitlines():
        given |= json.loads(line)
    assert given.keys() == client.steps.keys()
    assert given["plain"].startswith("The turnstile lets one through")
    if name == "instructor":
        assert given["streaming"][-1] == "sandbox"
    else:
        assert "".join(given["streaming"]).startswith("The turnstile lets one through")
    tool, arguments = given["tools"]
    assert (tool, json.loads(arguments)) == ("get_tide", {"port": "sandbox"})
    if "embeddings" in client.steps:
        assert set(given["embeddings"]) == {1.0}
    assert_recorded(running, sandbox, client)


def assert_recorded(running, sandbox, client):
    """A row for each call of the provider, with the usage that it reported."""
    rows = running.ledger.usage()
    assert len(rows) == len(sandbox.journal()) == sum(client.steps.values())
    for row in rows:
        assert (row["status"], row["outcome"], row["usage_source"]) == (200, "ok", "reported")
        assert row["cost_nano_usd"] > 0
    assert sum(row["stream"] for row in rows) >= 1


@pytest.mark.parametrize("name", CLIENTS)
def test_a_budgets_refusal_is_shown_in_words_after_one_call(catraca, sandbox, tmp_path, name):
    budget = {"name": "month", "mode": "tokens", "tokens": LIMIT, "period": "monthly"}
    catraca.configuration.clients["clients"]["acme"]["budgets"] = [budget]
    catraca.start()
    body = {"model": CLIENTS[name].model, "messages": [{"role": "user", "content": "Hello"}]}
    used = {"max_completion_tokens": 20, **body}
    assert catraca.post(used, headers=script(prompt_tokens=14)).status == 200
    sandbox.clear()

    done = run(catraca, tmp_path, name, CLIENTS[name].refused)
    assert done.returncode != 0
    for words in [
        "Budget exceeded for client 'acme'",
        f"34 of {LIMIT} tokens used this month",
        f"It resets on {first_of_next_month_in_sao_paulo().isoformat()}",
    ]:
        assert words in done.stderr
    assert sandbox.journal() == []
    catraca.denials(1)


def test_the_manual_has_the_versions_that_are_tried():
    """The clients come first in the requirements, what they need below them."""
    clients, _ = (FOLDER / "requirements-clients.txt").read_text().split("\n\n", 1)
    tried = dict(re.findall(r"^([a-z-]+)==([0-9.]+)$", clients, re.M))
    row = re.compile(r"^\| `([a-z-]+)` \| ([0-9.]+) \|", re.M)
    assert dict(row.findall(ARTICLE.read_text())) == tried
