"""An object is its maker's, also if the maker has hung up before it had the answer."""

import json
import select
import socket
import threading

import pytest
from harness.objects import owners
from harness.waiting import eventually

MODEL = "gpt-4o-mini"


class LateProvider:
    """Answers the one request that it takes once it is told to, unless that is given up before."""

    def __init__(self, answer, content_type="application/json"):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        self._body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self._content_type = content_type
        self.arrived, self.left = threading.Event(), threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        connection, _ = self._listener.accept()
        with connection, self._listener:
            connection.recv(65536)
            self.arrived.set()
            self.left.wait(timeout=30)
            # Giving the request up would close the connection well within this time.
            if select.select([connection], [], [], 0.5)[0]:
                return
            head = f"HTTP/1.1 200 OK\r\ncontent-type: {self._content_type}\r\ncontent-length: "
            connection.sendall(f"{head}{len(self._body)}\r\n\r\n".encode() + self._body)


@pytest.mark.parametrize(
    "path, id",
    [
        ("/v1/conversations", "conv_late"),
        ("/v1/containers", "cntr_late"),
        ("/v1/vector_stores", "vs_late"),
    ],
)
def test_an_object_is_its_makers_although_its_maker_has_hung_up(configuration, catraca, path, id):
    provider = LateProvider({"id": id, "object": path.rsplit("/")[-1].rstrip("s")})
    configuration.settings["providers"]["openai"]["base_url"] = provider.url
    configuration.settings.setdefault("metering", {})["unmetered_endpoints"] = [path]
    house = catraca.start()
    with house.connect() as connection:
        connection.send(connection.request("POST", path, {}, house.key()))
        assert provider.arrived.wait(timeout=30)
    provider.left.set()
    assert eventually(lambda: owners(house.ledger).get(id), "the owner") == "acme"


STORED = [
    (
        "/v1/responses",
        {"model": MODEL, "input": "a", "max_output_tokens": 20},
        {"type": "response.created", "response": {"id": "resp_late", "output": []}},
    ),
    (
        "/v1/chat/completions",
        {"model": MODEL, "messages": [{"role": "user", "content": "a"}], "store": True},
        {"id": "chatcmpl-late", "object": "chat.completion.chunk", "choices": []},
    ),
]


@pytest.mark.parametrize("path, body, event", STORED)
def test_what_a_stream_stores_is_its_makers_although_its_maker_has_hung_up(
    configuration, catraca, path, body, event
):
    provider = LateProvider(f"data: {json.dumps(event)}\n\n".encode(), "text/event-stream")
    configuration.settings["providers"]["openai"]["base_url"] = provider.url
    house = catraca.start()
    with house.connect() as connection:
        connection.send(connection.request("POST", path, {**body, "stream": True}, house.key()))
        assert provider.arrived.wait(timeout=30)
    provider.left.set()
    id = event.get("response", event)["id"]
    assert eventually(lambda: owners(house.ledger).get(id), "the owner") == "acme"
    assert house.row_in_time()["outcome"] == "client_disconnected"
