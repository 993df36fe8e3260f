"""Parts of an object, what an app itself names, and deletions that didn't happen."""

import openai
import pytest
from harness.account.kept import Collection
from harness.objects import owners
from test_walls_free import GUEST, MODEL, assert_unknown, message, upload


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


@pytest.mark.parametrize("said", [{"deleted": False}, {}, {"deleted": "true"}])
def test_what_the_provider_didnt_delete_stays_its_clients(account, ours, monkeypatch, said):
    file = upload(ours)
    made = ours.responses.create(model=MODEL, input="hello", max_output_tokens=20).id
    for name in ["files", "responses"]:
        monkeypatch.setattr(f"harness.account.{name}.deleted", lambda id, kind: {"id": id, **said})
    monkeypatch.setattr(Collection, "remove", lambda self, id: self.get(id))
    ours.files.delete(file)
    ours.responses.delete(made)
    assert ours.files.retrieve(file).id == file
    assert ours.responses.retrieve(made).id == made


def test_an_id_of_its_choice_makes_nobody_an_owner(house, account, ours, theirs):
    """An app may send an item with an id of its choice. The item gets another one."""
    nobodys = account.conversations.identified(message("secret"))["id"]
    foreign = theirs.conversations.items.create(
        theirs.conversations.create().id, items=[message("secret")]
    ).data[0].id
    talk = ours.conversations.create().id
    for item in [nobodys, foreign]:
        added = ours.conversations.items.create(talk, items=[{**message("x"), "id": item}])
        assert added.data[0].id not in [nobodys, foreign]
        owner = owners(house.ledger).get(item)
        assert owner == (GUEST if item == foreign else None)
        before = len(account.requests)
        with pytest.raises(openai.NotFoundError):
            ours.conversations.create(items=[{"type": "item_reference", "id": item}])
        assert len(account.requests) == before


def test_parts_of_an_own_object_are_checked_as_the_object_is(account, ours, theirs):
    talk = ours.conversations.create().id
    item = ours.conversations.items.create(talk, items=[message("a")]).data[0].id
    other = theirs.conversations.create().id
    foreign = theirs.conversations.items.create(other, items=[message("b")]).data[0].id
    made = ours.responses.create(model=MODEL, input="hello", max_output_tokens=20).id
    items = ours.conversations.items
    for call in [
        lambda id: items.retrieve(id, conversation_id=talk),
        lambda id: items.delete(id, conversation_id=talk),
        lambda id: items.list(talk, after=id),
        lambda id: ours.responses.input_items.list(made, after=id),
    ]:
        before = len(account.requests)
        assert_unknown(call, foreign, "msg_unheard_of")
        assert len(account.requests) == before
    assert items.list(talk, after=item).data == []
    assert items.retrieve(item, conversation_id=talk).id == item


def test_a_page_of_parts_is_followed_by_the_next(ours):
    talk = ours.conversations.create(items=[message(text) for text in "abc"]).id
    assert len(list(ours.conversations.items.list(talk, limit=1))) == 3
