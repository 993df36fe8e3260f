"""The command `llm`."""

import json
import subprocess
import sys
from pathlib import Path

from questions import EMBEDDED, MODEL, QUESTION, TOOL_QUESTION

FUNCTION = """
def get_tide(port: str) -> str:
    "When the tide is high."
    return "at noon in " + port
"""


def llm(*arguments):
    command = [Path(sys.executable).parent / "llm", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def plain():
    return llm("-m", MODEL, "--no-stream", QUESTION)


def streaming():
    return llm("-m", MODEL, QUESTION)


def tools():
    llm("-m", MODEL, "--no-stream", "--functions", FUNCTION, TOOL_QUESTION)
    [turn, *_] = json.loads(llm("logs", "--json", "-n", "2"))[-2:]
    [call] = turn["tool_calls"]
    return [call["name"], json.dumps(call["arguments"])]


def embeddings():
    return json.loads(llm("embed", "-m", "3-small", "-c", EMBEDDED))
