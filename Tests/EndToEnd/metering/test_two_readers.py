"""No body that is accepted can be read differently by the provider: what costs money in it is what
Catraca held and recorded, whichever program reads it. All else is refused."""

import json

import pytest
from harness.catraca import Catraca
from harness.configuration import Configuration
from harness.forms import sound
from harness.json_readers import metered, readings
from harness.odd_json import ACCEPTED, REFUSED, as_bytes, mutations
from harness.recording_server import RecordingServer

CHAT = "/v1/chat/completions"
TRANSCRIPTIONS = "/v1/audio/transcriptions"
SEED = 20261122
MUTATIONS = 3000
# The columns of a row that must be the same for the same request.
FACTS = ["model", "stream", "user_id", "conversation_id", "operation"]
HOLDS = ["held_tokens", "held_nano_usd"]


@pytest.fixture(scope="module")
def provider():
    provider = RecordingServer()
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory, provider):
    folder = tmp_path_factory.mktemp("readers")
    url = f"http://127.0.0.1:{provider.port}/v1"
    configuration = Configuration(folder, {"openai": {"base_url": url}})
    configuration.settings["pricing"] = ["pricing/openai.yaml"]
    configuration.add_client("acme")
    catraca = Catraca(configuration).start()
    yield catraca
    catraca.end()


@pytest.fixture
def connection(house, provider):
    provider.taken()
    with house.connect() as connection:
        yield connection


def send(connection, house, body, path=CHAT, headers=()):
    return connection.post(path, body, house.key(), headers)


def recorded(house, answer):
    identifier = answer.fields["x-catraca-request-id"]
    [row] = [row for row in house.ledger.usage() if row["request_id"] == identifier]
    return row


def assert_refused(answer, provider, code="invalid_json"):
    assert (answer.status, answer.code) == (400, code), answer
    assert set(answer.json()["error"]) == {"message", "type", "param", "code"}
    assert provider.taken() == []


@pytest.mark.parametrize("case", REFUSED)
def test_what_could_be_read_differently_is_refused(connection, house, provider, case):
    assert_refused(send(connection, house, as_bytes(REFUSED[case])), provider)


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_is_accepted_is_passed_on_as_it_is_and_means_the_same(
    connection, house, provider, case
):
    body = as_bytes(ACCEPTED[case])
    answer = send(connection, house, body)
    assert answer.status == 200
    [seen] = provider.taken()
    assert seen.body == body
    read = readings(body)
    assert len(read) >= 4, "hardly any reader takes it"
    [meaning] = {json.dumps(metered(value), sort_keys=True) for value in read.values()}
    # The text as another reader understood it is the same request, and no dearer than held.
    plainly = recorded(house, send(connection, house, json.dumps(read["json"]).encode()))
    row = recorded(house, answer)
    assert [plainly[name] for name in FACTS] == [row[name] for name in FACTS], meaning
    assert all(plainly[name] <= row[name] for name in HOLDS)


def agrees(row, value):
    """Whether a reader's view of a body is the one that was recorded, and is covered."""
    facts = metered(value)
    limit = value.get("max_completion_tokens") or value.get("max_tokens") or 0
    return (
        facts["model"] == ("str", row["model"])
        and bool(value.get("stream")) == bool(row["stream"])
        and (value.get("user") or None) == row["user_id"]
        and (facts["conversation"][1] or None) == row["conversation_id"]
        and row["held_tokens"] > limit * (value.get("n") or 1)
    )


def test_made_up_bodies_mean_the_same_to_all_or_are_refused(connection, house, provider, capsys):
    accepted, differences = {}, []
    for body in mutations(SEED, MUTATIONS):
        answer = send(connection, house, body)
        if answer.status == 400:
            continue
        [seen] = provider.taken()
        accepted[answer.fields["x-catraca-request-id"]] = (body, seen.body)
    rows = {row["request_id"]: row for row in house.ledger.usage()}
    for identifier, (body, forwarded) in accepted.items():
        if rows[identifier]["stream"] == 0 and forwarded != body:
            differences.append(body)
        for value in readings(forwarded).values():
            if not agrees(rows[identifier], value):
                differences.append(body)
    with capsys.disabled():
        print(
            f"\nmade-up bodies, seed {SEED}: {MUTATIONS} inputs, {len(accepted)} accepted, "
            f"{MUTATIONS - len(accepted)} refused, {len(differences)} differences"
        )
    assert accepted and not differences, differences[:5]


CONTENT_TYPES = {
    # The client's media type, and the one that the provider gets.
    "application/json": "application/json",
    "application/json; charset=utf-8": "application/json; charset=utf-8",
    'Application/JSON;charset="UTF-8"': 'Application/JSON;charset="UTF-8"',
    "application/x-www-form-urlencoded": "application/json",
    "application/json; charset=utf-7": "application/json",
    "application/json; charset=utf-16": "application/json",
    "application/json; charset=utf-8; charset=utf-7": "application/json",
    "multipart/form-data; boundary=a": "application/json",
    "text/plain": "application/json",
    "application/xml": "application/json",
    "": "application/json",
}


@pytest.mark.parametrize("said", CONTENT_TYPES)
def test_the_provider_is_told_that_what_was_read_as_json_is_json(
    connection, house, provider, said
):
    """`{"model":"cheap","user":"&model=dear&"}` is a form, too."""
    body = {"model": "gpt-4o-mini", "messages": [], "user": "&model=gpt-4o&"}
    assert send(connection, house, body, headers={"content-type": said}).status == 200
    [seen] = provider.taken()
    assert seen.values("content-type") == [CONTENT_TYPES[said]]


@pytest.mark.parametrize("encoding", ["gzip", "zstd", "identity, gzip"])
def test_a_body_that_only_claims_to_be_encoded_is_refused(connection, house, provider, encoding):
    body = as_bytes(ACCEPTED["plain"])
    answer = send(connection, house, body, headers={"content-encoding": encoding})
    assert_refused(answer, provider)


@pytest.mark.parametrize("path", [CHAT, TRANSCRIPTIONS])
def test_two_content_types_are_refused(connection, house, provider, path):
    fields = {"content-type": "application/json", "Content-Type": "multipart/form-data; boundary=a"}
    connection.send(connection.request("POST", path, b"{}", house.key(), fields))
    assert connection.answer().status == 400
    assert connection.is_at_end()
    assert provider.taken() == []


BOUNDARY = "part"
NAMED = 'form-data; name="%s"'


def form(*parts, end=f"--{BOUNDARY}--\r\n".encode()):
    """Parts as the value of Content-Disposition and their content."""
    lines = [
        f"--{BOUNDARY}\r\ncontent-disposition: {disposition}\r\n\r\n".encode()
        + (content if isinstance(content, bytes) else content.encode())
        + b"\r\n"
        for disposition, content in parts
    ]
    return b"".join(lines) + end


FILE = ('form-data; name="file"; filename="a.wav"', sound(1))
MODEL = (NAMED % "model", "whisper-1")
PLAIN_FORM = form(MODEL, FILE)
TWO_FACED_FORMS = {
    "a repeated model": form(MODEL, (NAMED % "model", "gpt-4o-transcribe"), FILE),
    "a model in a list": form(MODEL, (NAMED % "model[]", "gpt-4o-transcribe"), FILE),
    "a model as a member": form(MODEL, (NAMED % "model[x]", "gpt-4o-transcribe"), FILE),
    "a model as a file": form((NAMED % "model" + '; filename="a"', "whisper-1"), FILE),
    "a model in capitals": form(MODEL, (NAMED % "Model", "gpt-4o-transcribe"), FILE),
    "a repeated file": form(MODEL, FILE, FILE),
    "an escaped name": form(MODEL, (NAMED % "mod\\el", "gpt-4o-transcribe"), FILE),
    "a name of another form": form(
        MODEL, ("form-data; name=\"x\"; name*=utf-8''model", "gpt-4o-transcribe"), FILE
    ),
    "two names": form(MODEL, ('form-data; name="x"; name="model"', "gpt-4o-transcribe"), FILE),
    "a name without quotes": form(("form-data; name=model", "whisper-1"), FILE),
    "an attachment": form(MODEL, ('attachment; name="model"', "gpt-4o-transcribe"), FILE),
    "a disposition twice": form(
        MODEL,
        (NAMED % "x" + '\r\ncontent-disposition: form-data; name="model"', "gpt-4o-transcribe"),
        FILE,
    ),
    "a folded disposition": form(MODEL, ('form-data;\r\n name="model"', "gpt-4o-transcribe"), FILE),
    "a transfer encoding": form(
        (NAMED % "model" + "\r\ncontent-transfer-encoding: base64", "d2hpc3Blci0x"), FILE
    ),
    "a part before the first": b"hidden\r\n" + PLAIN_FORM,
    "a line end before the first": b"\r\n" + PLAIN_FORM,
    "a part after the last": PLAIN_FORM + form((NAMED % "model", "gpt-4o-transcribe")),
    "text after the last": PLAIN_FORM + b"hidden",
    "no last boundary": form(MODEL, FILE, end=b""),
    "line feeds alone": form(MODEL).replace(b"\r\n", b"\n"),
    "a boundary in a line": form((NAMED % "model", f"whisper-1--{BOUNDARY}"), FILE),
    "a boundary after a line feed": form(
        (NAMED % "x", f'a\n--{BOUNDARY}\ncontent-disposition: {NAMED % "model"}\n\ngpt-4o'),
        MODEL,
        FILE,
    ),
    "a longer boundary": form((NAMED % "x", f"a\r\n--{BOUNDARY}x\r\n"), MODEL, FILE),
    "space after a boundary": PLAIN_FORM.replace(b"--part\r\n", b"--part \r\n"),
    "a charset of all parts": form((NAMED % "_charset_", "utf-16"), MODEL, FILE),
    "a charset of all parts in capitals": form((NAMED % "_Charset_", "utf-16"), MODEL, FILE),
    "a part in another charset": form(
        (NAMED % "model" + "\r\ncontent-type: text/plain; charset=utf-16le", "whisper-1"), FILE
    ),
    "text that is no UTF-8": form((NAMED % "model", b"whisper-1\xff"), FILE),
}


def send_form(connection, house, body, boundary=BOUNDARY):
    fields = {"content-type": f"multipart/form-data; boundary={boundary}"}
    return send(connection, house, body, TRANSCRIPTIONS, fields)


def test_a_plain_form_is_passed_on_as_it_is(connection, house, provider):
    assert send_form(connection, house, PLAIN_FORM).status == 200
    [seen] = provider.taken()
    assert seen.body == PLAIN_FORM


@pytest.mark.parametrize("case", TWO_FACED_FORMS)
def test_a_form_that_could_be_read_differently_is_refused(connection, house, provider, case):
    assert_refused(send_form(connection, house, TWO_FACED_FORMS[case]), provider)


@pytest.mark.parametrize(
    "boundary", ["part; boundary=other", '"part', "part,other", "'part'", "pa rt", "", "p" * 71]
)
def test_a_boundary_of_two_meanings_is_refused(connection, house, provider, boundary):
    assert_refused(send_form(connection, house, PLAIN_FORM, boundary), provider)


@pytest.mark.parametrize(
    "query",
    [
        "model=gpt-realtime&model=gpt-realtime-mini",
        "model=gpt-realtime-mini&mod%65l=gpt-realtime",
        "x=1;model=gpt-realtime&model=gpt-realtime-mini",
        "model=gpt-realtime%2Dmini",
        "model=gpt-realtime+mini",
        "model=",
        "model",
        "",
    ],
)
def test_a_query_that_could_be_read_differently_is_refused(connection, house, provider, query):
    headers = {
        "connection": "upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    answer = connection.get(f"/v1/realtime?{query}", house.key(), headers)
    assert_refused(answer, provider)


@pytest.mark.parametrize(
    "boundary",
    [
        f"{BOUNDARY}; boundary*=utf-8''other",
        f"{BOUNDARY}; boundary*0=other",
        f"{BOUNDARY}; boundary=other",
        f"{BOUNDARY}; Boundary=other",
        f"{BOUNDARY}; charset=utf-16",
    ],
)
def test_a_form_with_a_second_boundary_or_a_charset_is_refused(
    connection, house, provider, boundary
):
    assert_refused(send_form(connection, house, PLAIN_FORM, boundary), provider)
