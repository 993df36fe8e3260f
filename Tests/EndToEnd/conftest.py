import pytest

from harness.admin import add_tokens
from harness.browser import Browser
from harness.catraca import Catraca
from harness.configuration import Configuration, sandbox_providers
from harness.sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox_process(tmp_path_factory):
    sandbox = Sandbox(tmp_path_factory.mktemp("sandbox"))
    yield sandbox
    sandbox.end()


@pytest.fixture
def sandbox(sandbox_process):
    """The stand-in provider, with an empty journal."""
    sandbox_process.clear()
    return sandbox_process


@pytest.fixture
def configuration(tmp_path, sandbox):
    """A configuration with the client `acme`, which has no budget."""
    folder = tmp_path / "config"
    folder.mkdir()
    configuration = Configuration(folder, sandbox_providers(sandbox.url))
    configuration.add_client("acme")
    return configuration


@pytest.fixture
def catraca(configuration):
    """A server that isn't started yet, so that a test can change its configuration."""
    server = Catraca(configuration)
    yield server
    server.end()


@pytest.fixture
def running(catraca):
    """A started server."""
    return catraca.start()


@pytest.fixture
def tokens(configuration):
    """A token of each role, by role."""
    return add_tokens(configuration)


@pytest.fixture
def admin(catraca, tokens):
    """The admin API of a started server."""
    catraca.start()
    return catraca.admin(tokens["admin"])


@pytest.fixture(scope="session")
def browser_process():
    browser = Browser()
    yield browser
    browser.end()


@pytest.fixture
def browser(browser_process):
    """A browser that knows nobody, is wide, and reads English in light colours."""
    browser_process.begin()
    return browser_process
