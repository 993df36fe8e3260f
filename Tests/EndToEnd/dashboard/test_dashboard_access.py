"""The ways into the dashboard, and the rules that it gives to browsers."""

import re
import ssl
import urllib.error
import urllib.parse
import urllib.request

import pytest
from harness.certificate import make_certificate

PAGES = ["/dashboard/", "/dashboard/clients", "/dashboard/clients/acme"]


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


class Visitor:
    """Asks for pages as a browser does, and keeps cookies."""

    def __init__(self, url, *handlers):
        self.url = url
        self.cookies = {}
        self.opener = urllib.request.build_opener(NoRedirect, *handlers)

    def get(self, path, headers=()):
        return self.send(urllib.request.Request(f"{self.url}{path}"), headers)

    def post(self, path, fields, headers=()):
        body = urllib.parse.urlencode(fields).encode()
        return self.send(urllib.request.Request(f"{self.url}{path}", body), headers)

    def send(self, request, headers):
        pairs = [f"{name}={value}" for name, value in self.cookies.items()]
        if pairs:
            request.add_header("cookie", "; ".join(pairs))
        for name, value in dict(headers).items():
            request.add_header(name, value)
        try:
            answer = self.opener.open(request, timeout=20)
        except urllib.error.HTTPError as error:
            answer = error
        answer.text = answer.read().decode()
        for field in answer.headers.get_all("set-cookie") or []:
            name, value = field.split(";")[0].split("=", 1)
            self.cookies[name] = value
        return answer

    def sign_in(self, token, **fields):
        return self.post("/dashboard/sign-in", {"token": token, **fields})

    @property
    def csrf(self):
        page = self.get("/dashboard/clients/acme").text
        return re.search(r'name="csrf" value="([^"]+)"', page)[1]


@pytest.fixture
def visitor(admin):
    return Visitor(admin.url)


def test_the_icon_is_where_browsers_look_for_it(visitor):
    for path in ["/favicon.ico", "/dashboard/icon.svg"]:
        answer = visitor.get(path)
        assert (answer.status, answer.headers["content-type"]) == (200, "image/svg+xml"), path
        assert "<svg" in answer.text


def test_without_a_session_every_page_leads_to_the_sign_in_and_back(visitor, tokens):
    for path in PAGES:
        answer = visitor.get(path)
        assert answer.status == 303, path
        assert answer.headers["location"] == "/dashboard/sign-in?back=" + path.replace("/", "%2F")
    assert visitor.get("/").headers["location"] == "/dashboard/"
    assert visitor.get("/dashboard").headers["location"] == "/dashboard/"
    answer = visitor.sign_in(tokens["admin"], back="/dashboard/clients/acme?days=7")
    assert answer.headers["location"] == "/dashboard/clients/acme?days=7"
    for path in PAGES:
        assert visitor.get(path).status == 200, path


def test_a_session_is_a_cookie_that_no_script_and_no_other_site_sends(visitor, tokens):
    cookie = visitor.sign_in(tokens["viewer"]).headers["set-cookie"]
    assert "; HttpOnly" in cookie and "; SameSite=Strict" in cookie and "; Path=/" in cookie
    assert tokens["viewer"] not in cookie and "Secure" not in cookie


def test_a_session_of_a_listener_with_tls_is_never_sent_in_the_clear(catraca, tokens):
    make_certificate(catraca.configuration.folder)
    files = {"certificate": "tls.crt", "key": "tls.key"}
    catraca.configuration.settings["admin"]["tls"] = files
    _, port = catraca.start().process.address("admin")
    trusted = ssl.create_default_context(cafile=catraca.configuration.folder / "tls.crt")
    visitor = Visitor(f"https://localhost:{port}", urllib.request.HTTPSHandler(context=trusted))
    cookie = visitor.sign_in(tokens["viewer"]).headers["set-cookie"]
    assert "; Secure" in cookie and "; HttpOnly" in cookie
    assert visitor.get("/dashboard/").status == 200


def test_a_wrong_token_gets_no_session_and_is_not_shown(visitor):
    answer = visitor.sign_in("wrong-token")
    assert answer.status == 401 and not visitor.cookies
    assert "This token is not valid" in answer.text and "wrong-token" not in answer.text


def test_guessing_is_slow_and_a_valid_token_still_passes(visitor, tokens):
    statuses = [visitor.sign_in("guess").status for _ in range(101)]
    assert statuses[:100] == [401] * 100 and statuses[100] == 429
    assert visitor.sign_in(tokens["admin"]).status == 303


@pytest.mark.parametrize(
    "back", ["https://evil.example/", "//evil.example/", "/api/x", "javascript:alert(1)", "/%zz"]
)
def test_a_sign_in_never_leads_to_another_site(visitor, tokens, back):
    assert visitor.sign_in(tokens["admin"], back=back).headers["location"] == "/dashboard/"


def test_signing_out_ends_the_session_itself(visitor, tokens):
    visitor.sign_in(tokens["admin"])
    stolen = dict(visitor.cookies)
    assert visitor.post("/dashboard/sign-out", {"csrf": visitor.csrf}).status == 303
    visitor.cookies = stolen
    assert visitor.get("/dashboard/").status == 303


def test_no_change_without_the_csrf_token_or_from_another_site(visitor, tokens):
    visitor.sign_in(tokens["admin"])
    csrf = visitor.csrf
    for fields in [{}, {"csrf": ""}, {"csrf": csrf[:-1]}]:
        assert visitor.post("/dashboard/sign-out", fields).status == 403
    foreign = {"origin": "https://evil.example"}
    assert visitor.post("/dashboard/sign-out", {"csrf": csrf}, foreign).status == 403
    assert visitor.get("/dashboard/").status == 200


def test_a_session_counts_as_its_token_for_the_api_and_changes_say_its_csrf_token(
    visitor, tokens
):
    visitor.sign_in(tokens["admin"])
    assert visitor.get("/api/admin/clients").status == 200
    body, json = b'{"id":"new"}', {"content-type": "application/json"}
    request = urllib.request.Request(f"{visitor.url}/api/admin/clients", body)
    assert visitor.send(request, json).status == 403
    request = urllib.request.Request(f"{visitor.url}/api/admin/clients", body)
    answer = visitor.send(request, {**json, "x-catraca-csrf": visitor.csrf})
    assert answer.status == 201, answer.text


def test_a_viewers_session_changes_nothing_through_the_api(visitor, tokens):
    visitor.sign_in(tokens["viewer"])
    request = urllib.request.Request(f"{visitor.url}/api/admin/clients", b'{"id":"new"}')
    assert visitor.send(request, {"x-catraca-csrf": visitor.csrf}).status == 403


def test_a_clients_key_opens_its_own_page_alone(visitor, catraca, tokens):
    catraca.configuration.add_client("beta")
    visitor.sign_in(catraca.key())
    assert visitor.get("/dashboard/").headers["location"] == "/dashboard/clients/acme"
    assert visitor.get("/dashboard/clients/acme").status == 200
    for path in ["/dashboard/clients", "/dashboard/clients/beta", "/dashboard/clients/nobody"]:
        assert visitor.get(path).status == 403, path


def test_a_token_that_is_taken_away_ends_its_sessions(visitor, catraca, tokens):
    visitor.sign_in(tokens["viewer"])
    catraca.configuration.settings["admin"]["tokens"].pop()
    catraca.configuration.write()
    catraca.process.event("configuration_reloaded")
    assert visitor.get("/dashboard/").status == 303


def test_pages_let_in_nothing_from_elsewhere(visitor, tokens):
    visitor.sign_in(tokens["admin"])
    for path in [*PAGES, "/dashboard/sign-in"]:
        answer = visitor.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert not re.search(r"https?://|<style|<script>| style=| on[a-z]+=", answer.text), path


def test_what_people_write_never_becomes_markup(visitor, admin, tokens):
    evil = '<script>alert("1")</script>'
    admin.done("POST", "/api/admin/clients", {"id": "evil", "name": evil}, 201)
    visitor.sign_in(tokens["admin"])
    for path in ["/dashboard/clients", "/dashboard/clients/evil"]:
        page = visitor.get(path).text
        assert evil not in page and "&lt;script&gt;alert(&quot;1&quot;)" in page


def test_unknown_pages_and_parameters_say_what_is_wrong(visitor, tokens):
    visitor.sign_in(tokens["admin"])
    for path, status in [
        ("/dashboard/nothing", 404),
        ("/dashboard/clients/nobody", 404),
        ("/dashboard/clients/acme?days=8", 400),
        ("/dashboard/clients?colour=red", 400),
    ]:
        answer = visitor.get(path)
        assert answer.status == status and "text/html" in answer.headers["content-type"], path


def test_a_refusal_is_told_in_the_language_of_its_reader(visitor, tokens):
    headers = {"accept-language": "pt-BR"}
    visitor.sign_in(tokens["admin"])
    refused = visitor.post("/dashboard/sign-out", {"csrf": "wrong"}, headers)
    assert refused.status == 403 and "O formulário está desatualizado" in refused.text
    missing = visitor.get("/dashboard/nothing", headers)
    assert missing.status == 404 and "Esta página não existe." in missing.text
    wrong = visitor.get("/dashboard/clients/acme?days=-1", headers)
    assert wrong.status == 400 and "O valor de “Dias” não é válido. Permitido: 7," in wrong.text
    nobody = visitor.get("/dashboard/clients/nobody", headers)
    assert "O cliente nobody não existe." in nobody.text
    reason = visitor.get("/dashboard/refusals?reason=bored", headers)
    assert reason.status == 400 and "O valor de “Motivo” não é válido" in reason.text
    for page in [refused, missing, wrong, nobody, reason]:
        assert "Ir para a visão geral" in page.text and "didn't work" not in page.text
