"""The questions that every client asks."""

MODEL = "gpt-4o-mini"
GROQ_MODEL = "llama-3.3-70b-versatile"
EMBEDDING_MODEL = "text-embedding-3-small"
QUESTION = "What does a turnstile do?"
MESSAGES = [{"role": "user", "content": QUESTION}]
TOOL_QUESTION = "Call get_tide for the port."
EMBEDDED = "A turnstile lets one through."
TOOL = {
    "type": "function",
    "function": {
        "name": "get_tide",
        "description": "When the tide is high.",
        "parameters": {"type": "object", "properties": {"port": {"type": "string"}}},
    },
}
