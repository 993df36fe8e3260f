"""Clients that send much, slowly, or never to the end: others are served, and nothing grows."""

import socket
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from attackers import Attacker, dollars, resident_bytes, seeded, wait_for_rest
from harness.sanitizers import MEMORY_FACTOR, TIME_FACTOR
from harness.waiting import eventually

MEBIBYTE = 1 << 20
BODIES = ["content-length: 5\r\n\r\nx", "transfer-encoding: chunked\r\n\r\n5\r\nx"]
BROKE = [
    {**dollars("0.000001"), "name": f"each-{per}", "per": per}
    for per in ["client", "user", "conversation"]
]


def answers_in_time(server, honest, seconds=2.0):
    """Whether an honest request is answered, and soon."""
    begin = time.monotonic()
    answer = honest.send(honest.chat(seeded("honest"), honest.next_user()))
    return answer.status == 200 and time.monotonic() - begin < seconds * TIME_FACTOR


def test_bodies_without_an_end_hold_up_nobody(catraca, tokens):
    catraca.configuration.settings["limits"] = {"connections": 64, "body_timeout": "1s"}
    catraca.configuration.add_client("honest", [])
    catraca.start()
    honest = Attacker(catraca, "honest")
    paths = ["/api/usage/check", "/widget", "/v1/chat/completions", "/v1/files", "/api/nothing"]
    with ExitStack() as stack:
        held = []
        for number in range(60):
            connection = stack.enter_context(catraca.connect())
            head = f"POST {paths[number % len(paths)]} HTTP/1.1\r\nhost: x\r\n"
            connection.send(f"{head}content-length: 1000000\r\n\r\n1".encode())
            held.append(connection)
        assert answers_in_time(catraca, honest)
        # However long they go on, a byte at a time, they end.
        open_ones = list(held)

        def all_have_ended():
            for connection in list(open_ones):
                try:
                    connection.send(b"1")
                    connection.socket.settimeout(0.001)
                    if not connection.socket.recv(65536):
                        open_ones.remove(connection)
                except TimeoutError:
                    pass
                except OSError:
                    open_ones.remove(connection)
            return not open_ones

        eventually(all_have_ended, "the end of all bodies")
    assert answers_in_time(catraca, honest)


def test_unfinished_bodies_take_bounded_memory(catraca):
    catraca.configuration.settings["limits"] = {"body_memory": "128MiB"}
    catraca.configuration.add_client("greedy", [])
    catraca.configuration.add_client("honest", [])
    catraca.start()
    greedy, honest = Attacker(catraca, "greedy"), Attacker(catraca, "honest")
    assert answers_in_time(catraca, honest)
    before = resident_bytes(catraca)

    def send_most(_):
        connection = stack.enter_context(catraca.connect())
        head = f"POST /v1/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {greedy.key}\r\n"
        form = "content-type: multipart/form-data; boundary=b\r\n"
        connection.send(f"{head}{form}content-length: {60 * MEBIBYTE}\r\n\r\n".encode())
        connection.socket.settimeout(10)
        try:
            for _ in range(55):
                connection.send(bytes(MEBIBYTE))
        except OSError:
            pass  # The server has had enough of it.

    with ExitStack() as stack:
        with ThreadPoolExecutor(20) as pool:
            list(pool.map(send_most, range(20)))
        grown = resident_bytes(catraca) - before
        assert grown < 256 * MEBIBYTE * MEMORY_FACTOR, f"{grown // MEBIBYTE} MiB"
        assert answers_in_time(catraca, honest)


def test_refused_requests_with_long_names_fill_no_disk(catraca):
    catraca.configuration.add_client("broke", BROKE)
    catraca.configuration.add_client("honest", [])
    catraca.start()
    broke = Attacker(catraca, "broke")

    def size():
        return sum(len(content) for content in catraca.ledger.contents().values())

    before = size()
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
    body["max_completion_tokens"] = 1000
    statuses = Counter()

    def refuse(number):
        with catraca.connect() as connection:
            for step, length in enumerate([200, 200, 200, 20_000]):
                name = f"{number}-{step}-"
                headers = {"x-catraca-user": name + "x" * length, "x-catraca-agent": name}
                headers["x-catraca-conversation"] = name + "y" * length
                answer = connection.post("/v1/chat/completions", body, broke.key, headers)
                statuses[answer.status] += 1

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(refuse, range(750)))
    assert statuses == {429: 2250, 400: 750}
    eventually(lambda: catraca.ledger.denials(), "a denial")
    assert size() - before < 4 * MEBIBYTE, f"{(size() - before) >> 10} KiB"
    assert answers_in_time(catraca, Attacker(catraca, "honest"))


def test_one_client_cannot_take_all_places_of_background_work(catraca, account):
    catraca.configuration.add_client("greedy", [])
    catraca.configuration.add_client("honest", [])
    catraca.start()
    greedy, honest = Attacker(catraca, "greedy"), Attacker(catraca, "honest")
    answers = []

    def submit(_):
        with catraca.connect() as connection:
            for _ in range(70):
                request = greedy.background(greedy.next_user(), output=10, rate=0.0)
                connection.send(request)
                answers.append(connection.answer().status)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(submit, range(16)))
    assert set(answers) - {200} <= {429, 503}
    assert answers.count(200) < len(answers), "no limit was met"
    assert honest.send(honest.background(honest.next_user())).status == 200
    for work in account.truth.works():
        work.cancel()
    wait_for_rest(catraca, account)


def test_nameless_rubbish_ends_no_process(catraca, tokens):
    catraca.configuration.add_client("honest", [])
    catraca.start()
    chance = seeded("rubbish 1")
    paths = ["/healthz", "/metrics", "/widget", "/api/usage/check", "/dashboard/sign-in"]
    paths += ["/dashboard", "/api/admin/clients", "/v1/models", "/v1/chat/completions", "/x"]
    endings = ["close", "reset", "half-close"]
    addresses = [(catraca.host, catraca.port), catraca.process.address("admin")]
    for address in addresses:
        for path in paths:
            for ending in endings:
                for body in BODIES:
                    request = f"POST {path} HTTP/1.1\r\nhost: localhost\r\n{body}".encode()
                    length = chance.choice([len(request), chance.randrange(len(request))])
                    with socket.create_connection(address) as plain:
                        plain.sendall(request[:length])
                        end(plain, ending)
        assert catraca.process.is_running()
    assert answers_in_time(catraca, Attacker(catraca, "honest"))


def end(plain, how):
    if how == "half-close":
        plain.shutdown(socket.SHUT_WR)
    elif how == "reset":
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
