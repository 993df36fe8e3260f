import pytest

from harness.account import Account
from harness.admin import add_tokens
from harness.browser import Browser
from harness.catraca import Catraca
from harness.chosen_ledger import IS_POSTGRESQL
from harness.configuration import Configuration, sandbox_providers
from harness.postgres import PostgresServer
from harness.postgres_ledger import PostgresLedger
from harness.replicas import Replicas
from harness.sandbox import Sandbox
from harness.sanitizers import Reports


@pytest.fixture(scope="session", autouse=True)
def reports():
    """Of sanitizers; begins before any process is started, and ends after the last of them."""
    reports = Reports()
    yield reports
    reports.end()


@pytest.fixture(autouse=True)
def without_a_report(reports):
    """No sanitizer complains of any process that a test starts."""
    yield
    reports.assert_none()


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
def account():
    """A provider's account that keeps everything that clients leave there."""
    account = Account()
    yield account
    account.close()


@pytest.fixture
def configuration(tmp_path, sandbox):
    """A configuration with the client `acme`, which has no budget."""
    folder = tmp_path / "config"
    folder.mkdir()
    configuration = Configuration(folder, sandbox_providers(sandbox.url))
    configuration.add_client("acme")
    return configuration


@pytest.fixture
def catraca(configuration, request, tmp_path):
    """A server that isn't started yet, so that a test can change its configuration.

    Its ledger is an SQLite file, but with CATRACA_TEST_LEDGER=postgresql a fresh database."""
    server = Catraca(configuration)
    if IS_POSTGRESQL:
        server.use(PostgresLedger(request.getfixturevalue("postgres_process")), tmp_path)
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
def postgres_process():
    with PostgresServer() as server:
        yield server


@pytest.fixture
def postgres(postgres_process):
    """The server of PostgreSQL ledgers, which runs again whatever a test comes to."""
    yield postgres_process
    if not postgres_process.is_running():
        postgres_process.start()


@pytest.fixture
def replicas(configuration, postgres_process, tmp_path):
    """Three servers on one PostgreSQL ledger that aren't started yet."""
    replicas = Replicas(configuration, postgres_process, tmp_path)
    yield replicas
    replicas.end()


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
