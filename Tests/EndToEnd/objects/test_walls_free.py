"""Requests that cost nothing, through openai-python: each client reaches its own objects alone."""

import openai
import pytest
from harness.account.kept import Collection
from harness.objects import assign
from harness.waiting import eventually

MODEL = "gpt-4o-mini"
GUEST = "bolt"


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


def refusal(call):
    """The refusal of an object that a client doesn't have."""
    with pytest.raises(openai.NotFoundError) as caught:
        call()
    return caught.value.status_code, caught.value.body


def assert_unknown(call, id, unheard_of):
    """A call names an object of another client: the answer is that for any unknown id."""
    foreign, unknown = refusal(lambda: call(id)), refusal(lambda: call(unheard_of))
    assert foreign[0] == unknown[0]
    text = str(unknown[1]).replace(unheard_of, id)
    assert str(foreign[1]) == text


def upload(client, content=b"x", purpose="user_data"):
    return client.files.create(file=("x.txt", content), purpose=purpose).id


# Files and uploads


@pytest.mark.parametrize("purpose", ["batch", "user_data", "vision", "fine-tune", "evals"])
def test_files_of_every_purpose_are_their_clients_own(house, account, ours, theirs, purpose):
    file = upload(ours, b"content", purpose)
    assert ours.files.retrieve(file).purpose == purpose
    assert ours.files.content(file).read() == b"content"
    assert [each.id for each in ours.files.list()] == [file]
    assert list(theirs.files.list()) == []
    for call in [theirs.files.retrieve, theirs.files.content, theirs.files.delete]:
        before = len(account.requests)
        assert_unknown(call, file, "file-unheard-of")
        assert len(account.requests) == before
    assert ours.files.delete(file).deleted
    assert refusal(lambda: ours.files.retrieve(file))[0] == 404
    assert list(ours.files.list()) == []
    assert house.ledger.usage() == []


def test_an_object_that_the_provider_has_lost_is_forgotten_when_it_is_deleted(account, ours):
    file = upload(ours)
    account.files.files.remove(file)
    assert refusal(lambda: ours.files.delete(file))[0] == 404
    before = len(account.requests)
    assert refusal(lambda: ours.files.retrieve(file))[0] == 404
    assert len(account.requests) == before


def test_uploads_in_parts(account, ours, theirs):
    begin = {"bytes": 2, "filename": "x.txt", "mime_type": "text/plain", "purpose": "user_data"}
    own = ours.uploads.create(**begin)
    foreign = theirs.uploads.create(**begin)
    part = ours.uploads.parts.create(own.id, data=b"ab")
    other = theirs.uploads.parts.create(foreign.id, data=b"cd")
    with pytest.raises(openai.NotFoundError):
        ours.uploads.parts.create(foreign.id, data=b"x")
    before = len(account.requests)
    with pytest.raises(openai.NotFoundError):
        ours.uploads.complete(own.id, part_ids=[part.id, other.id])
    assert len(account.requests) == before
    done = ours.uploads.complete(own.id, part_ids=[part.id])
    assert ours.files.content(done.file.id).read() == b"ab"
    assert_unknown(theirs.files.retrieve, done.file.id, "file-unheard-of")
    assert_unknown(ours.uploads.cancel, foreign.id, "upload_unheard_of")
    assert theirs.uploads.cancel(foreign.id).status == "cancelled"


# Conversations


def message(text):
    return {"type": "message", "role": "user", "content": text}


def test_conversations_and_their_items(account, ours, theirs):
    talk = ours.conversations.create(items=[message("a")], metadata={"k": "v"}).id
    added = ours.conversations.items.create(talk, items=[message("b")]).data[0].id
    listed = [item.id for item in ours.conversations.items.list(talk, order="asc")]
    assert len(listed) == 2 and listed[1] == added
    assert ours.conversations.items.retrieve(added, conversation_id=talk).id == added
    assert ours.conversations.update(talk, metadata={"k": "w"}).metadata == {"k": "w"}
    assert_unknown(theirs.conversations.retrieve, talk, "conv_unheard_of")
    assert_unknown(theirs.conversations.items.list, talk, "conv_unheard_of")
    # An item of another client can't be taken over.
    for item in listed:
        before = len(account.requests)
        with pytest.raises(openai.NotFoundError):
            theirs.conversations.create(items=[{"type": "item_reference", "id": item}])
        assert len(account.requests) == before
    again = ours.conversations.create(items=[{"type": "item_reference", "id": added}])
    assert len(list(ours.conversations.items.list(again.id))) == 1
    ours.conversations.items.delete(added, conversation_id=talk)
    assert ours.conversations.delete(talk).deleted
    assert_unknown(ours.conversations.retrieve, talk, "conv_unheard_of")


# Skills


def test_skills_and_their_versions(ours, theirs):
    content = ("SKILL.md", b"---\nname: x\n---\n")
    skill = ours.skills.create(files=[content]).id
    version = ours.skills.versions.create(skill, files=[content]).version
    assert ours.skills.retrieve(skill).latest_version == version == "2"
    assert ours.skills.update(skill, default_version="2").default_version == "2"
    assert ours.skills.content.retrieve(skill).read() == content[1]
    assert len(list(ours.skills.versions.list(skill))) == 2
    assert ours.skills.versions.retrieve(version, skill_id=skill).version == "2"
    assert ours.skills.versions.content.retrieve(version, skill_id=skill).read() == content[1]
    assert [each.id for each in ours.skills.list()] == [skill]
    assert list(theirs.skills.list()) == []
    assert_unknown(theirs.skills.retrieve, skill, "skill_unheard_of")
    assert_unknown(theirs.skills.versions.list, skill, "skill_unheard_of")
    assert ours.skills.versions.delete(version, skill_id=skill).deleted
    assert ours.skills.delete(skill).deleted
    assert_unknown(ours.skills.retrieve, skill, "skill_unheard_of")


# Lists


@pytest.fixture
def crowd(account, ours):
    """Three files of ours among 25,000 of others: the provider's pages have 10,000."""
    own = []
    for _ in range(3):
        own.append(upload(ours, purpose="vision"))
        for _ in range(8_333):
            account.files.add(b"", "batch")
    return own


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_list_of_few_among_many_is_full_in_both_orders(account, ours, crowd, order, limit):
    expected = crowd if order == "asc" else crowd[::-1]
    account.requests.clear()
    page = ours.files.list(order=order, limit=limit)
    shown = []
    while True:
        ids = [file.id for file in page.data]
        shown += ids
        assert (page.first_id, page.last_id) == (ids[0], ids[-1])
        assert page.has_more == (len(shown) < len(expected))
        assert len(account.requests) <= 1 + len(expected) + 1
        account.requests.clear()
        if not page.has_more:
            break
        assert len(ids) == limit
        page = page.get_next_page()
    assert shown == expected


def test_filters_hold_for_objects_that_are_read_by_their_ids(ours, crowd):
    other = upload(ours, purpose="user_data")
    assert [file.id for file in ours.files.list(purpose="vision")] == crowd[::-1]
    assert [file.id for file in ours.files.list(purpose="user_data")] == [other]
    assert list(ours.files.list(purpose="batch")) == []


def test_pages_of_many_among_many_are_full(account, ours):
    own = []
    for _ in range(60):
        own.append(ours.skills.create(files=[("SKILL.md", b"x")]).id)
        for _ in range(4):
            account.skills.skills.add({"id": account.id("skill_"), "object": "skill"})
    for order, expected in [("asc", own), ("desc", own[::-1])]:
        page = ours.skills.list(order=order, limit=25)
        assert len(page.data) == 25 and page.has_more
        assert [skill.id for skill in ours.skills.list(order=order, limit=25)] == expected


def test_a_cursor_of_another_client_looks_unknown(account, ours, theirs, crowd):
    def list_after(id):
        return ours.files.list(after=id)

    foreign = upload(theirs)
    before = len(account.requests)
    assert_unknown(list_after, foreign, "file-unheard-of")
    assert len(account.requests) == before


@pytest.mark.parametrize("limit", ["0", "10001", "many", "-1"])
def test_a_limit_that_no_list_has_is_refused_as_the_provider_does(account, ours, limit):
    with pytest.raises(openai.BadRequestError) as caught:
        ours.files.list(extra_query={"limit": limit})
    assert caught.value.param == "limit"
    assert account.requests == []


def test_an_order_that_no_list_has_is_the_providers_to_refuse(account, ours):
    with pytest.raises(openai.BadRequestError) as caught:
        ours.files.list(extra_query={"order": "random"})
    assert caught.value.body["param"] == "order"


# Shared objects


def test_what_a_shared_object_shows_is_shared(house, account, ours, theirs):
    files = [account.files.add(b"x", "batch_output").id for _ in range(2)]
    value = {"id": account.id("batch_"), "object": "batch", "status": "completed"}
    value |= {"output_file_id": files[0], "error_file_id": files[1]}
    batch = account.batches.batches.add(value).id
    assign(house.ledger, batch, "batch", "*")
    talk = account.conversations.conversations.add(
        {"id": account.id("conv_"), "object": "conversation", "metadata": {}},
        items=Collection("item"),
    ).id
    assign(house.ledger, talk, "conversation", "*")
    assert [each.id for each in ours.batches.list()] == [batch]
    item = ours.conversations.items.create(talk, items=[message("a")]).data[0].id
    for client in [ours, theirs]:
        assert client.files.content(files[0]).read() == b"x"
        assert client.files.retrieve(files[1]).id == files[1]
        assert client.conversations.items.list(talk).data[0].id == item
        client.conversations.create(items=[{"type": "item_reference", "id": item}])


# Responses and completions


def test_responses_that_are_kept(account, ours, theirs):
    made = ours.responses.create(model=MODEL, input="hello", max_output_tokens=20)
    assert len(list(ours.responses.input_items.list(made.id))) == 1
    for call in [
        theirs.responses.retrieve,
        theirs.responses.cancel,
        theirs.responses.input_items.list,
        theirs.responses.delete,
    ]:
        before = len(account.requests)
        assert_unknown(call, made.id, "resp_unheard_of")
        assert len(account.requests) == before
    ours.responses.delete(made.id)
    assert_unknown(ours.responses.retrieve, made.id, "resp_unheard_of")


def background(client):
    return client.responses.create(
        model=MODEL, input="hello", max_output_tokens=20, background=True
    )


def reference(client, item):
    given = [{"type": "item_reference", "id": item}]
    return client.responses.create(model=MODEL, input=given, max_output_tokens=20)


@pytest.mark.parametrize("streamed", [False, True])
def test_items_of_a_background_response_are_known_when_they_are_shown(
    house, account, ours, theirs, streamed
):
    begun = background(ours)
    if streamed:
        kept = account.responses.responses.get(begun.id).response
        eventually(lambda: kept.output, "the end of the work")
        events = list(ours.responses.retrieve(begun.id, stream=True))
        done = events[-1].response
    else:
        done = eventually(
            lambda: (r := ours.responses.retrieve(begun.id)).status == "completed" and r, "end"
        )
    item = done.output[0].id
    with pytest.raises(openai.NotFoundError):
        reference(theirs, item)
    reference(ours, item)
    eventually(lambda: len(house.ledger.usage()) == 2, "both rows")


def test_completions_that_are_stored(account, ours, theirs):
    def chat(client, **options):
        messages = [{"role": "user", "content": "hello"}]
        return client.chat.completions.create(
            model=MODEL, messages=messages, store=True, max_tokens=20, **options
        ).id

    own = chat(ours, metadata={"team": "red"})
    other = chat(ours, metadata={"team": "blue"})
    foreign = chat(theirs, metadata={"team": "red"})
    stored = ours.chat.completions
    assert {each.id for each in stored.list()} == {own, other}
    assert [each.id for each in stored.list(metadata={"team": "red"})] == [own]
    assert list(stored.list(model="gpt-5")) == []
    assert stored.retrieve(own).id == own
    assert len(list(stored.messages.list(own))) == 1
    assert stored.update(own, metadata={"team": "green"}).metadata == {"team": "green"}
    for call in [stored.retrieve, stored.messages.list, stored.delete]:
        before = len(account.requests)
        assert_unknown(call, foreign, "chatcmpl-unheard-of")
        assert len(account.requests) == before
    assert stored.delete(own).deleted
    assert [each.id for each in stored.list()] == [other]


# Paths that operators have opened


def test_an_opened_path_is_searched_for_ids(configuration, account, catraca):
    configuration.settings["providers"]["openai"]["base_url"] = account.url
    configuration.settings["metering"] = {"unmetered_endpoints": ["/v1/*"]}
    configuration.add_client(GUEST)
    running = catraca.start()
    foreign = upload(running.openai(GUEST))
    ours = running.openai(max_retries=0)
    before = len(account.requests)
    for path, body in [
        (f"/tomorrow/{foreign}", {}),
        (f"/tomorrow?file={foreign}", {}),
        ("/tomorrow", {"deep": [{"file_id": foreign}]}),
        ("/vector_stores", {"file_ids": [foreign]}),
    ]:
        with pytest.raises(openai.NotFoundError) as caught:
            ours.post(path, body=body, cast_to=object)
        assert foreign in caught.value.message
    assert len(account.requests) == before
    store = ours.vector_stores.create(name="box").id
    assert [each.id for each in ours.vector_stores.list()] == [store]
    assert list(running.openai(GUEST).vector_stores.list()) == []
