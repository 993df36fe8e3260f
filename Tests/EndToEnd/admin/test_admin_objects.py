"""Objects at providers as administrators see, assign, share and forget them."""

import openai
import pytest
from harness.objects import owners
from harness.waiting import eventually

OBJECTS = "/api/admin/objects"
GUEST = "bolt"


@pytest.fixture
def house(configuration, account, catraca, tokens):
    """A started server with the clients `acme` and `bolt`, whose provider is the account."""
    configuration.settings["providers"]["openai"]["base_url"] = account.url
    configuration.add_client(GUEST)
    return catraca.start()


@pytest.fixture
def admin(house, tokens):
    return house.admin(tokens["admin"])


def upload(client):
    return client.files.create(file=("x.txt", b"x"), purpose="user_data").id


def body(id, client, kind="file", provider="openai"):
    return {"provider": provider, "object_id": id, "kind": kind, "client_id": client}


def target(id, provider="openai"):
    return f"{OBJECTS}?provider={provider}&object_id={id}"


def reaches(client, id):
    try:
        return client.files.retrieve(id).id == id
    except openai.NotFoundError:
        return False


def test_an_object_is_assigned_shared_and_forgotten_for_the_next_request(house, admin):
    ours, theirs = (house.openai(client, max_retries=0) for client in ["acme", GUEST])
    file = upload(ours)
    assert reaches(ours, file) and not reaches(theirs, file)
    [shown] = admin.done("GET", OBJECTS)["data"]
    assert shown.pop("created_at").endswith("Z")
    assert shown == {**body(file, "acme"), "key_name": "main", "deleted_at": None}

    moved = admin.done("POST", OBJECTS, body(file, GUEST), status=200)
    assert (moved["client_id"], moved["key_name"]) == (GUEST, None)
    assert reaches(theirs, file) and not reaches(ours, file)

    admin.done("POST", OBJECTS, body(file, "*"), status=200)
    assert reaches(theirs, file) and reaches(ours, file)

    assert admin.delete(target(file)).status == 204
    assert not reaches(theirs, file) and not reaches(ours, file)
    assert admin.delete(target(file)).code == "not_found"

    admin.done("POST", OBJECTS, body(file, "acme"), status=201)
    assert reaches(ours, file) and not reaches(theirs, file)


def test_what_was_just_made_is_forgotten_at_once(house, admin):
    ours = house.openai(max_retries=0)
    file = upload(ours)
    assert admin.delete(target(file)).status == 204
    assert not reaches(ours, file)


def test_changes_are_in_the_audit_log_with_both_owners(admin):
    admin.done("POST", OBJECTS, body("file-1", "acme"), status=201)
    admin.done("POST", OBJECTS, body("file-1", "*"), status=200)
    assert admin.delete(target("file-1")).status == 204
    log = admin.done("GET", "/api/admin/audit-log")["data"]
    sides = [
        tuple(state and state["client_id"] for state in (entry["before"], entry["after"]))
        for entry in log
    ]
    assert [entry["action"] for entry in log] == ["object.forget"] + 2 * ["object.assign"]
    assert {entry["target"] for entry in log} == {"object:openai/file-1"}
    assert sides == [("*", None), ("acme", "*"), (None, "acme")]


def test_the_list_has_filters_and_pages(admin):
    for number in range(7):
        admin.done("POST", OBJECTS, body(f"file-{number}", "acme"), status=201)
    admin.done("POST", OBJECTS, body("batch_1", GUEST, "batch"), status=201)
    admin.done("POST", OBJECTS, body("pmpt_1", "*", "prompt", "groq"), status=201)

    def ids(filters):
        found, cursor = [], ""
        while True:
            page = admin.done("GET", f"{OBJECTS}?limit=2{filters}{cursor}")
            found += [each["object_id"] for each in page["data"]]
            if not page["has_more"]:
                return found
            cursor = f"&after={page['next']}"

    files = [f"file-{number}" for number in range(7)]
    assert ids("") == ["pmpt_1", "batch_1", *files]
    assert sorted(ids("&client=acme")) == files
    assert ids("&client=*") == ["pmpt_1"] == ids("&provider=groq")
    assert ids("&kind=batch") == ["batch_1"] == ids(f"&client={GUEST}")
    assert ids("&object=file-3") == ["file-3"] == ids("&object=file-3&client=acme")
    assert ids("&object=file-3&client=bolt") == [] == ids("&object=file-99")


@pytest.mark.parametrize(
    "field, value",
    [
        ("provider", "nobody"),
        ("object_id", "file-\u00e9"),
        ("object_id", ""),
        ("kind", "wheel"),
        ("client_id", "a b"),
    ],
)
def test_what_is_wrong_is_named(admin, field, value):
    reply = admin.post(OBJECTS, {**body("file-1", "acme"), field: value})
    assert (reply.status, reply.code, reply.error["param"]) == (400, "invalid_value", field)
    assert admin.post(OBJECTS, body("file-1", "nobody")).code == "not_found"
    assert admin.done("GET", OBJECTS)["data"] == []


def test_viewers_read_and_clients_have_no_way_in(house, admin, tokens):
    viewer = house.admin(tokens["viewer"])
    assert viewer.done("GET", OBJECTS)["data"] == []
    key = house.admin(house.configuration.keys["acme"])
    for other in [viewer, key]:
        assert other.post(OBJECTS, body("file-1", "acme")).code == "forbidden"
        assert other.delete(target("file-1")).code == "forbidden"
    assert key.get(OBJECTS).code == "forbidden"


@pytest.mark.parametrize(
    "id, kind, param, allowed",
    [
        ("vs_1", "file", "kind", "vector_store"),
        ("FILE-1", "response", "kind", "file"),
        ("msg_1", "response", "kind", "item"),
        ("a b", "file", "object_id", "visible"),
        ("a\tb", "file", "object_id", "visible"),
        ("a/b", "file", "object_id", "without /"),
    ],
)
def test_an_id_that_is_no_id_of_its_kind_is_refused(house, admin, id, kind, param, allowed):
    answer = admin.post(OBJECTS, body(id, "acme", kind))
    assert (answer.status, answer.code) == (400, "invalid_value")
    assert answer.error["param"] == param
    assert allowed in answer.error["message"]
    assert owners(house.ledger) == {}


def test_an_assignment_is_no_change_of_the_configuration(house, admin):
    admin.done("POST", OBJECTS, body("file-1", "acme"), status=201)
    house.command(*"object assign --client acme --provider openai file-2".split())
    house.configuration.add_client("late")
    house.configuration.write()
    assert house.process.event("configuration_reloaded")["changes"] != []
    assert [line["event"] for line in house.process.log].count("configuration_reloaded") == 1


# The command line


def test_commands_assign_list_and_forget(house):
    assigned = house.command(
        *"object assign --client acme --provider openai file-1 --format json".split()
    )
    assert assigned.returncode == 0, assigned.stderr
    assert '"client_id":"acme"' in assigned.stdout.replace(" ", "")
    assert owners(house.ledger) == {"file-1": "acme"}
    listed = house.command("object", "list", "--client", "acme", "--format", "csv")
    assert "openai,file-1,file,acme," in listed.stdout
    forgotten = house.command("object", "forget", "--provider", "openai", "file-1")
    assert forgotten.returncode == 0, forgotten.stderr
    assert owners(house.ledger) == {}
    again = house.command("object", "forget", "--provider", "openai", "file-1")
    assert again.returncode == 1 and "file-1" in again.stderr


@pytest.mark.parametrize(
    "line, status, text",
    [
        ("assign --client nobody --provider openai file-1", 1, "there is no client 'nobody'"),
        ("assign --client acme --provider nobody file-1", 1, "allowed: one of"),
        ("assign --client acme --provider openai thing", 1, "allowed: --kind"),
        ("assign --client acme --provider openai --kind file vs_1", 1, "allowed: vector_store"),
        ("assign --client acme --provider openai --kind file a/b", 2, "without /"),
        ("assign --client acme file-1", 2, "--provider"),
        ("import --client acme --provider openai --kind response", 1, "allowed: --file"),
        ("list --provider zzz", 1, "there is no provider 'zzz' in catraca.yaml; allowed: one of"),
    ],
)
def test_commands_say_what_is_wrong(house, line, status, text):
    run = house.command("object", *line.split())
    assert run.returncode == status and text in run.stderr, run
    assert owners(house.ledger) == {}


def test_what_an_account_had_before_is_imported(house, account, tmp_path):
    theirs = house.openai(GUEST, max_retries=0)
    kept = upload(theirs)
    for number in range(230):
        account.files.files.add({"id": f"file-old{number}", "purpose": "user_data"})
    dry = house.command(*"object import --provider openai --client acme --dry-run".split())
    assert dry.returncode == 0, dry.stderr
    assert "file-old0" in dry.stdout and kept not in dry.stdout
    assert owners(house.ledger) == {kept: GUEST}
    run = house.command(
        *"object import --provider openai --client acme --like file-* --format csv".split()
    )
    assert run.returncode == 0, run.stderr
    found = owners(house.ledger)
    assert found.pop(kept) == GUEST
    assert found == {f"file-old{number}": "acme" for number in range(230)}
    assert "231 found, 230 assigned to acme" in run.stderr
    dry = house.command(*"object import --provider openai --client acme --dry-run".split())
    assert "There is nothing to assign." in dry.stdout + dry.stderr

    ids = tmp_path / "ids.txt"
    ids.write_text("resp_1\n\nconv_1\r\n")
    run = house.command(*"object import --provider openai --client * --file".split(), str(ids))
    assert run.returncode == 0, run.stderr
    assert owners(house.ledger, client_id="*") == {"resp_1": "*", "conv_1": "*"}
    ids.write_text("resp_1\nthing\n")
    run = house.command(*"object import --provider openai --client * --file".split(), str(ids))
    assert run.returncode == 1 and "ids.txt:2: " in run.stderr


def test_a_mistake_in_a_file_of_ids_is_named_with_its_place(house, tmp_path):
    folder = tmp_path / "a folder"
    folder.mkdir()
    ids = folder / "some ids.txt"
    ids.write_text("file-1\nthing\n")
    line = "object import --provider openai --client acme --file".split()
    run = house.command(*line, str(ids))
    text = f"catraca: {ids}:2: the form of the id thing doesn't say its kind; allowed: --kind file"
    assert run.stderr.startswith(text)
    ids.write_text("file-1\n")
    assert house.command(*line, str(ids)).returncode == 0
    missing = house.command(*line, str(folder / "no ids.txt"))
    assert missing.returncode == 1 and "no ids.txt: " in missing.stderr
    assert "(" not in missing.stderr


@pytest.mark.parametrize(
    "line",
    [
        "assign --client acme --provider openai file-1",
        "forget --provider openai file-1",
        "import --client acme --provider openai",
    ],
)
def test_where_there_is_no_ledger_none_is_made(house, account, tmp_path, line):
    ledger = tmp_path / "elsewhere" / "catraca.db"
    ledger.parent.mkdir()
    before = len(account.requests)
    run = house.command("object", *line.split(), "--ledger", f"sqlite:{ledger}")
    assert run.returncode == 1 and "there is no ledger yet; allowed: " in run.stderr, run
    assert list(ledger.parent.iterdir()) == [] and len(account.requests) == before


def test_an_import_needs_the_key_of_the_account(house, account):
    house.configuration.clients["clients"][GUEST]["provider_keys"] = {
        "openai": {"api_key_env": "BOLT_OPENAI_KEY"}
    }
    house.configuration.write()
    before = len(account.requests)
    run = house.command(*f"object import --provider openai --client {GUEST}".split())
    place = f"clients.{GUEST}.provider_keys.openai.api_key_env"
    text = f"{place} names the environment variable BOLT_OPENAI_KEY, which isn't set; allowed: "
    assert run.returncode == 1 and text in run.stderr, run
    del house.environment["TEST_OPENAI_KEY"]
    run = house.command(*"object import --provider openai --client acme".split())
    text = "providers.openai.api_key_env names the environment variable TEST_OPENAI_KEY, which"
    assert run.returncode == 1 and text in run.stderr, run
    assert len(account.requests) == before


def test_a_running_server_follows_the_commands(house):
    ours = house.openai(max_retries=0)
    file = upload(ours)
    assert reaches(ours, file)
    assert house.command("object", "forget", "--provider", "openai", file).returncode == 0
    eventually(lambda: not reaches(ours, file), "the object is nobody's", within=2)
