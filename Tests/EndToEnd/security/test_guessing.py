"""Keys that nobody has, many times over."""

import datetime

import pytest
from harness.admin import Admin
from harness.configuration import new_key
from harness.raw_http import Connection

MOST_OF_APPS = 1_000
MODELS = "/v1/models"
STATUS = "/api/budget/status"


def guess(connection, path, times):
    return [connection.get(path, new_key()[0]).status for _ in range(times)]


@pytest.mark.parametrize(("first", "second"), [(MODELS, STATUS), (STATUS, MODELS)])
def test_apps_that_guess_are_told_to_wait_and_a_valid_key_still_passes(running, first, second):
    with running.connect() as connection:
        assert guess(connection, first, MOST_OF_APPS) == [401] * MOST_OF_APPS
        for path in [first, second]:
            answer = connection.get(path, new_key()[0])
            assert (answer.status, answer.code) == (429, "rate_limit_exceeded")
            assert answer.json()["error"]["type"] == "rate_limit_error"
            assert 1 <= int(answer.fields["retry-after"]) <= 60
            assert connection.get(path, running.key()).status == 200
            assert connection.get(path).status == 401


def test_a_key_that_was_valid_once_is_no_guess(catraca):
    some_time_ago = datetime.date.today() - datetime.timedelta(days=2)
    old = catraca.configuration.add_client("old", expires=some_time_ago.isoformat())
    with catraca.start().connect() as connection:
        for _ in range(MOST_OF_APPS + 1):
            assert connection.get(MODELS, old).status == 401


def test_who_guesses_does_not_lock_out_other_addresses(catraca, tokens):
    catraca.start()
    host, port = catraca.process.address("admin")
    admin = Admin(f"http://{host}:{port}", new_key()[0])
    assert [admin.get("/api/admin/clients").status for _ in range(101)][-1] == 429
    with Connection(host, port, source="127.0.0.9") as elsewhere:
        assert elsewhere.get("/api/admin/clients", new_key()[0]).status == 401
        assert elsewhere.get("/api/admin/clients", tokens["admin"]).status == 200
