"""Providers are called with verified certificates, and nothing switches that off."""

import os
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from harness.certificate import make_certificate
from harness.replay import Replay
from harness.waiting import eventually

BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
ANSWER = (
    b'{"id":"c","object":"chat.completion","model":"gpt-4o-mini","choices":[],'
    b'"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}'
)
CONNECTIONS = 4
# Settings by which other programs, or our libraries in other programs, trust anybody.
LENIENT = {
    "CURL_CA_BUNDLE": "",
    "CURL_INSECURE": "1",
    "SSL_VERIFY": "0",
    "NODE_TLS_REJECT_UNAUTHORIZED": "0",
    "PYTHONHTTPSVERIFY": "0",
    "SSL_NO_VERIFY": "1",
}


@pytest.fixture
def provider(catraca):
    """A provider with a certificate for this machine that no authority has signed."""
    folder = catraca.configuration.folder
    make_certificate(folder, "provider")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "provider.crt", folder / "provider.key")
    replay = Replay(context)
    replay.play(200, {"content-type": "application/json"}, ANSWER)
    openai(catraca)["base_url"] = f"{replay.url}/v1"
    yield replay
    replay.end()


def openai(catraca):
    return catraca.configuration.settings["providers"]["openai"]


@pytest.mark.parametrize("environment", [{}, LENIENT], ids=["plain", "lenient"])
def test_a_provider_whose_certificate_is_not_known_is_not_spoken_to(
    catraca, provider, environment
):
    catraca.environment |= environment
    answer = catraca.start().post(BODY)
    assert (answer.status, answer.code) == (502, "upstream_unreachable")
    assert provider.requests == []
    assert catraca.ledger.usage() == []


def test_a_provider_whose_authority_was_added_is_spoken_to(catraca, provider):
    openai(catraca)["ca_file"] = "provider.crt"
    assert catraca.start().post(BODY).status == 200
    [(_, fields, _)] = provider.requests
    assert fields["authorization"] == "Bearer sk-provider-oai1"


def test_whoever_connects_resumes_the_session_that_another_request_began(catraca, provider):
    openai(catraca)["ca_file"] = "provider.crt"
    # On one processor there is one event loop, and each has sessions of its own.
    catraca.launcher = ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0)))]
    server = catraca.start()
    server.post(BODY)
    provider.held = threading.Event()
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        for count in range(CONNECTIONS):
            # The first of these goes out on the connection that is open.
            pool.submit(server.post, BODY)
            eventually(lambda: len(provider.resumptions) == count + 2, "the request has arrived")
        provider.held.set()
    assert provider.resumptions == 2 * [False] + (CONNECTIONS - 1) * [True]


def test_a_certificate_for_another_name_is_not_accepted(catraca, provider):
    openai(catraca)["ca_file"] = "provider.crt"
    openai(catraca)["base_url"] = openai(catraca)["base_url"].replace("127.0.0.1", "127.0.0.2")
    answer = catraca.start().post(BODY)
    assert (answer.status, answer.code) == (502, "upstream_unreachable")
    assert provider.requests == []


@pytest.mark.parametrize("key", ["insecure", "verify", "tls_verify", "skip_verify"])
def test_there_is_no_setting_that_trusts_anybody(catraca, key):
    openai(catraca)[key] = False
    catraca.configuration.write()
    done = catraca.command("check")
    assert done.returncode == 1
    assert f'unknown key "{key}"' in done.stderr
