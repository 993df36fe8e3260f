"""The listeners with TLS."""

import signal
import ssl

import openai
import pytest
from harness.certificate import make_certificate
from harness.raw_http import Connection, Truncated
from harness.waiting import eventually

BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}


@pytest.fixture
def secure(catraca):
    make_certificate(catraca.configuration.folder)
    catraca.configuration.settings["proxy"]["tls"] = {
        "certificate": "tls.crt",
        "key": "tls.key",
    }
    return catraca.start()


def context(secure, version=None):
    context = ssl.create_default_context(cafile=secure.configuration.folder / "tls.crt")
    context.set_alpn_protocols(["http/1.1"])
    if version:
        context.minimum_version = context.maximum_version = version
    return context


def connect(secure, context):
    def wrap(socket):
        return context.wrap_socket(socket, server_hostname="localhost")

    return Connection(secure.host, secure.port, wrap=wrap)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_both_versions_serve_plain_and_streamed_answers(secure, version):
    with connect(secure, context(secure, version)) as connection:
        assert connection.socket.selected_alpn_protocol() == "http/1.1"
        for stream in (False, True):
            answer = connection.post(
                "/v1/chat/completions", {**BODY, "stream": stream}, secure.key()
            )
            assert answer.status == 200
    assert len(secure.ledger.usage()) == 2


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_old_version_is_refused(secure):
    old = context(secure)
    old.set_ciphers("ALL:@SECLEVEL=0")
    old.minimum_version = ssl.TLSVersion.TLSv1
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(ssl.SSLError):
        connect(secure, old)


def test_the_sdk_speaks_tls(secure, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(secure.configuration.folder / "tls.crt"))
    answer = secure.openai().chat.completions.create(**BODY)
    assert answer.usage.completion_tokens == 24
    assert isinstance(answer, openai.types.chat.ChatCompletion)


def test_a_new_certificate_is_served_without_a_restart(secure):
    def served():
        return ssl.get_server_certificate((secure.host, secure.port))

    old = served()
    make_certificate(secure.configuration.folder)
    eventually(lambda: served() != old, "the new certificate", 3.0)


def test_a_new_certificate_of_the_admin_listener_is_served_after_sighup(catraca, tokens):
    folder = catraca.configuration.folder
    make_certificate(folder)
    tls = {"certificate": "tls.crt", "key": "tls.key"}
    catraca.configuration.settings["admin"]["tls"] = tls
    catraca.start()
    address = catraca.process.address("admin")
    old = ssl.get_server_certificate(address)
    make_certificate(folder)
    catraca.process.signal(signal.SIGHUP)
    eventually(lambda: ssl.get_server_certificate(address) != old, "the new certificate", 3.0)


def test_administrators_are_not_served_in_the_clear_to_other_machines_unless_told(catraca):
    admin = catraca.configuration.settings["admin"]
    admin["listen"] = ["127.0.0.1:0", "0.0.0.0:0"]
    catraca.configuration.write()
    done = catraca.command("check")
    assert done.returncode == 1
    assert "catraca.yaml:" in done.stderr and "allow_plain_http" in done.stderr
    admin["allow_plain_http"] = True
    catraca.configuration.write()
    assert catraca.command("check").returncode == 0


def test_plain_http_on_the_tls_port_is_cut_off(secure):
    with Connection(secure.host, secure.port) as connection:
        connection.send(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n")
        assert b"HTTP/1.1 200" not in connection.rest()


# Mutual TLS


@pytest.fixture(params=[ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def browser_context(request, catraca):
    """The TLS context of an operator's tool; the admin listener wants a certificate of it."""
    folder = catraca.configuration.folder
    for name in ["tls", "operator", "stranger"]:
        make_certificate(folder, name)
    catraca.configuration.settings["admin"]["tls"] = {
        "certificate": "tls.crt",
        "key": "tls.key",
        "client_ca": "operator.crt",
    }
    context = ssl.create_default_context(cafile=folder / "tls.crt")
    context.minimum_version = context.maximum_version = request.param
    return context


def health(catraca, context):
    """The admin listener's answer to a client with this context."""
    host, port = catraca.process.address("admin")

    def wrap(socket):
        return context.wrap_socket(socket, server_hostname="localhost")

    with Connection(host, port, wrap=wrap) as connection:
        return connection.get("/healthz").status


def show(context, folder, name):
    context.load_cert_chain(folder / f"{name}.crt", folder / f"{name}.key")


def test_an_operator_with_a_certificate_is_served(catraca, browser_context):
    show(browser_context, catraca.configuration.folder, "operator")
    catraca.start()
    assert health(catraca, browser_context) == 200


@pytest.mark.parametrize("name", [None, "stranger"])
def test_without_a_certificate_that_is_known_nobody_is_served(catraca, browser_context, name):
    if name:
        show(browser_context, catraca.configuration.folder, name)
    catraca.start()
    with pytest.raises((ssl.SSLError, ConnectionError, Truncated)):
        health(catraca, browser_context)
    assert catraca.post(BODY).status == 200


def test_whose_certificates_are_known_changes_without_a_restart(catraca, browser_context):
    folder = catraca.configuration.folder
    show(browser_context, folder, "stranger")
    catraca.start()
    (folder / "operator.crt").write_bytes((folder / "stranger.crt").read_bytes())
    catraca.process.signal(signal.SIGHUP)

    def is_served():
        try:
            return health(catraca, browser_context) == 200
        except (ssl.SSLError, ConnectionError, Truncated):
            return False

    eventually(is_served, "the stranger being known")


def test_a_file_of_authorities_that_cannot_be_used_is_named(catraca, browser_context):
    (catraca.configuration.folder / "operator.crt").write_text("nobody")
    catraca.configuration.write()
    done = catraca.command("serve")
    assert done.returncode == 1
    assert "operator.crt: " in done.stderr
