"""The promises of the log to its readers: whole lines, each once, that name their request."""

import collections
import concurrent.futures
import json
import re
import signal
import subprocess

import pytest
from harness.configuration import new_key
from harness.process import REPOSITORY
from harness.sandbox import script
from harness.waiting import eventually

BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
CALLERS = 8
ROTATIONS = 5
CALLS = 25  # of each caller between two rotations


@pytest.fixture
def log(catraca):
    """The path of the log's file; nothing is in it yet."""
    catraca.configuration.settings["log"] = {"level": "info", "file": "log/catraca.log"}
    catraca.log_file.parent.mkdir()
    return catraca.log_file


def lines(*files):
    return [json.loads(line) for file in files for line in file.read_bytes().splitlines()]


def call(catraca, times):
    with catraca.connect() as connection:
        key = catraca.key()
        answers = [connection.post("/v1/chat/completions", BODY, key) for _ in range(times)]
    assert {answer.status for answer in answers} == {200}
    return [answer.fields["x-catraca-request-id"] for answer in answers]


def test_no_line_is_lost_or_doubled_when_the_file_is_rotated_under_load(catraca, log):
    catraca.start()
    files = [log.with_name(f"catraca.log.{number}") for number in range(ROTATIONS)]
    with concurrent.futures.ThreadPoolExecutor(CALLERS) as callers:
        calls = [callers.submit(call, catraca, CALLS * ROTATIONS) for _ in range(CALLERS)]
        for number, file in enumerate(files, 1):
            enough = number * CALLS
            eventually(lambda: len(catraca.ledger.usage()) >= enough, "some requests")
            log.rename(file)
            catraca.process.signal(signal.SIGUSR1)
            eventually(log.exists, "a new file")
        answered = [id_ for call in calls for id_ in call.result()]
    assert catraca.terminate() == 0
    assert all(file.read_bytes().endswith(b"\n") for file in [*files, log])
    written = lines(*files, log)
    counts = collections.Counter(
        line["request_id"] for line in written if line["event"] == "request"
    )
    assert counts == collections.Counter(answered)
    of_the_server = [line["event"] for line in written if "request_id" not in line]
    assert (of_the_server[0], of_the_server[-1]) == ("started", "stopped")
    assert len(of_the_server) == len(set(of_the_server)) + 1  # two listeners


def test_a_log_that_cannot_be_written_stops_no_traffic_and_is_written_later(catraca, log):
    catraca.start()
    ids = call(catraca, 1)
    eventually(lambda: ids[0].encode() in log.read_bytes(), "the first line")
    before = log.rename(log.with_suffix(".1"))
    log.symlink_to("/dev/full")
    catraca.process.signal(signal.SIGUSR1)

    def complains():
        """Not of the first line, where that was written before the signal arrived."""
        ids.extend(call(catraca, 1))
        return b"No space left" in catraca.process.stderr_path.read_bytes()

    eventually(complains, "a complaint")
    ids += call(catraca, 20)
    log.unlink()
    catraca.process.signal(signal.SIGUSR1)
    assert catraca.terminate() == 0
    requests = [line for line in lines(before, log) if line["event"] == "request"]
    assert [line["request_id"] for line in requests] == ids
    complaints = catraca.process.stderr_path.read_text().splitlines()
    assert [line for line in complaints if line.startswith("log: ")] == [
        f"log: {log}: write: No space left on device; lines wait until it can be written"
    ]


def test_a_file_that_cannot_be_opened_anew_goes_on(catraca, log):
    catraca.start()
    before = log.rename(log.with_suffix(".1"))
    log.mkdir()
    catraca.process.signal(signal.SIGUSR1)
    line = catraca.process.event("log_not_reopened")
    assert (line["level"], line["reason"]) == ("error", f"open {log}: Is a directory")
    ids = call(catraca, 1)
    eventually(lambda: ids[0].encode() in before.read_bytes(), "a line in the old file")
    log.rmdir()


def test_the_example_for_logrotate_rotates_a_running_servers_log(catraca, log, tmp_path):
    catraca.start()
    ids = call(catraca, 3)
    eventually(lambda: ids[-1].encode() in log.read_bytes(), "the lines")
    text = (REPOSITORY / "config/logrotate/catraca").read_text()
    text = text.replace("/var/log/catraca/*.log", str(log))
    pid = catraca.process.pid
    text, count = re.subn(r"systemctl kill .*", f"kill -USR1 {pid}", text)
    assert count == 1
    example = tmp_path / "logrotate"
    example.write_text(text)
    example.chmod(0o644)
    log.parent.chmod(0o750)
    state = tmp_path / "state"
    command = ["logrotate", "--force", "--state", state, example]
    dry = subprocess.run([*command, "--debug"], capture_output=True, text=True)
    assert dry.returncode == 0 and "error" not in dry.stderr, dry.stderr
    rotated = subprocess.run(command, capture_output=True, text=True)
    assert (rotated.returncode, rotated.stderr) == (0, "")
    eventually(log.exists, "a new file")
    ids += call(catraca, 3)
    assert catraca.terminate() == 0
    [old] = log.parent.glob("catraca.log[.-]*")
    requests = [line for line in lines(old, log) if line["event"] == "request"]
    assert [line["request_id"] for line in requests] == ids


def test_each_line_about_a_request_says_which(catraca):
    catraca.configuration.add_client(
        "poor", [{"name": "all", "tokens": 2_000, "period": "total", "alerts": [1]}]
    )
    catraca.start()
    limited = {**BODY, "max_completion_tokens": 50}
    answers = [
        catraca.post(limited, client="poor"),
        catraca.post({**limited, "max_completion_tokens": 5_000}, client="poor"),
        catraca.post(BODY, headers=script(status=500)),
        catraca.post(BODY, headers=script(malformed_http=True)),
        catraca.post({"model": "unknown", "messages": []}),
        catraca.post(BODY, path="/v1/fine_tuning/jobs"),
        catraca.post(BODY, path="/nowhere"),
    ]
    with catraca.connect() as connection:
        answers.append(connection.get("/v1/models", new_key()[0]))
    with catraca.connect() as connection:
        connection.send(b"GET / HTTP/1.1\r\n folded: 1\r\n\r\n")
        answers.append(connection.answer())
    assert [answer.status for answer in answers][:2] == [200, 429]
    assert catraca.terminate() == 0
    logged = {}
    for line in catraca.process.log:
        if "request_id" in line:
            logged.setdefault(line["request_id"], set()).add(line["event"])
    ids = [answer.fields["x-catraca-request-id"] for answer in answers]
    assert logged.keys() == set(ids)
    assert logged[ids[0]] == {"request"}
    assert logged[ids[1]] == {"budget_exceeded"}
    others = {line["event"] for line in catraca.process.log if "request_id" not in line}
    assert others <= {
        "started", "configuration_warning", "listening", "budget_threshold", "price_missing",
        "stopping", "stopped",
    }  # fmt: skip


def change_log(running, **settings):
    """Edits the settings of the log; returns when they are in force."""
    running.configuration.settings["log"] |= settings
    name = f"after-{len(running.configuration.keys)}"
    running.configuration.add_client(name)
    running.configuration.write()
    eventually(lambda: running.post(BODY, client=name).status == 200, "the new settings")


LEVELS = ["debug", "info", "warn", "error"]
EVENTS = {
    ("request", "info"),
    ("request_refused", "info"),
    ("upstream_failed", "warn"),
    ("request_refused", "error"),
}


@pytest.mark.parametrize("level", LEVELS)
def test_levels_hide_what_matters_less(running, level):
    change_log(running, level=level)
    answers = [
        running.post(BODY),
        running.post({"model": "unknown", "messages": []}),
        running.post(BODY, headers=script(malformed_http=True)),
    ]
    assert running.terminate() == 0
    ids = {answer.fields["x-catraca-request-id"] for answer in answers}
    shown = [line for line in running.process.log if line.get("request_id") in ids]
    wanted = LEVELS[LEVELS.index(level) :]
    assert {(line["event"], line["level"]) for line in shown} == {
        (event, its_level) for event, its_level in EVENTS if its_level in wanted
    }


def test_the_form_for_eyes_is_one_line_an_event(running):
    change_log(running, format="console")
    answer = running.post({"model": "two\nlines \u001b[31m", "messages": []})
    assert answer.status == 400
    id_ = answer.fields["x-catraca-request-id"]
    assert running.terminate() == 0
    [text] = [line["text"] for line in running.process.log if id_ in line.get("text", "")]
    time, rest = text.split(" ", 1)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", time)
    assert rest.rstrip("\n") == (
        f"info request_refused request_id={id_} status=400 code=model_not_priced"
        " path=/v1/chat/completions address=127.0.0.1"
    )


def prompts(catraca):
    return [line for line in catraca.process.log if line["event"] == "prompt"]


def test_prompts_are_logged_of_the_clients_that_ask_for_it_without_keys(catraca):
    catraca.configuration.add_client("open")
    catraca.configuration.clients["clients"]["open"]["log_prompts"] = True
    catraca.start()
    key = catraca.key()
    texts = [f"my key is {key}, and gsk_abcdefghijklmnop", "authorization: Bearer abc.def.ghi"]
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    body = {
        "model": "gpt-4o-mini",
        "messages": [
            {"role": "system", "content": texts[0].replace("-", "\\u002d")},
            {"role": "user", "content": [{"type": "text", "text": texts[1]}, picture]},
        ],
    }
    raw = json.dumps(body).replace("\\\\u002d", "\\u002d").encode()
    for client in ["acme", "open"]:
        assert catraca.post(raw, client=client).status == 200
    long = {**BODY, "messages": [{"role": "user", "content": "é" * 10_000}]}
    assert catraca.post(long, client="open").status == 200
    speech = {"model": "tts-1", "input": "Bom dia", "voice": "alloy"}
    assert catraca.post(speech, "/v1/audio/speech", client="open").status == 200
    assert catraca.terminate() == 0
    first, second, third = prompts(catraca)
    assert (first["client"], first["level"], first["is_cut"]) == ("open", "info", False)
    assert first["prompt"] == (
        "my key is [redacted], and [redacted]\nauthorization: [redacted]"
    )
    assert (second["prompt"], second["is_cut"]) == ("é" * 4096, True)
    assert third["prompt"] == "Bom dia"
    requests = [line for line in catraca.process.log if line["event"] == "request"]
    of_open = [line["request_id"] for line in requests if line["client"] == "open"]
    assert [line["request_id"] for line in prompts(catraca)] == of_open
