"""Which ledger the servers of most tests have.

    CATRACA_TEST_LEDGER   postgresql: a fresh database of a server of the tests' own, each
"""

import os

import pytest

IS_POSTGRESQL = os.environ.get("CATRACA_TEST_LEDGER") == "postgresql"

REASON = "what this is about is otherwise on PostgreSQL"

sqlite_alone = pytest.mark.skipif(IS_POSTGRESQL, reason=REASON)


def need_sqlite():
    """For fixtures that only tests of an SQLite ledger have a use for."""
    if IS_POSTGRESQL:
        pytest.skip(REASON)
