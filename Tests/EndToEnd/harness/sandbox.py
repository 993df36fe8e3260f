"""The stand-in provider, and the rule by which its usage follows from a request."""

import json
import urllib.request

from .process import ServerProcess
from .usage import Usage

WORDS = 24  # how long an answer is that nothing else decides


class Sandbox(ServerProcess):
    def __init__(self, folder, launcher=()):
        super().__init__(["sandbox", "--listen", "127.0.0.1:0"], folder, launcher=launcher)
        host, port = self.address("sandbox")
        self.host, self.port = host, port
        self.url = f"http://{host}:{port}"

    def journal(self):
        with urllib.request.urlopen(f"{self.url}/sandbox/journal") as answer:
            return [json.loads(line) for line in answer.read().splitlines()]

    def served(self):
        """The billed requests, by the user that each has of its own."""
        return {
            json.loads(entry["body"])["user"]: entry
            for entry in self.journal()
            if entry["prompt_tokens"] is not None
        }

    def clear(self):
        request = urllib.request.Request(f"{self.url}/sandbox/journal", method="DELETE")
        urllib.request.urlopen(request).close()


def script(**values):
    """The header that tells the sandbox what to do: `script(cut_after=3, hang=True)`."""
    parts = [key if value is True else f"{key}={value}" for key, value in values.items()]
    return {"x-sandbox": "; ".join(parts)}


def script_of(usage, **values):
    """The header that makes the sandbox report exactly this usage."""
    return script(
        prompt_tokens=usage.prompt,
        completion_tokens=usage.completion,
        cached_tokens=usage.cached,
        audio_tokens=usage.audio_input,
        reasoning_tokens=usage.reasoning,
        **values,
    )


def expected_usage(messages, completion=WORDS, **parts):
    text = sum(len(message["content"].encode()) for message in messages)
    prompt = -(-text // 4) + 4 * len(messages) + 3
    return Usage(prompt=prompt, completion=completion, **parts)
