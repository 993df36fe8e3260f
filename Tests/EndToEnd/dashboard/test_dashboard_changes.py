"""Changes in the dashboard, in a real browser: they are in force for the next request."""

import pytest
from harness.browser import NARROW
from harness.sandbox import script

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Olá!"}],
    "max_completion_tokens": 100,
}


@pytest.fixture
def signed_in(browser, admin, tokens):
    browser.sign_in(admin.url, tokens["admin"])
    return browser


def changes(admin):
    log = admin.done("GET", "/api/admin/audit-log")["data"]
    return [(change["actor"], change["action"], change["target"]) for change in log]


def test_a_limit_is_made_reached_and_raised_with_one_click(signed_in, admin, catraca):
    browser = signed_in
    browser.open(admin.url + "/dashboard/budgets")
    browser.send("a.primary")
    for name, value in {"client_id": "acme", "name": "day", "period": "daily"}.items():
        browser.fill(name, value)
    browser.fill("tokens", "2,000")
    browser.send("form.card button.primary")
    assert browser.path == "/dashboard/budgets/acme/day?done=saved"
    assert "Saved. It is in force." in browser.element("[role=status]").text
    assert "0 used · 0 held · 2,000 left of 2,000" in browser.element("#budget").text

    # The budget moves after a real request through the proxy, without a reload.
    assert catraca.post(BODY).status == 200
    used = catraca.row()["total_tokens"]
    browser.shows(f"{used:,} used", "#budget")

    # A smaller limit: the next request is refused.
    browser.send(".head a.button")
    browser.fill("tokens", f"{used + 50}")
    browser.send("form.card button.primary")
    browser.shows(f"left of {used + 50:,}", "#budget")
    assert catraca.post(BODY).status == 429
    browser.shows("Paused: the token limit is reached.", "#budget")

    # One click raises it; the next request passes.
    browser.open(admin.url + "/dashboard/refusals?client=acme")
    browser.shows("acme/day: needed", "#log")
    browser.send("#log button")
    assert browser.path == "/dashboard/refusals?client=acme&done=raised"
    assert catraca.post(BODY).status == 200
    assert changes(admin) == [
        ("token:admin", "budget.raise", "budget:acme/day"),
        ("token:admin", "budget.update", "budget:acme/day"),
        ("token:admin", "budget.create", "budget:acme/day"),
    ]


def test_a_wrong_form_says_what_is_allowed_and_keeps_what_was_typed(signed_in, admin):
    browser = signed_in
    browser.open(admin.url + "/dashboard/budgets/new?client=acme")
    browser.fill("tokens", "many")
    browser.fill("period", "sometimes")
    browser.send("form.card button.primary")
    assert "“Tokens” is not valid. Allowed: a whole number" in browser.element("[role=alert]").text
    assert browser.element("[name=period]").get_attribute("value") == "sometimes"
    assert browser.element("[name=client_id]").get_attribute("value") == "acme"


def test_money_is_typed_as_it_is_read(signed_in, admin):
    browser = signed_in
    browser.read_in("pt-BR")
    browser.open(admin.url + "/dashboard/budgets/new?client=acme")
    browser.fill("cost", "1.234,56")
    browser.fill("currency", "BRL")
    browser.send("form.card button.primary")
    assert "R$ 1.234,56" in browser.element("#budget").text.replace("\u00a0", " ")
    [budget] = admin.done("GET", "/api/admin/budgets")["data"]
    assert budget["limit_cost"] == "1234.560000000"


def test_a_budget_is_paused_resumed_reset_and_removed(signed_in, admin, catraca):
    browser = signed_in
    admin.done("POST", "/api/admin/budgets", {"client_id": "acme", "tokens": 5000}, 201)
    browser.open(admin.url + "/dashboard/budgets/acme/b1")
    browser.fill("note", "holidays")
    browser.send("form[action$=pause] button")
    assert "Paused by an administrator" in browser.element("#budget").text
    assert catraca.post(BODY).json()["error"]["code"] == "budget_paused"
    browser.send("form[action$=resume] button")
    assert catraca.post(BODY).status == 200
    browser.press("[name=usage][value=clear]")
    browser.send_and_confirm("form[action$=reset] button")
    assert "0 used" in browser.element("#budget").text
    browser.send_and_confirm("form[action$=remove] button")
    assert browser.path == "/dashboard/budgets?done=removed"
    assert [action for _, action, _ in changes(admin)] == [
        f"budget.{each}" for each in ["delete", "reset", "resume", "pause", "create"]
    ]


def test_what_a_file_declares_has_a_lock_and_no_way_to_change_it(browser, catraca, tokens):
    catraca.configuration.add_client("acme", [{"name": "month", "tokens": 1000}])
    catraca.start()
    url = catraca.admin(None).url
    browser.sign_in(url, tokens["admin"])
    browser.open(url + "/dashboard/budgets/acme/month")
    assert "in clients.yaml" in browser.element("#budget").text
    assert not browser.elements(".head a.button") and not browser.elements("[action$=remove]")
    browser.open(url + "/dashboard/budgets/acme/month/edit")
    assert "clients.yaml:" in browser.text


def test_a_key_is_made_shown_once_used_and_revoked(signed_in, admin, catraca):
    browser = signed_in
    browser.open(admin.url + "/dashboard/keys?client=acme")
    browser.fill("name", "phone")
    browser.fill("models", "gpt-4o*")
    browser.send("main form.fields button.primary")
    secret = browser.element("#secret").text
    assert secret.startswith("sk-ctr-") and len(secret) == 50
    catraca.configuration.keys["acme"] = secret
    assert catraca.post(BODY).status == 200
    browser.open(admin.url + "/dashboard/keys?client=acme")
    assert secret not in browser.driver.page_source
    browser.send_and_confirm("form[action$='phone/revoke'] button")
    assert "revoked" in browser.text
    assert catraca.post(BODY).status == 401


def test_a_client_gets_its_own_price_and_the_question_what_it_costs_is_answered(
    signed_in, admin
):
    browser = signed_in
    browser.open(
        admin.url + "/dashboard/prices?client=acme&model=gpt-4o-mini&in=1,000,000&out=0"
    )
    assert "$0.15" in browser.element("#cost").text
    assert "Input tokens 1,000,000 0.000000150 0.150000000" in browser.element("#cost").text
    assert "gpt-4o-mini openai chat 0.15 0.075 0.6 Image input tokens: 0.15;" in browser.text
    browser.press("section details summary")
    for name, value in {"provider": "openai", "input": "0.30"}.items():
        browser.fill(name, value)
    browser.element("form.fields [name=model]").send_keys("gpt-4o-mini")
    browser.send("form.fields button.primary")
    assert "gpt-4o-mini openai Input tokens: 0.3 acme/1" in browser.text
    [override] = admin.done("GET", "/api/pricing-config?client=acme")["overrides"]
    assert override["per_million_tokens"] == {"input": "0.300000000"}
    browser.send("form[action$=remove] button")
    assert admin.done("GET", "/api/pricing-config?client=acme")["overrides"] == []


@pytest.mark.parametrize(
    "question, english, portuguese",
    [
        ("in=10", "Name a model.", "Informe um modelo."),
        ("model=gpt-99", "The price book doesn't have this model.", "A tabela de preços não tem"),
        ("model=gpt-4o-mini&in=ten", "Enter tokens as whole numbers", "números inteiros"),
        ("model=gpt-4o-mini&in=1&tier=express", "that service tier", "esse nível de serviço"),
        ("model=gpt-4o-mini&window=3h", "that completion window", "essa janela de conclusão"),
        ("model=gpt-4o-mini&container=3g", "containers of that size", "contêineres desse tamanho"),
    ],
)
def test_a_question_without_a_price_is_told_why_on_a_narrow_screen_too(
    signed_in, admin, question, english, portuguese
):
    browser = signed_in
    browser.resize(NARROW)
    for language, text in [("en", english), ("pt-BR", portuguese)]:
        browser.read_in(language)
        browser.open(f"{admin.url}/dashboard/prices?q=none&{question}")
        assert text in browser.element("[role=alert]").text
        assert browser.elements("#cost") == [] and browser.overflow <= 0


def test_a_wrong_form_is_told_in_the_language_and_the_names_of_its_page(signed_in, admin):
    browser = signed_in
    for language, filled, expected in [
        ("en", {}, "Fill in “Tokens”."),
        ("pt-BR", {}, "Preencha “Tokens”."),
        ("pt-BR", {"client_id": "nobody"}, "O cliente nobody não existe."),
        ("pt-BR", {"tokens": "x"}, "Permitido: um número inteiro de 0 a 9007199254740992."),
        ("pt-BR", {"tokens": "9", "period": "yearly"}, "O valor de “Período” não é válido."),
        ("pt-BR", {"tokens": "9", "alerts": "150"}, "porcentagens de 1 a 100"),
    ]:
        browser.read_in(language)
        browser.open(admin.url + "/dashboard/budgets/new?client=acme")
        for name, value in filled.items():
            browser.fill(name, value)
        browser.send("form.card button.primary")
        assert expected in browser.element("[role=alert]").text, filled


def test_a_request_is_explained(signed_in, admin, catraca):
    assert catraca.post(BODY).status == 200
    browser = signed_in
    browser.open(admin.url + "/dashboard/requests?client=acme")
    browser.send("#log a")
    text = browser.text
    for part in ["Input tokens", "Output tokens", "pricing/openai.yaml", " tokens · $"]:
        assert part in text, part
    assert "Tool calls" not in text
    tools = {"model": BODY["model"], "input": "Hello", "tools": [{"type": "web_search"}]}
    does = script(web_searches=2)
    assert catraca.post(tools, "/v1/responses", headers=does).status == 200
    browser.read_in("pt-BR")
    browser.open(admin.url + "/dashboard/requests?client=acme")
    browser.send("#log a")
    for part in ["Chamadas de ferramentas 2 0,02", "Chamadas de ferramentas\nweb_search: 2"]:
        assert part in browser.text, part


def test_a_viewer_sees_all_pages_and_no_way_to_change_anything(browser, admin, tokens):
    admin.done("POST", "/api/admin/budgets", {"client_id": "acme", "tokens": 5000}, 201)
    browser.sign_in(admin.url, tokens["viewer"])
    for page in ["", "budgets", "budgets/acme/b1", "keys", "prices?client=acme", "refusals"]:
        browser.open(f"{admin.url}/dashboard/{page}")
        forms = browser.elements("main form[method=post]")
        assert forms == [], page
    browser.open(f"{admin.url}/dashboard/budgets/new")
    assert "A viewer's token can't change anything." in browser.text


def test_an_object_is_assigned_shared_and_forgotten(signed_in, admin):
    browser = signed_in
    browser.open(admin.url + "/dashboard/objects")
    assert "No object matches." in browser.element("#objects").text
    browser.element("form.assign [name=object_id]").send_keys("file-abc")
    browser.element("form.assign [name=client_id]").send_keys("acmé")
    browser.send("form.assign button.primary")
    assert "“Client” is not valid. Allowed: 1 to 63 letters" in browser.element("[role=alert]").text
    field = browser.element("form.assign [name=object_id]")
    assert field.get_attribute("value") == "file-abc"
    client = browser.element("form.assign [name=client_id]")
    client.clear()
    client.send_keys("acme")
    browser.send("form.assign button.primary")
    assert "Saved. It is in force." in browser.element("[role=status]").text
    assert "file-abc file openai acme" in browser.element("#objects tbody").text
    browser.send_and_confirm("form.share button")
    assert "file-abc file openai all clients" in browser.element("#objects tbody").text
    assert not browser.elements("form.share")
    browser.send_and_confirm("form.forget button")
    assert "no client owns it now" in browser.element("[role=status]").text
    assert "No object matches." in browser.element("#objects").text
    assert [action for _, action, _ in changes(admin)] == [
        f"object.{each}" for each in ["forget", "assign", "assign"]
    ]


def test_viewers_see_objects_and_change_none(browser, admin, catraca, tokens):
    for number in range(60):
        body = {"provider": "openai", "object_id": f"file-{number:02}", "kind": "file"}
        admin.done("POST", "/api/admin/objects", {**body, "client_id": "acme"}, status=201)
    browser.sign_in(admin.url, tokens["viewer"])
    browser.read_in("pt-BR")
    browser.open(admin.url + "/dashboard/objects?provider=openai")
    table = browser.element("#objects").text
    assert "Dono" in table and "file-00" in table and "file-59" not in table
    assert not browser.elements("main form[method=post]")
    browser.send("#objects p a")
    assert "file-59" in browser.element("#objects").text
    browser.open(admin.url + "/dashboard/objects?object=file-07")
    assert len(browser.elements("#objects tbody tr")) == 1
