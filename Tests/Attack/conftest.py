import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "EndToEnd"))

from harness.account import Account  # noqa: E402
from harness.admin import add_tokens  # noqa: E402
from harness.catraca import Catraca  # noqa: E402
from harness.configuration import Configuration  # noqa: E402
from harness.sanitizers import Reports  # noqa: E402


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
    folder = tmp_path / "config"
    folder.mkdir()
    openai = {"base_url": account.url, "api_key_env": "TEST_OPENAI_KEY", "on_disconnect": "cancel"}
    configuration = Configuration(folder, {"openai": openai})
    configuration.settings["pricing"] = ["pricing/openai.yaml"]
    # Money is compared in dollars, without a rate in between.
    configuration.settings["currency"] = {"billing": "USD"}
    return configuration


@pytest.fixture
def catraca(configuration, reports):
    """A server that isn't started yet. However it is attacked, it ends when it is asked to."""
    server = Catraca(configuration)
    yield server
    if server.process and server.process.is_running():
        assert server.terminate() == 0
    else:
        assert server.process is None, "the server has died"
    server.end()
    reports.assert_none()


@pytest.fixture
def tokens(configuration):
    """A token of each role, by role."""
    return add_tokens(configuration)
