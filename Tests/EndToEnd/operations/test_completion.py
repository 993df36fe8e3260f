"""Shell completion, in the shells themselves."""

import os
import pty
import select
import subprocess
import time

import pytest
from harness.process import binary
from harness.waiting import PATIENCE

# The typed line, and the words that must then be offered, among others; none if the list is empty.
OFFERS = [
    ("catraca bud", ["budget"]),
    ("catraca budget ", ["status", "set", "pause", "resume", "reset", "raise"]),
    ("catraca help budget r", ["resume", "reset", "raise"]),
    ("catraca help ke", ["key"]),
    ("catraca help pricing-", ["pricing-files"]),
    ("catraca usage --f", ["--format"]),
    ("catraca usage --format ", ["table", "json", "csv"]),
    ("catraca budget reset acme/1 --usage ", ["keep", "clear"]),
    ("catraca completion ", ["bash", "zsh", "fish"]),
    ("catraca serve --config cat", ["catraca.yaml"]),
    ("catraca pricing import cat", ["catraca.yaml"]),
    ("catraca usage --client cat", []),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a script for each shell, and a file whose name can be completed."""
    folder = tmp_path_factory.mktemp("completion")
    (folder / "catraca.yaml").write_text("")
    for shell in ["bash", "zsh", "fish"]:
        with open(folder / f"script.{shell}", "wb") as script:
            subprocess.run([binary(), "completion", shell], stdout=script, check=True)
    return folder


def run(folder, *words):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout.splitlines()


@pytest.mark.parametrize("typed, offers", OFFERS)
def test_bash_offers_what_may_follow(folder, typed, offers):
    ask = """
        source script.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _catraca
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    offered = run(folder, "bash", "--norc", "-c", ask, "bash", *typed.split(" "))
    assert set(offers) <= set(offered)
    assert offers or offered == [""]


@pytest.mark.parametrize("typed, offers", OFFERS)
def test_fish_offers_what_may_follow(folder, typed, offers, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    ask = "source script.fish; complete -C $argv[1]"
    offered = run(folder, "fish", "--no-config", "-c", ask, typed)
    assert set(offers) <= {line.split("\t")[0] for line in offered}
    assert offers or not offered


@pytest.mark.parametrize("typed, offers", [(typed, offers) for typed, offers in OFFERS if offers])
def test_zsh_offers_what_may_follow(folder, typed, offers):
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(TERM="dumb", COLUMNS="200")
        os.execvp("zsh", ["zsh", "-f", "-i"])
    try:
        setup = "autoload -U compinit; compinit -u -D; source ./script.zsh"
        # Such a name is never echoed as it is written here.
        os.write(terminal, f"{setup}; echo re''ady\n".encode())
        read_until(terminal, ["ready\r\n"])
        os.write(terminal, f"{typed}\t\t".encode())
        read_until(terminal, offers)
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


def read_until(terminal, texts):
    seen, end = "", time.monotonic() + PATIENCE
    while not all(text in seen for text in texts):
        readable, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
        assert readable, (texts, seen)
        seen += os.read(terminal, 1 << 16).decode(errors="replace")
    return seen
