"""A PostgreSQL server of the tests' own, from Debian's packages."""

import os
import pwd
import random
import secrets
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from .waiting import eventually

PROGRAMS = "/usr/lib/postgresql"
# The user that Debian's package makes; the server refuses to be run by root.
SYSTEM_USER = "postgres"
SUPERUSER = "postgres"
USER = "catraca"
"""The role that owns the databases of the tests, and may make more."""
PATIENCE = 60.0
ATTEMPTS = 5
# Below those that the system gives to who connects, who could take a stopped server's own.
PORTS = range(20_000, 32_000)
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": 300,
    "password_encryption": "scram-sha-256",
    # Tests stop the server and never the machine: what is committed outlives it without this.
    "fsync": "off",
    "full_page_writes": "off",
    # Nobody's, so that what counts on the server's zone is found.
    "timezone": "Asia/Kathmandu",
    "log_line_prefix": "%m [%p] ",
}


class PostgresServer:
    """Started when made; it may be stopped and started again, with the address that it had."""

    def __init__(self, environment=None, **settings):
        """`environment` is what the server has beside the tests' own."""
        self._environment = environment or {}
        self._settings = SETTINGS | settings
        self.folder = Path(tempfile.mkdtemp(prefix="catraca-postgres-"))
        self.host = "127.0.0.1"
        self.password = secrets.token_urlsafe(24)
        self.port = 0
        self._process = None
        self._databases = 0
        try:
            self._initialize()
            started = any(self._start(random.choice(PORTS)) for _ in range(ATTEMPTS))
            assert started, self.complaints()
            self.execute(f"CREATE ROLE {USER} LOGIN CREATEDB PASSWORD '{self.password}'")
        except BaseException:
            self.end()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def create_database(self):
        """A fresh database; returns its name."""
        self._databases += 1
        name = f"test_{self._databases}"
        self.execute(f"CREATE DATABASE {name} OWNER {USER}")
        return name

    def url(self, database, user=USER, port=None):
        """Where a database is, through a proxy at `port` if there is one; without the password."""
        return f"postgresql://{user}@{self.host}:{port or self.port}/{database}"

    @property
    def environment(self):
        """The environment that a client of the server needs beside its address."""
        return {"PGPASSWORD": self.password}

    def execute(self, statement, database="postgres"):
        """Runs a statement as superuser; returns its rows, columns apart by `|`."""
        arguments = ["--no-psqlrc", "--quiet", "--no-align", "--tuples-only"]
        done = subprocess.run(
            [program("psql"), *arguments, "--command", statement, self.url(database, SUPERUSER)],
            capture_output=True,
            text=True,
            env={**os.environ, **self.environment},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def start(self):
        """Starts a stopped server; returns when it answers."""
        assert self._start(self.port), self.complaints()

    def stop(self):
        """Ends the server in order, though clients are connected; each of them is told so."""
        self._signal(signal.SIGINT)

    def stop_at_once(self):
        """Ends the server as a crash does: at its next start it recovers what was committed."""
        self._signal(signal.SIGQUIT)

    def is_running(self):
        return self._process is not None and self._process.poll() is None

    def end(self):
        """Leaves nothing of the server."""
        try:
            if self.is_running():
                self.stop_at_once()
        finally:
            shutil.rmtree(self.folder)

    def complaints(self):
        """The end of its log."""
        return (self.folder / "log").read_text(errors="replace")[-4000:]

    def _initialize(self):
        password = self.folder / "password"
        password.write_text(self.password)
        if os.geteuid() == 0:
            owner = pwd.getpwnam(SYSTEM_USER)
            for path in [self.folder, password]:
                os.chown(path, owner.pw_uid, owner.pw_gid)
        options = ["--auth=scram-sha-256", f"--pwfile={password}", f"--username={SUPERUSER}"]
        options += ["--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
        done = subprocess.run(
            [program("initdb"), *options, self._data], capture_output=True, text=True, **self._owner
        )
        assert done.returncode == 0, done.stdout + done.stderr

    @property
    def _data(self):
        return self.folder / "data"

    @property
    def _owner(self):
        """As whom to start a program, and where."""
        if os.geteuid() != 0:
            return {"cwd": self.folder}
        owner = pwd.getpwnam(SYSTEM_USER)
        user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        return {"cwd": self.folder, **user}

    def _start(self, port):
        """Whether it has come to listen at the port, which somebody else may have."""
        self.port = port
        settings = [f"--{name}={value}" for name, value in self._settings.items()]
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [program("postgres"), "-D", self._data, f"--port={port}", *settings],
                stdout=log,
                stderr=log,
                # An interrupt at the terminal is for who started it.
                start_new_session=True,
                env={**os.environ, **self._environment},
                **self._owner,
            )
        eventually(lambda: not self.is_running() or self._answers(), "PostgreSQL", PATIENCE)
        return self.is_running()

    def _answers(self):
        """Whether clients are let in; while it recovers, it listens and sends them away."""
        arguments = ["--quiet", f"--host={self.host}", f"--port={self.port}"]
        return subprocess.run([program("pg_isready"), *arguments]).returncode == 0

    def _signal(self, number):
        self._process.send_signal(number)
        self._process.wait(PATIENCE)


def program(name):
    """The newest of its versions that are installed."""
    versions = [path for path in Path(PROGRAMS).glob(f"*/bin/{name}")]
    assert versions, f"there is no {PROGRAMS}/*/bin/{name}; Debian's package is postgresql"
    return max(versions, key=lambda path: int(path.parts[-3]))

