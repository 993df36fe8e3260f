"""Items that an app sends whole, with ids: only the client's own ids reach a provider that keeps
the items, so that nobody gets an object by naming it."""

import json

import openai
import pytest
from harness.objects import assign, nothing_forwarded, owners
from test_walls_free import GUEST, MODEL, message
from test_walls_unrecorded import begun

CHOSEN = "msg_of_nobody"
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"}


@pytest.fixture
def house(configuration, account, catraca):
    """A started server with the clients `acme` and `bolt`, whose provider is the account."""
    configuration.settings["providers"]["openai"]["base_url"] = account.url
    configuration.add_client(GUEST)
    return catraca.start()


@pytest.fixture
def ours(house):
    return house.openai(max_retries=0)


@pytest.fixture
def theirs(house):
    return house.openai(GUEST, max_retries=0)


def in_new_conversation(client, item):
    talk = client.conversations.create(items=[item]).id
    return [each.id for each in client.conversations.items.list(talk)]


def in_old_conversation(client, item):
    talk = client.conversations.create().id
    client.conversations.items.create(talk, items=[item])
    return [each.id for each in client.conversations.items.list(talk)]


def in_response(client, item):
    made = client.responses.create(model=MODEL, input=[item], max_output_tokens=20).id
    return [each.id for each in client.responses.input_items.list(made)]


def in_conversation_of_response(client, item):
    """A conversation keeps the items, whatever `store` says."""
    talk = client.conversations.create().id
    client.responses.create(
        model=MODEL, input=[item], max_output_tokens=20, conversation=talk, store=False
    )
    return [each.id for each in client.conversations.items.list(talk)]


def sent(account):
    """The body of the last request that has reached the provider."""
    return json.loads(account.requests[-1].body)


WAYS = [in_new_conversation, in_old_conversation, in_response, in_conversation_of_response]


@pytest.mark.parametrize("way", WAYS)
def test_an_item_gets_no_id_that_its_client_chose(house, account, ours, theirs, way):
    foreign = in_new_conversation(theirs, message("secret"))[0]
    nobodys = account.conversations.identified(message("secret"))["id"]
    for id in [CHOSEN, nobodys, foreign]:
        shown = way(ours, {**message("x"), "id": id})
        assert id not in shown, shown
        assert len([each for each in shown if owners(house.ledger)[each] == "acme"]) == len(shown)
        assert owners(house.ledger).get(id) == (GUEST if id == foreign else None)
        with pytest.raises(openai.NotFoundError):
            ours.conversations.create(items=[{"type": "item_reference", "id": id}])


def test_an_app_sends_back_what_earlier_answers_showed(account, ours):
    first = ours.responses.create(model=MODEL, input="hello", max_output_tokens=20)
    output = [item.to_dict() for item in first.output]
    again = [message("hello"), *output, message("go on")]
    ours.responses.create(model=MODEL, input=again, max_output_tokens=20)
    assert sent(account)["input"] == again


@pytest.mark.parametrize("own", [{"previous_response_id": None}, {}])
def test_an_app_without_state_sends_its_items_as_they_are(account, ours, own):
    """Nothing of such a request is kept, and the provider may compare the id with the content."""
    given = [message("hello"), REASONING, message("go on")]
    ours.responses.create(model=MODEL, input=given, store=False, max_output_tokens=20, **own)
    assert sent(account)["input"] == given


def continuing_without_storing(client, item):
    first = client.responses.create(model=MODEL, input="hello", max_output_tokens=20).id
    client.responses.create(
        model=MODEL, input=[item], max_output_tokens=20, store=False, previous_response_id=first
    )


def counting(client, item):
    client.responses.input_tokens.count(model=MODEL, input=[item])


def counting_in_a_conversation(client, item):
    talk = client.conversations.create().id
    client.responses.input_tokens.count(model=MODEL, input=[item], conversation=talk)


@pytest.mark.parametrize(
    "way", [continuing_without_storing, counting, counting_in_a_conversation]
)
def test_no_foreign_id_reaches_a_provider_that_looks_items_up(account, ours, theirs, way):
    foreign = in_new_conversation(theirs, message("secret"))[0]
    way(ours, {**message("x"), "id": foreign})
    assert sent(account)["input"] == [message("x")]


def test_all_but_the_id_stays_as_it_was(house, account):
    body = (
        '{"model": "gpt-4o-mini", "max_output_tokens": 20, "input": [ {"id" : "msg_1", "role":'
        '"user", "content":"a"} ,{"role":"user","content":"b"},{"role":"user" , "id":"msg_2",'
        '"content":"c"}, {"type":"reasoning","encrypted_content":"x","id":"rs_1" } ]}'
    )
    left = (
        '{"model": "gpt-4o-mini", "max_output_tokens": 20, "input": [ {"role":'
        '"user", "content":"a"} ,{"role":"user","content":"b"},{"role":"user",'
        '"content":"c"}, {"type":"reasoning","encrypted_content":"x" } ]}'
    )
    assert house.post(body.encode(), "/v1/responses").status == 200
    passed = account.requests[-1].body.decode()
    assert json.loads(passed) == json.loads(left)
    assert passed.replace(" ", "") == left.replace(" ", "")


def test_a_line_of_a_batch_cant_give_an_id(house, account, ours):
    own = in_new_conversation(ours, message("x"))[0]
    line = {"model": MODEL, "max_output_tokens": 20}
    passing = [
        {**line, "input": [{**message("x"), "id": own}]},
        {**line, "input": [{**message("x"), "id": CHOSEN}], "store": False},
    ]
    begun(house, "/v1/responses", *passing)
    with pytest.raises(openai.NotFoundError) as caught:
        begun(house, "/v1/responses", {**line, "input": [{**message("x"), "id": CHOSEN}]})
    assert CHOSEN in str(caught.value)
    assert len(account.batches.batches) == 1


CALLS = [
    {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q"}},
    {"type": "file_search_call", "status": "completed", "queries": ["q"], "results": None},
    {"type": "mcp_list_tools", "server_label": "s", "tools": []},
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call["type"])
def test_no_foreign_id_of_a_call_without_its_result_reaches_the_provider(
    house, account, ours, call
):
    """Nothing is kept for a request without state, but the provider may look the result up."""
    given = [message("a"), {**call, "id": "call_1"}]
    request = {"model": MODEL, "input": given, "store": False, "max_output_tokens": 20}
    ours.responses.create(**request)
    assert sent(account)["input"] == [message("a"), call]
    assign(house.ledger, "call_1", "item")
    ours.responses.create(**request)
    assert sent(account)["input"] == given


QUESTION = {
    "type": "mcp_approval_request",
    "id": "mcpr_1",
    "server_label": "s",
    "name": "n",
    "arguments": "{}",
}
APPROVAL = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}


@pytest.mark.parametrize(
    "items, store", [([APPROVAL], False), ([APPROVAL], True), ([QUESTION, APPROVAL], True)]
)
def test_a_client_approves_only_what_it_was_asked(house, account, ours, items, store):
    request = {"model": MODEL, "input": items, "store": store, "max_output_tokens": 20}
    with nothing_forwarded(account), pytest.raises(openai.NotFoundError) as caught:
        ours.responses.create(**request)
    assert caught.value.param == "approval_request_id"
    assign(house.ledger, "mcpr_1", "item")
    ours.responses.create(**request)
    assert sent(account)["input"] == items


def test_an_app_without_state_sends_a_question_back_with_its_approval(account, ours):
    given = [message("a"), QUESTION, APPROVAL]
    ours.responses.create(model=MODEL, input=given, store=False, max_output_tokens=20)
    assert sent(account)["input"] == given


def test_an_app_may_give_its_messages_the_ids_of_earlier_answers(account, ours):
    given = [{"role": "user", "content": "a", "id": "msg_1"}]
    given += [{"role": "assistant", "content": "b", "id": "chatcmpl-1"}]
    ours.chat.completions.create(model=MODEL, messages=given, max_tokens=20)
    assert sent(account)["messages"] == given


@pytest.mark.parametrize("id", ["msg_1", "rs_1", "fc_1", "chatcmpl-1"])
def test_an_id_of_an_answer_is_found_in_a_member_that_isnt_known(account, ours, id):
    with nothing_forwarded(account), pytest.raises(openai.NotFoundError):
        ours.responses.create(
            model=MODEL, input="a", max_output_tokens=20, extra_body={"later": {"x": id}}
        )
