"""`catraca doctor`: what is wrong with an installation, and what to do about it."""

import datetime
import email.utils
import http.server
import json
import os
import socket
import subprocess
import threading

import pytest
from harness.certificate import make_certificate
from harness.configuration import PROVIDER_SECRETS
from harness.process import binary

BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
# Root may write wherever it wants by this capability.
BOUND = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


def doctor(catraca, *options, launcher=(), environment=None):
    """Its exit status, and its findings."""
    catraca.configuration.write()
    folder = str(catraca.configuration.folder)
    done = subprocess.run(
        [*launcher, binary(), "doctor", "--config", folder, "--format", "json", *options],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **(catraca.environment if environment is None else environment)},
    )
    assert done.stderr == ""
    PROVIDER_SECRETS.assert_absent("the findings", done.stdout.encode())
    return done.returncode, json.loads(done.stdout)["data"]


def about(findings, check):
    return [finding for finding in findings if finding["check"] == check]


def states(findings, check):
    return [finding["state"] for finding in about(findings, check)]


def only(findings, check):
    [finding] = about(findings, check)
    return finding


class Models(http.server.BaseHTTPRequestHandler):
    """A provider of one status and one idea of the time."""

    def do_GET(self):
        server = self.server
        server.seen.append((self.path, self.headers["authorization"]))
        self.send_response_only(server.status)
        later = datetime.timedelta(seconds=server.ahead)
        now = datetime.datetime.now(datetime.timezone.utc) + later
        self.send_header("date", email.utils.format_datetime(now, usegmt=True))
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


@pytest.fixture
def provider(catraca):
    """The only provider of the configuration."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Models)
    server.status, server.ahead, server.seen = 200, 0, []
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    providers = catraca.configuration.settings["providers"]
    del providers["groq"]
    providers["openai"]["base_url"] = f"http://127.0.0.1:{server.server_port}/v1"
    catraca.configuration.settings["pricing"] = ["pricing/openai.yaml"]
    yield server
    server.shutdown()
    server.server_close()


def test_an_installation_that_is_well_has_no_problem_and_is_left_as_it_was(catraca, sandbox):
    catraca.configuration.write()
    folder = catraca.configuration.folder
    before = sorted(folder.rglob("*"))
    status, findings = doctor(catraca)
    assert status == 0, findings
    assert sorted(folder.rglob("*")) == before
    assert {finding["check"] for finding in findings} == {
        "configuration", "secrets", "prices", "provider", "ledger", "disk", "log", "listener",
        "open_files", "process",
    }  # fmt: skip
    for finding in findings:
        assert finding["state"] in ("ok", "warning")
        assert (finding["advice"] is None) == (finding["state"] == "ok")
    assert states(findings, "provider") == ["ok", "ok"]
    assert [entry["path"] for entry in sandbox.journal()] == ["/v1/models", "/openai/v1/models"]


def test_offline_calls_nobody(catraca, sandbox):
    status, findings = doctor(catraca, "--offline")
    assert status == 0, findings
    assert about(findings, "provider") == [] and sandbox.journal() == []


def test_people_read_lines_with_what_to_do(catraca):
    catraca.configuration.write()
    catraca.environment = {}
    done = catraca.command("doctor", "--offline")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    index = next(i for i, line in enumerate(lines) if line.startswith("problem  secrets"))
    assert "TEST_OPENAI_KEY is not set" in lines[index]
    assert lines[index + 1].strip().startswith("Give the server that secret")
    assert lines[-1].startswith("2 problems, ")


def test_a_key_that_is_missing_is_a_problem(catraca):
    environment = dict(catraca.environment)
    del environment["TEST_GROQ_KEY"]
    status, findings = doctor(catraca, environment=environment)
    assert status == 1
    finding = only(findings, "secrets")
    assert finding["state"] == "problem" and "TEST_GROQ_KEY is not set" in finding["finding"]


@pytest.mark.parametrize(
    ("status", "state", "exit_status"),
    [(200, "ok", 0), (401, "problem", 1), (404, "problem", 1), (503, "warning", 0)],
)
def test_the_provider_is_asked_with_the_key_whether_it_takes_it(
    catraca, provider, status, state, exit_status
):
    provider.status = status
    returned, findings = doctor(catraca)
    finding = only(findings, "provider")
    assert (finding["state"], returned) == (state, exit_status)
    assert str(status) in finding["finding"]
    key = catraca.environment["TEST_OPENAI_KEY"]
    assert provider.seen == [("/v1/models", f"Bearer {key}")]


@pytest.mark.parametrize(
    ("ahead", "state"), [(0, "ok"), (3600, "warning"), (-3600, "warning")]
)
def test_the_clock_is_compared_with_the_providers(catraca, provider, ahead, state):
    provider.ahead = ahead
    status, findings = doctor(catraca)
    finding = only(findings, "clock")
    assert (status, finding["state"]) == (0, state)
    if ahead:
        assert ("behind" if ahead > 0 else "ahead") in finding["finding"]


def test_a_provider_that_is_not_there_is_a_problem(catraca, provider):
    provider.shutdown()
    provider.server_close()
    status, findings = doctor(catraca)
    assert (status, states(findings, "provider")) == (1, ["problem"])


def test_a_running_server_is_known_by_its_answers(running):
    settings = running.configuration.settings
    settings["proxy"]["listen"] = [f"{running.host}:{running.port}"]
    host, port = running.process.address("admin")
    settings["admin"]["listen"] = [f"{host}:{port}"]
    assert running.post(BODY).status == 200
    status, findings = doctor(running)
    assert status == 0, findings
    listeners = about(findings, "listener")
    assert [finding["state"] for finding in listeners] == ["ok", "ok"]
    assert "/healthz with 200" in listeners[0]["finding"]
    assert "/readyz with 200" in listeners[1]["finding"]
    assert only(findings, "ledger")["state"] == "ok"


def test_an_address_that_somebody_else_has_is_a_problem(catraca):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        threading.Thread(target=lambda: other.accept()[0].close(), daemon=True).start()
        catraca.configuration.settings["proxy"]["listen"] = [f"127.0.0.1:{other.getsockname()[1]}"]
        status, findings = doctor(catraca)
    assert (status, states(findings, "listener")) == (1, ["problem", "ok"])


def test_who_can_reach_the_listeners_is_told(catraca):
    settings = catraca.configuration.settings
    settings["proxy"]["listen"] = ["0.0.0.0:0"]
    settings["admin"] |= {"listen": ["0.0.0.0:0"], "allow_plain_http": True}
    status, findings = doctor(catraca)
    assert (status, states(findings, "listener")) == (0, ["ok", "warning", "ok", "warning"])


@pytest.fixture
def ledger_folder(catraca, tmp_path):
    folder = tmp_path / "ledger"
    folder.mkdir()
    catraca.move_ledger(folder)
    yield folder
    folder.chmod(0o755)


def test_a_ledger_that_cannot_be_written_is_a_problem(catraca, ledger_folder):
    ledger_folder.chmod(0o555)
    status, findings = doctor(catraca, launcher=BOUND)
    finding = only(findings, "ledger")
    assert (status, finding["state"]) == (1, "problem")
    assert finding["finding"] == f"{ledger_folder}: Permission denied"


def test_a_file_that_is_no_ledger_is_a_problem(catraca, ledger_folder):
    catraca.ledger.path.write_bytes(b"not a database" * 1000)
    status, findings = doctor(catraca)
    assert (status, only(findings, "ledger")["state"]) == (1, "problem")


def test_a_folder_that_is_not_there_is_a_problem(catraca, ledger_folder):
    catraca.move_ledger(ledger_folder / "nowhere")
    status, findings = doctor(catraca)
    assert status == 1
    assert states(findings, "ledger") == states(findings, "disk") == ["problem"]


def test_too_few_open_files_are_a_problem(catraca):
    status, findings = doctor(catraca, launcher=["prlimit", "--nofile=64:64"])
    finding = only(findings, "open_files")
    assert (status, finding["state"]) == (1, "problem")
    assert "ulimit -n" in finding["advice"]


@pytest.mark.parametrize(("certificate", "state"), [("tls", "warning"), ("none", "problem")])
def test_a_certificate_is_looked_at(catraca, certificate, state):
    make_certificate(catraca.configuration.folder)  # valid for two days
    files = {"certificate": f"{certificate}.crt", "key": f"{certificate}.key"}
    catraca.configuration.settings["proxy"]["tls"] = files
    _, findings = doctor(catraca)
    assert only(findings, "certificate")["state"] == state


def test_a_running_server_with_tls_is_known_too(catraca):
    make_certificate(catraca.configuration.folder)
    settings = catraca.configuration.settings
    settings["proxy"]["tls"] = {"certificate": "tls.crt", "key": "tls.key"}
    catraca.start()
    settings["proxy"]["listen"] = [f"{catraca.host}:{catraca.port}"]
    _, findings = doctor(catraca, "--offline")
    assert "/healthz with 200" in about(findings, "listener")[0]["finding"]


def test_mistakes_are_named_with_their_place(catraca):
    catraca.configuration.settings["log"]["level"] = "loud"
    status, findings = doctor(catraca)
    assert status == 1
    finding = only(findings, "configuration")
    assert finding["state"] == "problem" and "catraca.yaml:" in finding["finding"]
    assert {finding["check"] for finding in findings} == {"configuration", "process"}


def test_variables_of_opentelemetry_are_looked_at(catraca):
    catraca.environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = "http://collector:4318/v1/traces"
    status, findings = doctor(catraca, "--offline")
    assert status == 0, findings
    finding = only(findings, "telemetry")
    assert finding["finding"] == "traces go to http://collector:4318/v1/traces"
    catraca.environment["OTEL_EXPORTER_OTLP_PROTOCOL"] = "grpc"
    status, findings = doctor(catraca, "--offline")
    assert status == 1
    finding = only(findings, "telemetry")
    assert finding["state"] == "problem" and "allowed: http/json" in finding["finding"]
