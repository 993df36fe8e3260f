"""Token counts as a provider reports them: totals that contain their parts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    prompt: int
    completion: int
    cached: int = 0
    audio_input: int = 0
    reasoning: int = 0

    @property
    def total(self):
        return self.prompt + self.completion

    @property
    def columns(self):
        return {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.completion,
            "cached_tokens": self.cached,
            "audio_input_tokens": self.audio_input,
            "reasoning_tokens": self.reasoning,
            "total_tokens": self.total,
        }
