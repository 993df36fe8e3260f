"""Every change is in the audit log, once, with who made it and what was there before."""

import datetime
import re

from harness.changes import MAKE, REMOVE, raised
from harness.document import operations

RAISE = raised((datetime.date.today() + datetime.timedelta(days=30)).isoformat())
CHANGES = [*MAKE, RAISE, *REMOVE]
NO_CHANGES = {
    "/api/token-billing/process-usage",
    "/api/token-billing/charges/{charge}/retry",
    "/api/token-billing/webhook",
    "/api/admin/alerts/test",
    "/api/widget-tokens",
}
"""They record use, send something or give a token to read with: nothing that an administrator set
is another then."""


def entries(admin):
    return admin.done("GET", "/api/admin/audit-log?limit=1000")["data"]


def test_each_change_leaves_one_entry_and_no_secret(admin):
    secrets = [admin.token]
    for count, change in enumerate(CHANGES):
        made = change.make(admin)
        log = entries(admin)
        assert len(log) == count + 1, str(change)
        entry = log[0]
        seen = (entry["actor"], entry["action"], entry["target"])
        assert seen == ("token:admin", change.action, change.target), str(change)
        verb = change.action.split(".")[1]
        assert (entry["before"] is None) == (verb in ("create", "reset", "assign")), entry
        assert (entry["after"] is None) == (verb in ("delete", "forget")), entry
        assert entry["before"] != entry["after"], entry
        if made.text and "secret" in made.json():
            secrets.append(made.json()["secret"])
    text = admin.get("/api/admin/audit-log?limit=1000").text
    assert len(secrets) == 3
    assert not any(secret in text for secret in secrets) and "sk-ctr-" not in text


def test_what_is_refused_leaves_no_entry(admin, catraca, tokens):
    viewer = catraca.admin(tokens["viewer"])
    for change in CHANGES:
        assert viewer.call(change.method, change.path, change.body).status == 403
    assert admin.post("/api/admin/clients", {"id": "acme"}).status == 409
    assert admin.post("/api/admin/clients", {"id": "no spaces"}).status == 400
    assert entries(admin) == []


def test_no_way_of_changing_something_is_forgotten_here(admin):
    tried = {str(change).split("?")[0] for change in CHANGES}
    for operation in operations(admin):
        if operation.method == "GET" or operation.path in NO_CHANGES:
            continue
        pattern = re.sub(r"{\w+}", "[^/]+", str(operation))
        assert any(re.fullmatch(pattern, call) for call in tried), str(operation)
