"""However often one client signs in and however many pages it opens: others have theirs."""

import urllib.parse
from contextlib import ExitStack

from harness.raw_http import Connection

# One more than there can be sessions of all.
SIGN_INS = 10_001
# As many as there can be open pages of all.
PAGES = 100
EVENTS = "/dashboard/events"


def sign_in(connection, secret):
    """The cookie of a new session."""
    fields = {"content-type": "application/x-www-form-urlencoded"}
    form = urllib.parse.urlencode({"token": secret}).encode()
    answer = connection.post("/dashboard/sign-in", form, None, fields)
    assert answer.status == 303, answer
    return answer.fields["set-cookie"].split(";")[0]


def page(connection, cookie):
    return connection.get("/dashboard/", None, {"cookie": cookie}).status


def test_ten_thousand_sign_ins_of_a_key_log_nobody_else_out(catraca, tokens):
    other = catraca.configuration.add_client("other")
    catraca.start()
    with Connection(*catraca.process.address("admin")) as connection:
        administrator = sign_in(connection, tokens["admin"])
        neighbor = sign_in(connection, other)
        cookies = [sign_in(connection, catraca.key()) for _ in range(SIGN_INS)]
        assert page(connection, administrator) == 200
        path = "/dashboard/clients/other"
        assert connection.get(path, None, {"cookie": neighbor}).status == 200
        # Of its own, the client has the latest hundred.
        path = "/dashboard/clients/acme"
        statuses = [
            connection.get(path, None, {"cookie": cookie}).status for cookie in cookies[-102:]
        ]
        assert statuses == [303] * 2 + [200] * 100


def test_the_open_pages_of_a_key_take_nobody_elses_places(catraca, tokens):
    other = catraca.configuration.add_client("other")
    catraca.start()
    address = catraca.process.address("admin")
    with ExitStack() as resting:

        def listen(cookie):
            connection = resting.enter_context(Connection(*address))
            connection.send(
                connection.request("GET", EVENTS, None, None, {"cookie": cookie})
            )
            return connection.head()[0]

        with Connection(*address) as connection:
            cookies = [sign_in(connection, catraca.key()) for _ in range(10)]
            statuses = [listen(cookies[number % 10]) for number in range(PAGES)]
            assert statuses == [200] * 20 + [503] * 80
            assert listen(sign_in(connection, other)) == 200
            assert listen(sign_in(connection, tokens["viewer"])) == 200
            assert listen(sign_in(connection, tokens["admin"])) == 200
