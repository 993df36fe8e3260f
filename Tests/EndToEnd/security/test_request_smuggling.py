"""The provider sees an accepted request as it would behind nginx and behind HAProxy."""

from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest
from harness.catraca import Catraca
from harness.configuration import Configuration
from harness.odd_requests import OPENED, REQUESTS
from harness.raw_http import Connection
from harness.recording_server import RecordingServer
from harness.reference_proxies import ReferenceProxy

WAIT = "300ms"
# Where another proxy ends the connection and Catraca goes on, and why it may.
STRICTER = {
    ("nginx", "TE with a tab"): "RFC 9110 5.6.3: a tab is white space around a value",
    ("nginx", "TRACE"): "Catraca refuses it too, and serves the next request",
    ("nginx", "OPTIONS *"): "Catraca refuses it too, and serves the next request",
    ("haproxy", "a whole URL of another host"): "RFC 9112 3.2.2: Host is ignored beside a URL",
}


@dataclass
class Passed:
    """The outcome of one connection."""

    seen: list
    answered: bytes


@pytest.fixture(scope="module")
def provider():
    provider = RecordingServer()
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def key_and_ours(tmp_path_factory, provider):
    """The virtual key, and what came of each case behind Catraca."""
    url = f"http://127.0.0.1:{provider.port}/v1"
    folder = tmp_path_factory.mktemp("smuggling")
    configuration = Configuration(folder, {"openai": {"base_url": url}})
    configuration.settings["pricing"] = ["pricing/openai.yaml"]
    configuration.settings["metering"] = {"unmetered_endpoints": [f"{OPENED}*"]}
    configuration.settings["limits"] = {"idle": WAIT, "header_timeout": WAIT}
    configuration.add_client("acme")
    catraca = Catraca(configuration).start()
    yield catraca.key(), exchange_all(catraca, provider, catraca.key())
    catraca.end()


@pytest.fixture(scope="module", params=["nginx", "haproxy"])
def reference(request, tmp_path_factory, provider, key_and_ours):
    """The name of another proxy, and what came of each case behind it."""
    folder = tmp_path_factory.mktemp("reference") / "home"
    proxy = ReferenceProxy(request.param, folder, provider.port)
    yield request.param, exchange_all(proxy, provider, key_and_ours[0])
    proxy.end()


def exchange_all(server, provider, key):
    return {
        case: exchange(server, provider, data.replace(b"KEY", key.encode()))
        for case, data in REQUESTS.items()
    }


def exchange(server, provider, data):
    provider.taken()
    with Connection(server.host, server.port, timeout=10) as connection:
        answered = b""
        try:
            connection.send(data)
            answered = connection.rest()
        except ConnectionError:
            pass  # A server that refuses needn't read the rest.
    return Passed(provider.taken(), answered)


def path_and_query(target):
    """The resource that the provider acts on: a whole URL names the same one as its path."""
    if target.startswith("/"):
        return target
    parts = urlsplit(target)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def meaning(passed):
    return [(seen.method, path_and_query(seen.target), seen.body) for seen in passed.seen]


def is_rest_of(ours, theirs):
    """Whether ours are theirs, in their order, without those that Catraca refused."""
    following = iter(theirs)
    return all(request in following for request in ours)


@pytest.mark.parametrize("case", REQUESTS)
def test_what_is_accepted_means_the_same_behind_every_proxy(key_and_ours, reference, case):
    ours = meaning(key_and_ours[1][case])
    name, passed = reference
    theirs = meaning(passed[case])
    if (name, case) in STRICTER:
        assert theirs == ours[: len(theirs)] != ours
    else:
        assert is_rest_of(ours, theirs), (ours, theirs)


@pytest.mark.parametrize("case", REQUESTS)
def test_what_is_passed_on_is_of_one_meaning(key_and_ours, case):
    key, passed = key_and_ours
    for seen in passed[case].seen:
        assert len(seen.values("host")) == 1
        assert len(seen.values("content-length")) + len(seen.values("transfer-encoding")) <= 1
        assert not any(key in value or "x-hop" in name.lower() for name, value in seen.fields)


def test_differences_are_counted(key_and_ours, reference, capsys):
    """The figures, and that the comparison isn't empty."""
    _, ours = key_and_ours
    name, theirs = reference
    accepted = [case for case in REQUESTS if ours[case].seen]
    differences = [
        case
        for case in accepted
        if not is_rest_of(meaning(ours[case]), meaning(theirs[case]))
        and (name, case) not in STRICTER
    ]
    with capsys.disabled():
        print(
            f"\nodd requests beside {name}: {len(REQUESTS)} inputs, {len(accepted)} accepted, "
            f"{len(REQUESTS) - len(accepted)} refused, {len(differences)} differences"
        )
    assert accepted and not differences
    assert len(ours["three in a pipeline"].seen) == 3
