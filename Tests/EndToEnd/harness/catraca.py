"""The server under test."""

import json
import os
import signal
import subprocess

import groq
import openai

from .admin import Admin
from .configuration import PROVIDER_KEYS, PROVIDER_SECRETS
from .ledger import SQLiteLedger
from .process import ServerProcess, binary
from .raw_http import Connection
from .secrets import Secrets, without_announcement
from .waiting import eventually


class Catraca:
    """A server on one configuration folder; it may be stopped and started again.

    No secret is in anything that it wrote, whatever a test does with it."""

    def __init__(self, configuration):
        self.configuration = configuration
        self.ledger = SQLiteLedger(configuration.ledger)
        self.process = None
        self.environment = dict(PROVIDER_KEYS)
        self.open_files = None
        self.launcher = []
        """A command that the server is started through."""
        self.working_folder = None
        """Where it puts what isn't beside its ledger's file; where the tests run if it has one."""

    @property
    def log_file(self):
        """Where the log goes; None for stdout."""
        name = self.configuration.settings["log"].get("file")
        return self.configuration.folder / name if name else None

    @property
    def spool(self):
        """Where entries wait that the ledger can't take."""
        if self.working_folder:
            return self.working_folder / "catraca.spool"
        return self.ledger.path.with_name(f"{self.ledger.path.name}.spool")

    def move_ledger(self, folder):
        """Puts the ledger into a folder of its own."""
        self.ledger.path = self.configuration.move_ledger(folder)

    def use(self, ledger, working_folder):
        """Has another ledger than the SQLite file of its configuration."""
        self.ledger = ledger
        self.working_folder = working_folder
        self.environment |= ledger.environment
        self.configuration.settings["ledger"]["url"] = ledger.url

    def start(self):
        self.configuration.write()
        self._check_log()
        self.process = ServerProcess(
            ["serve", "--config", str(self.configuration.folder)],
            self.configuration.folder,
            self.environment,
            self.open_files,
            self.launcher,
            self.log_file,
            self.working_folder,
        )
        self.host, self.port = self.process.address("proxy")
        scheme = "https" if "tls" in self.configuration.settings["proxy"] else "http"
        self.url = f"{scheme}://{self.host}:{self.port}"
        return self

    def terminate(self):
        """Asks the server to stop; returns its exit status."""
        self.process.signal(signal.SIGTERM)
        return self.process.wait()

    def kill(self):
        self.process.signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        if self.process:
            self.process.end()
            self._check_log()
            self._check_files()

    def _check_log(self):
        if self.process:
            secrets = Secrets(self.environment)
            log = json.dumps(self.process.log).encode()
            secrets.assert_absent_in_records("the log", log)
            complaints = without_announcement(self.process.stderr_path.read_bytes())
            secrets.assert_absent_in_records("stderr", complaints)

    def _check_files(self):
        """The ledger, what is beside it or the server, and the log where it is a file."""
        contents = self.ledger.contents()
        files = list(self.working_folder.glob("catraca.*")) if self.working_folder else []
        if log := self.log_file:
            files += log.parent.glob(f"{log.name}*")
        contents |= {file: file.read_bytes() for file in files if file.is_file()}
        secrets = Secrets(self.environment)
        for place, content in contents.items():
            secrets.assert_absent_in_records(place, content)

    def command(self, *arguments):
        """Runs a command of the same binary on the same configuration."""
        return subprocess.run(
            [binary(), *arguments, "--config", str(self.configuration.folder)],
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **self.environment},
            cwd=self.working_folder,
        )

    def admin(self, token):
        """The admin listener, for whoever has this token or key."""
        host, port = self.process.address("admin")
        scheme = "https" if "tls" in self.configuration.settings["admin"] else "http"
        return Admin(f"{scheme}://{host}:{port}", token)

    # Clients

    def key(self, client="acme"):
        return self.configuration.keys[client]

    def openai(self, client="acme", **options):
        return openai.OpenAI(base_url=f"{self.url}/v1", api_key=self.key(client), **options)

    def async_openai(self, client="acme", **options):
        return openai.AsyncOpenAI(base_url=f"{self.url}/v1", api_key=self.key(client), **options)

    def groq(self, client="acme", **options):
        return groq.Groq(base_url=f"{self.url}/groq", api_key=self.key(client), **options)

    def async_groq(self, client="acme", **options):
        return groq.AsyncGroq(base_url=f"{self.url}/groq", api_key=self.key(client), **options)

    def connect(self):
        return Connection(self.host, self.port)

    def post(self, body, path="/v1/chat/completions", client="acme", headers=()):
        """Sends one request on a connection of its own, without an SDK."""
        with self.connect() as connection:
            answer = connection.post(path, body, self.key(client), headers)
        PROVIDER_SECRETS.assert_absent("an answer", str(answer.fields).encode() + answer.body)
        return answer

    # Records

    def row(self):
        """The only row of usage; it must be there already."""
        rows = self.ledger.usage()
        assert len(rows) == 1, rows
        return rows[0]

    def row_in_time(self):
        """The only row of usage, for requests whose client didn't wait for it."""
        eventually(self.ledger.usage, "a row of usage")
        return self.row()

    def denials(self, count):
        """All rows of denials, which are written after their answers."""
        eventually(lambda: len(self.ledger.denials()) >= count, f"{count} denials")
        rows = self.ledger.denials()
        assert len(rows) == count, rows
        return rows
