"""Values that are far beyond any sense end no process, whoever sends them."""

import pytest
from harness.raw_http import Connection

FORM = "application/x-www-form-urlencoded"
WAYS_BACK = {
    "a control character in the query": b"back=/dashboard/clients?%7F",
    "control characters in the path": b"back=/dashboard/%7F%00%0D%0A",
    "a path longer than a header may be": b"back=/dashboard/" + b"!" * 500_000,
    "a query longer than a header may be": b"back=/dashboard/x?" + b"a" * 1_040_000,
}
LARGEST = 1 << 53


@pytest.mark.parametrize("way", WAYS_BACK)
def test_the_page_that_a_nameless_form_leads_back_to_may_be_anything(running, way):
    host, port = running.process.address("admin")
    with Connection(host, port) as connection:
        answer = connection.post(
            "/dashboard/preferences", WAYS_BACK[way], headers={"content-type": FORM}
        )
        assert answer.status == 303
        assert len(answer.fields["location"]) <= 10_000
        assert connection.get("/healthz").status == 200


def test_a_refusal_of_the_largest_request_is_shown(catraca, tokens):
    budget = {"name": "small", "tokens": 1000, "period": "total", "enforcement": "hard"}
    catraca.configuration.add_client("acme", [budget])
    catraca.start()
    body = {
        "model": "gpt-3.5-turbo-instruct",
        "prompt": ["a"] * 1100,
        "n": 128,
        "max_tokens": LARGEST,
    }
    answer = catraca.post(body, path="/v1/completions")
    assert (answer.status, answer.code) == (429, "budget_exceeded"), answer
    host, port = catraca.process.address("admin")
    with Connection(host, port) as connection:
        form = f"token={tokens['admin']}".encode()
        signed_in = connection.post("/dashboard/sign-in", form, headers={"content-type": FORM})
        cookie = {"cookie": signed_in.fields["set-cookie"].split(";")[0]}
        for path in ["/dashboard/refusals", "/dashboard/", "/dashboard/clients/acme"]:
            assert connection.get(path, headers=cookie).status == 200, path


def test_days_that_go_back_are_shown(catraca):
    # Clocks of this zone went from 00:01 back to 23:01 of the day before.
    catraca.configuration.add_client("acme")
    catraca.configuration.clients["clients"]["acme"]["timezone"] = "America/St_Johns"
    catraca.start()
    span = "from=2010-11-07T02:30:30Z&to=2010-11-07T02:45:00Z"
    reply = catraca.admin(catraca.key()).get(f"/api/analytics?by=day&{span}")
    assert reply.status == 200, reply
    assert [entry["key"] for entry in reply.json()["series"]] == ["2010-11-07"]
