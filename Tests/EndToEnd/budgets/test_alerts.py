"""Alerts: what is told, when, to whom, and what happens when nobody listens."""

import json
import ssl
from collections import Counter

import pytest
from harness.certificate import make_certificate
from harness.receivers import MailReceiver, WebReceiver
from harness.sandbox import script, script_of
from harness.usage import Usage
from harness.waiting import eventually

SECRET = "hook-secret-1"
ALERTS = "/api/admin/alerts"


@pytest.fixture
def receiver():
    receiver = WebReceiver()
    yield receiver
    receiver.close()


@pytest.fixture
def watched(catraca, tokens, receiver):
    """A server that isn't started yet; what it tells of goes to `receiver`, signed."""
    catraca.environment["HOOK_SECRET"] = SECRET
    hook = {"url": f"{receiver.url}/hook?team=blue", "secret_env": "HOOK_SECRET"}
    catraca.configuration.settings["alerts"] = {"webhooks": [hook]}
    catraca.token = tokens["admin"]
    return catraca


def add_budget(catraca, **fields):
    client = catraca.configuration.clients["clients"]["acme"]
    client["name"] = "ACME Corp"
    client["budgets"].append({"name": "month", "tokens": 1000, "period": "monthly", **fields})


def spend(catraca, tokens, user="u1"):
    """One request that uses exactly `tokens` tokens."""
    body = {
        "model": "gpt-4o-mini",
        "messages": [{"role": "user", "content": "Hello"}],
        "max_completion_tokens": tokens,
    }
    usage = Usage(prompt=10, completion=tokens - 10)
    return catraca.post(body, headers={"x-catraca-user": user, **script_of(usage)})


def listed(catraca, query=""):
    return catraca.admin(catraca.token).done("GET", f"{ALERTS}{query}")["data"]


def test_a_threshold_is_told_once_signed_and_with_the_budget(watched, receiver):
    add_budget(watched)
    watched.start()
    assert spend(watched, 790).status == 200
    assert receiver.deliveries == []
    assert spend(watched, 20).status == 200
    assert spend(watched, 20).status == 200
    [delivery] = receiver.received(1)
    assert delivery.path == "/hook?team=blue"
    assert delivery.fields["content-type"] == "application/json"
    assert delivery.is_signed_with(SECRET)
    told = delivery.json()
    assert told["id"] == delivery.id
    assert (told["type"], told["client_id"], told["threshold"]) == ("budget.threshold", "acme", 80)
    budget = told["budget"]
    reset = budget["next_reset_at"][:10]
    assert told["text"] == (
        f"ACME Corp: 80 % of 1,000 tokens used (acme/month), resets {reset}"
    )
    assert (budget["id"], budget["source"], budget["limit_tokens"]) == ("acme/month", "file", 1000)
    assert budget["current_tokens"] >= 810 and budget["state"] in ["attention", "critical"]
    [entry] = eventually(
        lambda: [one for one in listed(watched) if one["deliveries"][0]["delivered_at"]],
        "a delivery that arrived",
    )
    assert entry["id"] == told["id"] and entry["created_at"] == told["created_at"]
    assert (entry["budget_id"], entry["subject"]) == ("acme/month", "client:acme")
    assert (entry["unit"], entry["limit_value"], entry["used"]) == ("tokens", 1000, 810)
    [delivered] = entry["deliveries"]
    assert (delivered["channel"], delivered["status"]) == ("webhook:0", "delivered")
    assert (delivered["attempts"], delivered["last_error"]) == (1, None)
    assert SECRET not in json.dumps(watched.process.log)


@pytest.mark.parametrize("enforcement", ["hard", "soft", "shadow"])
def test_one_settlement_may_pass_several_thresholds(watched, receiver, enforcement):
    add_budget(watched, enforcement=enforcement, alerts=[10, 50, 80])
    watched.start()
    assert spend(watched, 850).status == 200
    told = [delivery.json() for delivery in receiver.received(3)]
    assert sorted(one["threshold"] for one in told) == [10, 50, 80]
    assert len({one["id"] for one in told}) == 3
    assert [row["threshold"] for row in watched.ledger.alerts()] == [10, 50, 80]


def test_each_subject_has_alerts_of_its_own_and_money_is_told_as_such(watched, receiver):
    add_budget(watched, per="user", alerts=[80])
    add_budget(watched, name="money", tokens=None, cost="0.01", currency="USD", alerts=[1])
    for budget in watched.configuration.clients["clients"]["acme"]["budgets"]:
        if budget["tokens"] is None:
            del budget["tokens"]
    watched.start()
    for user in ["u1", "u2", "u1"]:
        assert spend(watched, 850 if user == "u2" else 420, user).status == 200
    told = [delivery.json() for delivery in receiver.received(3)]
    texts = sorted(one["text"].split(", resets")[0] for one in told)
    assert texts == [
        "ACME Corp: 1 % of USD 0.01 used (acme/money)",
        "ACME Corp: 80 % of 1,000 tokens used (acme/month, user:u1)",
        "ACME Corp: 80 % of 1,000 tokens used (acme/month, user:u2)",
    ]
    subjects = {one["budget"]["subject"] for one in told}
    assert subjects == {"client:acme", "user:u1", "user:u2"}
    assert len(listed(watched, "?budget=acme/month")) == 2
    assert len(listed(watched, "?client=acme")) == 3
    assert listed(watched, "?client=other") == []


@pytest.mark.parametrize("enforcement", ["hard", "shadow"])
def test_the_first_refusal_of_a_window_is_told_once_also_after_a_restart(
    watched, receiver, enforcement
):
    add_budget(watched, tokens=100, enforcement=enforcement, alerts=[100])
    watched.start()
    for _ in range(2):
        spend(watched, 900, "u1")
    watched.kill()
    watched.start()
    spend(watched, 900, "u1")
    told = receiver.told(1 if enforcement == "hard" else 2)
    [exceeded] = [one for one in told if one["type"] == "budget.exceeded"]
    assert exceeded["text"].startswith("ACME Corp: budget exceeded, 0 of 100 tokens used")
    assert exceeded["threshold"] is None and exceeded["budget"]["id"] == "acme/month"


@pytest.mark.parametrize("monthly_tokens", [None, 1_000_000])
def test_the_first_refused_conversation_of_a_period_is_told_once_also_after_a_restart(
    watched, receiver, monthly_tokens
):
    plan = watched.configuration.clients["plans"]["free"]
    plan["monthly_conversations"] = 1
    if monthly_tokens is not None:
        plan["monthly_tokens"] = monthly_tokens
    watched.configuration.clients["clients"]["acme"]["name"] = "ACME Corp"
    watched.start()

    def call(conversation):
        body = {
            "model": "gpt-4o-mini",
            "messages": [{"role": "user", "content": "Hello"}],
            "max_completion_tokens": 20,
        }
        usage = script_of(Usage(prompt=10, completion=5))
        fields = {"x-catraca-conversation": conversation, **usage}
        return watched.post(body, headers=fields).status

    assert [call(name) for name in "ab"] == [200, 429]
    # It tells how the budget stands when it is sent: before anything else is used.
    [told] = receiver.told(1)
    assert [call(name) for name in "ca"] == [429, 200]
    watched.kill()
    watched.start()
    assert [call(name) for name in "abd"] == [200, 429, 429]
    watched.terminate()
    # A delivery that the kill cut off is made again, and tells how the budget stands then.
    assert [again["id"] for again in receiver.told(1)] == [told["id"]]
    [row] = watched.ledger.alerts()
    assert (row["unit"], row["limit_value"], row["used"]) == ("conversations", 1, 1)
    assert (told["type"], told["threshold"], told["client_id"]) == ("budget.exceeded", None, "acme")
    budget = told["budget"]
    reset = budget["next_reset_at"][:10]
    assert told["text"] == (
        f"ACME Corp: budget exceeded, 1 of 1 conversations used (acme/plan), resets {reset}"
    )
    assert (budget["id"], budget["subject"]) == ("acme/plan", "client:acme")
    assert (budget["current_tokens"], budget["limit_tokens"]) == (15, monthly_tokens)
    if monthly_tokens is None:
        assert (budget["mode"], budget["percentage_used"]) == ("conversations", 100.0)
        assert (budget["state"], budget["pause_reason"]) == ("exceeded", "conversation_limit")


def test_a_failed_delivery_is_tried_again_under_the_same_id(watched, receiver):
    add_budget(watched)
    receiver.answers = [500, 302]
    receiver.fields = {"location": f"{receiver.url}/elsewhere"}
    watched.start()
    spend(watched, 850)
    receiver.received(2)
    failed = eventually(
        lambda: [one for one in listed(watched) if one["deliveries"][0]["attempts"] == 2],
        "two attempts",
    )[0]["deliveries"][0]
    assert failed["status"] == "pending" and failed["last_error"].startswith("302 in ")
    watched.terminate()
    watched.ledger.make_deliveries_due()
    watched.start()
    deliveries = receiver.received(3)
    assert len({one.id for one in deliveries}) == 1
    assert len({one.body for one in deliveries}) == 1
    assert {one.path for one in deliveries} == {"/hook?team=blue"}
    assert all(one.is_signed_with(SECRET) for one in deliveries)
    done = eventually(
        lambda: [one for one in listed(watched) if one["deliveries"][0]["status"] == "delivered"],
        "the third attempt's success",
    )[0]["deliveries"][0]
    assert done["attempts"] == 3 and done["last_error"] is None


def test_a_kill_neither_loses_nor_doubles_an_alert(watched, receiver):
    add_budget(watched)
    receiver.answers = [500] * 50
    watched.start()
    spend(watched, 850)
    watched.kill()
    receiver.answers = []
    watched.ledger.make_deliveries_due()
    watched.start()
    eventually(
        lambda: "delivered"
        in [to["status"] for one in listed(watched) for to in one["deliveries"]],
        "the delivery after the kill",
    )
    spend(watched, 20)
    assert [row["threshold"] for row in watched.ledger.alerts()] == [80]
    assert len({one.id for one in receiver.deliveries}) == 1


def test_what_an_interrupted_request_reaches_is_told_by_the_next_start(watched, receiver):
    add_budget(watched, alerts=[1])
    watched.start()
    body = {
        "model": "gpt-4o-mini",
        "messages": [{"role": "user", "content": "Hello"}],
        "max_completion_tokens": 800,
    }
    with watched.connect() as connection:
        request = connection.request(
            "POST", "/v1/chat/completions", body, watched.key(), script(hang=True)
        )
        connection.send(request)
        eventually(watched.ledger.in_flight, "an intent")
        watched.kill()
    assert watched.ledger.alerts() == []
    for _ in range(2):
        watched.start()
        [delivery] = receiver.received(1)
        watched.terminate()
    assert delivery.json()["threshold"] == 1
    assert [row["threshold"] for row in watched.ledger.alerts()] == [1]


def test_very_many_subjects_are_told_in_few_messages_and_no_name_calls_people(watched, receiver):
    add_budget(watched, per="user", alerts=[80])
    slack = {"url": f"{receiver.url}/slack", "format": "slack"}
    watched.configuration.settings["alerts"]["webhooks"].append(slack)
    watched.start()
    users = ["<!channel> & @here", *(f"u{number}" for number in range(40))]
    for user in users:
        assert spend(watched, 850, user).status == 200
    eventually(lambda: len(watched.ledger.alerts()) == 41, "the alerts")

    def told(path):
        return [one.json() for one in list(receiver.deliveries) if one.path.startswith(path)]

    eventually(lambda: len(told("/hook")) + len(told("/slack")) >= 6, "the first messages")
    watched.terminate()
    # Deliveries of a channel are under way together, so any of them may arrive first.
    subjects = {one["budget"]["subject"] for one in told("/hook")}
    assert subjects == {f"user:{name}" for name in users[:3]}
    shown = "user:&lt;!channel&gt; &amp; @\u200bhere)"
    assert any(shown in one["text"] for one in told("/slack"))
    # The next start tells the rest, without waiting for the minute's end.
    watched.start()
    eventually(lambda: len(told("/hook")) == 4, "the message of the rest")
    rest = told("/hook")[-1]
    text = "ACME Corp: 38 alerts of acme/month: 38 × 80 % used (user:u2, user:u3, user:u4, …)"
    assert (rest["text"], rest["type"], rest["threshold"]) == (text, "budget.threshold", 80)
    assert (rest["gathered"]["count"], rest["gathered"]["more"]) == (38, 0)
    assert len(rest["gathered"]["alerts"]) == 38
    entries = listed(watched, "?limit=100")
    states = Counter(to["status"] for one in entries for to in one["deliveries"])
    assert states["gathered"] == 2 * 37 and rest["id"] in {one["id"] for one in entries}


def test_a_reset_re_arms(watched, receiver):
    add_budget(watched, tokens=10_000, alerts=[1])
    watched.start()
    spend(watched, 200)
    receiver.received(1)
    admin = watched.admin(watched.token)
    admin.done("POST", "/api/admin/budgets/acme/month/reset", {"usage": "keep"})
    spend(watched, 200)
    receiver.received(2)
    spend(watched, 200)
    watched.kill()
    watched.start()
    spend(watched, 200)
    assert len(watched.ledger.alerts()) == 2


def test_slack_gets_the_sentence_alone_and_changed_channels_are_used(watched, receiver):
    add_budget(watched, alerts=[50, 80])
    watched.configuration.settings["alerts"]["webhooks"] = [
        {"url": f"{receiver.url}/a"},
        {"url": f"{receiver.url}/slack", "format": "slack"},
    ]
    watched.start()
    spend(watched, 510)
    by_path = {one.path: one for one in receiver.received(2)}
    assert by_path["/slack"].json() == {"text": by_path["/a"].json()["text"]}
    assert "x-catraca-signature" not in by_path["/a"].fields
    watched.configuration.settings["alerts"]["webhooks"] = [{"url": f"{receiver.url}/b"}]
    watched.configuration.write()
    watched.process.event("configuration_reloaded")
    spend(watched, 300)
    assert receiver.received(3)[-1].path == "/b"


def test_a_test_goes_through_one_channel_or_all(watched, receiver, tokens):
    watched.configuration.settings["alerts"]["webhooks"].append(
        {"url": "http://127.0.0.1:9/closed"}
    )
    watched.start()
    admin = watched.admin(watched.token)
    [result] = admin.done("POST", f"{ALERTS}/test", {"channel": "webhook:0"})["results"]
    assert (result["channel"], result["delivered"]) == ("webhook:0", True)
    assert result["detail"].startswith("200 in ") and result["detail"].endswith(" ms")
    [delivery] = receiver.received(1)
    assert delivery.json()["type"] == "test" and delivery.is_signed_with(SECRET)
    results = admin.done("POST", f"{ALERTS}/test", {})["results"]
    assert [one["delivered"] for one in results] == [True, False]
    assert results[1]["detail"] == "no connection"
    reply = admin.post(f"{ALERTS}/test", {"channel": "webhook:7"})
    assert (reply.status, reply.code, reply.error["param"]) == (400, "invalid_value", "channel")
    assert watched.admin(tokens["viewer"]).post(f"{ALERTS}/test").status == 403
    assert listed(watched) == []


# aiosmtpd doesn't see that `smtps` encrypts the sign-in.
@pytest.mark.filterwarnings("ignore:Requiring AUTH:UserWarning")
@pytest.mark.parametrize("kind", ["plain", "starttls", "smtps"])
def test_mail_is_sent_signed_in_and_encrypted(watched, kind):
    folder = watched.configuration.folder
    context, credentials = None, None
    smtp = {"from": "catraca@example.com", "to": ["ops@example.com", "cfo@example.com"]}
    if kind != "plain":
        make_certificate(folder)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(folder / "tls.crt", folder / "tls.key")
        credentials = ("catraca", "mail-secret-1")
        watched.environment["MAIL_PASSWORD"] = credentials[1]
        smtp |= {"username": credentials[0], "password_env": "MAIL_PASSWORD"}
        smtp["ca_file"] = "tls.crt"
    receiver = MailReceiver(context, kind == "smtps", credentials)
    try:
        watched.configuration.settings["alerts"] = {"smtp": {"url": receiver.url, **smtp}}
        add_budget(watched)
        watched.configuration.clients["clients"]["acme"]["name"] = "Padaria São João"
        watched.start()
        spend(watched, 850)
        message = receiver.message()
        # The receiver has it before its answer is on the way.
        [entry] = eventually(
            lambda: [one for one in listed(watched) if one["deliveries"][0]["delivered_at"]],
            "mail that arrived",
        )
    finally:
        receiver.close()
    text = "Padaria São João: 80 % of 1,000 tokens used (acme/month), resets "
    assert message["subject"].startswith(text)
    assert message.get_content().strip() == message["subject"]
    assert message["from"] == "catraca@example.com"
    assert receiver.envelopes[0].rcpt_tos == ["ops@example.com", "cfo@example.com"]
    assert entry["deliveries"][0]["channel"] == "smtp"
    assert message["message-id"] == f"<{entry['id']}@catraca>"
    assert "mail-secret-1" not in json.dumps(watched.process.log)


def test_a_certificate_that_nobody_vouches_for_is_refused(watched):
    make_certificate(watched.configuration.folder)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    folder = watched.configuration.folder
    context.load_cert_chain(folder / "tls.crt", folder / "tls.key")
    receiver = MailReceiver(context)
    try:
        watched.configuration.settings["alerts"] = {
            "smtp": {"url": receiver.url, "from": "a@example.com", "to": ["b@example.com"]}
        }
        admin = watched.start().admin(watched.token)
        [result] = admin.done("POST", f"{ALERTS}/test", {})["results"]
    finally:
        receiver.close()
    assert result["delivered"] is False and receiver.messages == []
