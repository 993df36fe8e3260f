"""The tests' own PostgreSQL server does what the tests of several replicas count on."""

import subprocess
import sys

import psycopg
import pytest
from harness.process import REPOSITORY


@pytest.fixture
def database(postgres_process):
    return postgres_process.create_database()


def connect(server, database, **options):
    return psycopg.connect(server.url(database), password=server.password, **options)


def test_each_database_is_fresh_and_owned_by_who_uses_it(postgres_process):
    first, second = (postgres_process.create_database() for _ in range(2))
    with connect(postgres_process, first) as connection:
        connection.execute("CREATE TABLE here (n INT)")
    with connect(postgres_process, second) as connection:
        assert connection.execute("SELECT to_regclass('here')").fetchone() == (None,)


def test_who_has_not_the_password_is_refused(postgres_process, database):
    for password in ["", "wrong"]:
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(postgres_process.url(database), password=password)


@pytest.mark.parametrize("stop", ["stop", "stop_at_once"])
def test_what_was_committed_is_there_after_a_stop_and_clients_are_cut_off(
    postgres_process, database, stop
):
    with connect(postgres_process, database, autocommit=True) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS n")
        port = postgres_process.port
        getattr(postgres_process, stop)()
        try:
            with pytest.raises(psycopg.OperationalError):
                connection.execute("SELECT 1")
            with pytest.raises(psycopg.OperationalError, match="refused"):
                connect(postgres_process, database)
        finally:
            postgres_process.start()
    assert postgres_process.port == port
    with connect(postgres_process, database) as connection:
        assert connection.execute("SELECT n FROM kept").fetchone() == (7,)


def test_a_command_is_run_with_a_server_and_its_exit_status_is_kept(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import os, psycopg, sys\n"
        "psycopg.connect(os.environ['CATRACA_TEST_POSTGRES']).execute('CREATE TABLE t ()')\n"
        "print(os.environ['CATRACA_TEST_POSTGRES'])\n"
        "sys.exit(7)\n"
    )
    done = subprocess.run(
        [sys.executable, REPOSITORY / "Tests/EndToEnd/with_postgres.py", sys.executable, program],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 7, done.stderr
    with pytest.raises(psycopg.OperationalError, match="refused"):
        psycopg.connect(done.stdout.strip())
