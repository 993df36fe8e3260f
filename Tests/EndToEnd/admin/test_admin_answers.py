"""Every answer has the members that the API promises, and those that the document describes."""

import datetime
import json

import pytest
from harness.changes import MAKE, MODEL, REMOVE, raised
from harness.document import operations

BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
USAGE = {"userId": "beta", "tokensUsed": 100}
UNTIL = (datetime.date.today() + datetime.timedelta(days=30)).isoformat()

BUDGET = """{"id":"beta/cap","client_id":"beta","name":"cap","source":"api","per":"client",
 "subject":"client:beta","mode":"both","currency":"BRL","period":"monthly","enforcement":"hard",
 "pause_at_limit":true,"alerts":[80,90,100],
 "limit_tokens":1,"current_tokens":1,"held_tokens":0,"remaining_tokens":0,"token_percentage":85.0,
 "limit_cost":"5.0","current_cost":"0","held_cost":"0","remaining_cost":"5","cost_percentage":9.0,
 "limit_brl":"5.0","current_brl":"0","percentage_used":90.0,"state":"ok","is_paused":false,
 "pause_reason":null,"raised":{"tokens":9,"cost":"1.5","until":"2026"},"period_start":"2026",
 "next_reset_at":"2026","forecast":{"exhausted_at":null,"tokens":1,"cost":"1"},
 "created_at":"2026","updated_at":"2026"}"""
USAGE_LOG = """{"id":1,"request_id":"r","client_id":"c","key_name":"k","user_id":null,
 "conversation_id":null,"agent_id":null,"source":"openai","model":"m","response_model":"m",
 "operation":"chat","endpoint":"/v1/chat/completions","stream":false,"status":200,"outcome":"ok",
 "usage_source":"reported","prompt_tokens":1,"cached_tokens":0,"cache_write_tokens":0,
 "audio_input_tokens":0,"cached_audio_tokens":0,"image_input_tokens":0,
 "completion_tokens":1,"reasoning_tokens":0,
 "audio_output_tokens":0,"image_output_tokens":0,"total_tokens":2,"audio_ms":0,"characters":0,
 "images":0,"calls":2,"tool_calls":{"web_search":2},
 "cost_usd":"0","cost":"0","currency":"BRL","price_version":"v",
 "held_tokens":1,"held_usd":"0","overrun_tokens":0,"overrun_usd":"0",
 "provider_cost_usd":"0","latency_ms":1,
 "ttft_ms":null,"overhead_us":1,"metadata":null,"created_at":"2026"}"""
EXAMPLES = {
    "/api/admin/clients/beta": """{"id":"acme","name":"ACME Corp","plan":"pro",
 "timezone":"America/Sao_Paulo","status":"active","source":"api","payment_customer_id":null,
 "markup":null,"provider_keys":null,"metadata":{"a":"b"},"created_at":"2026",
 "updated_at":"2026"}""",
    "/api/admin/clients/beta/keys/web": """{"client_id":"acme","name":"web",
 "fingerprint":"9f86d081884c","status":"active","source":"api","models":["gpt-4o*"],
 "operations":null,"expires_at":null,"requests_per_minute":600,"tokens_per_minute":null,
 "last_used_at":null,"previous_expires_at":null,"created_at":"2026"}""",
    "/api/admin/clients/beta/subscription": """{"client_id":"acme","plan":"pro","status":"active",
 "started_at":"2026","current_period_start":"2026","current_period_end":"2026",
 "tokens_used_this_period":0,"conversations_used_this_period":0}""",
    "/api/admin/plans/gold": """{"name":"pro","display_name":"Pro","source":"file",
 "monthly_tokens":null,
 "monthly_conversations":null,"markup":null,"billing":{"currency":"BRL",
 "fixed_fee":"400.000000000","included_tokens":8000000,
 "overage":{"every_tokens":8000000,"charge":"100.000000000"}}}""",
    "/api/admin/budgets/beta/cap": BUDGET,
    "/api/admin/credits": """{"data":[{"id":"crd_01","client_id":"acme","tokens_granted":20000,
 "tokens_remaining":18650,"cost_granted":null,"cost_remaining":null,"currency":null,
 "expires_at":null,"note":"goodwill","created_at":"2026"}],"has_more":false,"next":null}""",
    "/api/budget/status?client=beta": BUDGET[:-1]
    + ',"has_budget":true,"budgets":['
    + BUDGET
    + """],"by_operation":[{"operation":"chat","requests":10,"tokens_total":850000,
 "cost":"300","cost_usd":"55","percentage":66.6}]}""",
    "/api/usage/summary?client=beta&days=30": """{"client_id":"acme","period_days":30,
 "total_tokens":150,"total_conversations":1,"total_calls":1,"total_cost_usd":"0.000045000",
 "total_provider_cost_usd":"0.000045000","total_margin_usd":"0.000000000",
 "daily_usage":[{"date":"2026-11-22","tokens_input":100,"tokens_output":50,"tokens_total":150,
 "conversations_count":1,"api_calls_count":1,"cost_usd":"0.000045000",
 "provider_cost_usd":"0.000045000","margin_usd":"0.000000000"}]}""",
    "/api/usage/current-period?client=beta": """{"client_id":"acme","has_subscription":true,
 "plan_name":"Pro","plan_id":"pro","status":"active","tokens_used":150,"tokens_limit":50000,
 "tokens_remaining":49850,"percentage_used":0.3,"conversations_used":1,"conversations_limit":50,
 "period_start":"2026","period_end":"2026","is_over_limit":false}""",
    "/api/usage/check?client=beta": """{"allowed":true,"reason":null,"tokens_remaining":49850,
 "extra_credits":20000,"total_available":69850,"percentage_used":0.3,"is_over_limit":false,
 "resets_at":"2026"}""",
    "/api/admin/usage-logs?client=beta": '{"data":['
    + USAGE_LOG
    + '],"has_more":false,"next":null}',
    "/api/token-billing/user-summary/beta": """{"success":true,"data":{"total_tokens":10000000,
 "current_tier":"8M-16M","fixed_fee_charged":40000,"tier_charges_count":1,
 "tier_charges_total":10000,"total_charged":50000,"currency":"BRL","period":"2026-11"}}""",
    "/api/token-billing/charges?client=beta&limit=1": """{"success":true,"data":[{"id":"chg_01",
 "client_id":"c","user_id":"u","period":"2026-11","block":0,"billing_tier":"0-8M",
 "tokens_total":1,"amount_charged":40000,"currency":"BRL","status":"recorded","attempts":0,
 "last_error":null,"payment_id":null,"created_at":"2026","updated_at":"2026"}],"has_more":true,
 "next":"1"}""",
    "/api/admin/denials": """{"data":[{"id":1,"request_id":"r","client_id":"c","key_name":"k",
 "user_id":null,"operation":"chat","model":"m","budget_id":"b","reason":"token_limit",
 "limit_value":1,"used":0,"held":0,"requested":9,"reset_at":"2026","created_at":"2026"}],
 "has_more":false,"next":null}""",
    "/api/admin/audit-log?limit=1&action=client.create": """{"data":[{"id":7,"actor":"token:a",
 "action":"budget.create","target":"budget:acme/b1","client_id":"acme","before":null,
 "after":null,"created_at":"2026"}],"has_more":true,"next":null}""",
}
OVERRIDE = """{"client_id":"acme","provider":"openai","model":"gpt-4o-mini","currency":"USD",
 "per_million_tokens":{"input":"0.300000000","output":"1.200000000"},"price_version":"acme/1",
 "updated_at":"2026"}"""
PROCESSED = """{"success":true,"data":{"consumptionId":"r","totalTokens":1,"tierCharges":[
 {"id":"chg_01","billing_tier":"8M-16M","amount_charged":10000,"status":"succeeded"}]}}"""


@pytest.fixture
def filled(catraca, tokens):
    """A server where something stands in every list."""
    catraca.configuration.add_client("acme", [{"name": "cap", "tokens": 1}])
    admin = catraca.start().admin(tokens["admin"])
    for change in [*MAKE, raised(UNTIL)]:
        change.make(admin)
    assert catraca.post(BODY).status == 429
    catraca.denials(1)
    admin.done("POST", "/api/token-billing/process-usage", USAGE)
    return admin


def differences(example, answer, where="$"):
    """Where the members or JSON types are others; null may stand for any value."""
    if example is None or answer is None:
        return []
    if type(example) is not type(answer):
        return [f"{where}: {answer!r} instead of a {type(example).__name__}"]
    if isinstance(example, dict):
        odd = [f"{where}.{name}" for name in example.keys() ^ answer.keys()]
        for name in example.keys() & answer.keys():
            odd += differences(example[name], answer[name], f"{where}.{name}")
        return odd
    if isinstance(example, list) and example:
        assert answer, f"{where} shows nothing to compare"
        return differences(example[0], answer[0], f"{where}[0]")
    return []


def test_answers_have_the_promised_members_and_types(filled):
    wrong = {}
    for path, example in EXAMPLES.items():
        odd = differences(json.loads(example), filled.done("GET", path))
        if odd:
            wrong[path] = odd
    prices = filled.done("GET", "/api/pricing-config?client=beta")
    assert prices.keys() == {"client_id", "overrides", "price_book"}
    [override] = prices["overrides"]
    wrong["override"] = differences(json.loads(OVERRIDE), override)
    reported = filled.done("POST", "/api/token-billing/process-usage", USAGE)
    wrong["reported"] = differences(json.loads(PROCESSED), reported)
    [entry] = filled.done("GET", "/api/admin/usage-logs?client=beta&limit=1")["data"]
    one = filled.done("GET", f"/api/admin/usage-logs/{entry['request_id']}")
    assert {"explain", "price_file"} <= one.keys()
    assert not {name: odd for name, odd in wrong.items() if odd}


def test_a_secret_is_shown_when_it_is_made_alone(admin):
    admin.done("POST", "/api/admin/clients", {"id": "beta"}, status=201)
    keys = "/api/admin/clients/beta/keys"
    made = admin.done("POST", keys, {"name": "web"}, status=201)
    shown = admin.done("GET", f"{keys}/web")
    assert made.keys() - shown.keys() == {"secret"} and shown.items() <= made.items()
    assert admin.done("POST", f"{keys}/web/rotate").keys() == made.keys()
    assert "secret" not in admin.done("PATCH", f"{keys}/web", {})


def test_every_answer_is_as_the_document_describes_it(catraca, tokens):
    """Each call once, well and badly; the schemas are closed, so that no member is unsaid."""
    catraca.configuration.add_client("acme", [{"name": "cap", "tokens": 1}])
    catraca.configuration.add_client("carol")
    admin = catraca.start().admin(tokens["admin"])
    described = operations(admin)
    for path in ["clients", "plans", "budgets"]:
        assert admin.get(f"/api/admin/{path}?limit=1").status == 200
    answered = set()

    def call(method, path, body=None):
        segments = path.split("?")[0].split("/")
        [operation, *_] = [
            operation
            for operation in described
            if operation.method == method and is_filled(operation.path.split("/"), segments)
        ]
        reply = admin.call(method, path, body)
        operation.check(reply)
        if reply.status < 300:
            answered.add(str(operation))
        return reply

    for change in [*MAKE, raised(UNTIL)]:
        call(change.method, change.path, change.body)
        call(change.method, change.path, {"colour": "red"} if change.body is not None else None)
    assert catraca.post(BODY).status == 429
    catraca.denials(1)
    assert catraca.post(BODY, client="carol").status == 200
    call("POST", "/api/token-billing/process-usage", {**USAGE, **MODEL_OF_USAGE})
    call("POST", "/api/token-billing/process-usage", {"userId": "nobody", "tokensUsed": 1})
    call("POST", "/api/admin/alerts/test", {})
    call("POST", "/api/widget-tokens", {"client_id": "beta"})
    names = {"client": "beta", "key": "web", "name": "cap", "plan": "gold"}
    call("POST", "/api/token-billing/charges/chg_01/retry", {})
    names["request"] = catraca.ledger.usage(client_id="carol")[0]["request_id"]
    for operation in described:
        if operation.method != "GET":
            continue
        for client in ["beta", "carol", "acme", "nobody"]:
            query = f"?client={client}" if "client" in operation.query_names else ""
            call("GET", operation.filled(names) + query)
        call("GET", operation.filled({}))
    for change in REMOVE:
        call(change.method, change.path, change.body)
    # Events of a payment provider are for test_payments.py.
    signed = {"POST /api/token-billing/webhook"}
    missing = {str(operation) for operation in described} - answered - signed
    assert not missing, "never seen to succeed"


MODEL_OF_USAGE = {"provider": MODEL["provider"], "model": MODEL["model"]}


def is_filled(pattern, segments):
    return len(pattern) == len(segments) and all(
        part.startswith("{") or part == segment
        for part, segment in zip(pattern, segments, strict=True)
    )
