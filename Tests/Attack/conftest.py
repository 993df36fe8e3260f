import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "EndToEnd"))

from harness.account import Account  # noqa: E402
from harness.admin import add_tokens  # noqa: E402
from harness.catraca import Catraca  # noqa: E402
from harness.configuration import Configuration  # noqa: E402
from harness.postgres import PostgresServer  # noqa: E402
from harness.replicas import Replicas  # noqa: E402
from harness.sanitizers import Reports  # noqa: E402
from neighbors import Neighbors, open_all  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def reports():
    """Of sanitizers; begins before any process is started, and ends after the last of them."""
    reports = Reports()
    yield reports
    reports.end()


@pytest.fixture
def account():
    account = Account()
    yield account
    account.close()


@pytest.fixture
def configuration(tmp_path, account):
    return configuration_of(account, tmp_path / "config")


def configuration_of(account, folder):
    folder.mkdir()
    openai = {"base_url": account.url, "api_key_env": "TEST_OPENAI_KEY", "on_disconnect": "cancel"}
    configuration = Configuration(folder, {"openai": openai})
    configuration.settings["pricing"] = ["pricing/openai.yaml"]
    # Money is compared in dollars, without a rate in between.
    configuration.settings["currency"] = {"billing": "USD"}
    return configuration


@pytest.fixture(scope="module")
def neighbors(tmp_path_factory, reports):
    """The clients of one server that is started, for all tests of a file."""
    account = Account()
    folder = tmp_path_factory.mktemp("neighbors")
    server = Catraca(configuration_of(account, folder / "config"))
    open_all(server.configuration)
    for client in ["alice", "bob", "carol", "dave"]:
        server.configuration.add_client(client)
    neighbors = Neighbors(server.start(), account)
    yield neighbors
    neighbors.close()
    end(server, reports)
    account.close()


@pytest.fixture
def catraca(configuration, reports):
    """A server that isn't started yet. However it is attacked, it ends when it is asked to."""
    server = Catraca(configuration)
    yield server
    end(server, reports)


def end(server, reports):
    if server.process and server.process.is_running():
        assert server.terminate() == 0
    else:
        assert server.process is None, "the server has died"
    server.end()
    reports.assert_none()


@pytest.fixture(scope="session")
def postgres_process():
    with PostgresServer() as server:
        yield server


@pytest.fixture
def replicas(configuration, postgres_process, tmp_path, reports):
    """Servers on one PostgreSQL ledger that aren't started yet."""
    replicas = Replicas(configuration, postgres_process, tmp_path)
    yield replicas
    replicas.terminate()
    replicas.end()
    reports.assert_none()


@pytest.fixture
def tokens(configuration):
    """A token of each role, by role."""
    return add_tokens(configuration)
