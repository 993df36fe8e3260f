"""Every test looks through what its server wrote, for secrets (`harness/catraca.py`): that this
would find some."""

import pytest
from harness.catraca import Catraca
from harness.configuration import PROVIDER_KEYS, new_key

BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}


@pytest.mark.parametrize(
    ("secret", "found"),
    [(PROVIDER_KEYS["TEST_GROQ_KEY"], "TEST_GROQ_KEY is in"), (new_key()[0], "sk-ctr-")],
    ids=["provider", "own"],
)
def test_a_secret_that_a_server_writes_is_found(configuration, secret, found):
    # Catraca records the names that apps give: the only way for a secret to get there.
    server = Catraca(configuration).start()
    try:
        assert server.post(BODY, headers={"x-catraca-user": secret}).status == 200
    finally:
        with pytest.raises(AssertionError, match=found):
            server.end()
