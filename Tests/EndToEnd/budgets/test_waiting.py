"""Waiting for what others hold: nothing payable is refused, and waiting costs nothing."""

import json
import select
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest
from harness import sanitizers
from harness.crowd import at_once
from harness.sandbox import script, script_of
from harness.usage import Usage
from harness.waiting import eventually

CROWD = 200
OUTPUT = 50
# Some of the process's threads begin when they are first needed.
LATE_THREADS = 4
# In a second, whoever waits: timers of the server's own.
WAKE_UPS_AT_REST = 20 + 2 * sanitizers.WAKE_UPS
CHAT = "/v1/chat/completions"
BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": OUTPUT,
}


@pytest.fixture
def bound(catraca):
    """The tokens that are held for BODY, learnt from a row."""
    catraca.start()
    catraca.post(BODY)
    bound = catraca.row()["held_tokens"]
    assert catraca.terminate() == 0
    return bound


def start_with_tokens(catraca, sandbox, tokens, **admission):
    catraca.configuration.settings["budgets"] = {"admission_wait": "60s", **admission}
    catraca.configuration.add_client(
        "small", [{"name": "all", "period": "total", "tokens": tokens}]
    )
    catraca.start()
    sandbox.clear()


def send(catraca, resting, headers=(), body=BODY):
    """A request on a connection of its own, which isn't waited for."""
    connection = resting.enter_context(catraca.connect())
    connection.send(connection.request("POST", CHAT, body, catraca.key("small"), headers))
    return connection


def answers_within(seconds, connections):
    readable, _, _ = select.select([each.socket for each in connections], [], [], seconds)
    return [each for each in connections if each.socket in readable]


def hold(catraca, sandbox, resting):
    """Holds a bound until the connection that is returned is closed."""
    holder = send(catraca, resting, script(hang=True))
    eventually(sandbox.journal, "the holder at the provider")
    return holder


def test_the_command_shows_what_is_held(catraca, sandbox, bound):
    start_with_tokens(catraca, sandbox, 5 * bound)

    def shown():
        printed = catraca.command("budget", "status", "--client", "small", "--format", "json")
        [budget] = json.loads(printed.stdout)["data"]
        return budget["held_tokens"], budget["remaining_tokens"]

    with ExitStack() as resting:
        hold(catraca, sandbox, resting)
        hold(catraca, sandbox, resting)
        eventually(lambda: shown() == (2 * bound, 3 * bound), "two holds")
    eventually(lambda: shown()[0] == 0, "no hold")


@pytest.mark.parametrize("delay", [0, 300], ids=["fast", "slow"])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("open_ended", [False, True], ids=["limited", "open-ended"])
def test_a_burst_uses_the_budget_up(catraca, sandbox, bound, open_ended, stream, delay):
    limit = 20 * bound
    start_with_tokens(catraca, sandbox, limit)
    body, least = {**BODY, "stream": stream}, bound
    if open_ended:
        body.pop("max_completion_tokens")
        least = bound - OUTPUT + 256
    answers = at_once(
        CROWD,
        lambda index: catraca.post(
            body, client="small", headers=script(delay_ms=delay + index % 4)
        ).status,
    )
    rows = catraca.ledger.usage(client_id="small")
    assert limit - least < sum(row["total_tokens"] for row in rows) <= limit
    assert Counter(answers) == {200: len(rows), 429: CROWD - len(rows)}
    assert {row["reason"] for row in catraca.denials(CROWD - len(rows))} == {"token_limit"}


class Probes:
    """Connections to every event loop, by which one sees that what came before was dealt with."""

    COUNT = 24

    def __init__(self, catraca, resting):
        self._connections = [
            resting.enter_context(catraca.connect()) for _ in range(Probes.COUNT)
        ]

    def pass_through(self):
        for connection in self._connections:
            assert connection.get("/healthz").status == 200


def test_who_came_first_is_served_first(catraca, sandbox, bound):
    start_with_tokens(catraca, sandbox, 2 * bound - 1)
    body = {**BODY, "stream": True}
    names = [f"u{index}" for index in range(5)]
    with ExitStack() as resting:
        probes = Probes(catraca, resting)
        holder = hold(catraca, sandbox, resting)
        waiting = []
        for name in names:
            headers = {**script(completion_tokens=1), "x-catraca-user": name}
            waiting.append(send(catraca, resting, headers, {**body, "user": name}))
            probes.pass_through()
        holder.socket.close()
        assert [each.answer().status for each in waiting] == [200] * len(names)
    served = [json.loads(entry["body"]).get("user") for entry in sandbox.journal()]
    assert served == [None, *names]
    # A row may come after that of the request which it made room for.
    users = Counter(row["user_id"] for row in catraca.ledger.usage(client_id="small"))
    assert users == Counter([None, *names])


def test_who_hangs_up_leaves_the_queue(catraca, sandbox, bound):
    start_with_tokens(catraca, sandbox, 2 * bound - 1, admission_queue=1)
    with ExitStack() as resting:
        holder = hold(catraca, sandbox, resting)
        pair = [send(catraca, resting) for _ in range(2)]
        [refused] = answers_within(10, pair)
        assert refused.answer().code == "budget_contended"
        [waiting] = [each for each in pair if each is not refused]
        waiting.socket.close()

        def wait_in_turn():
            newcomer = send(catraca, resting)
            if answers_within(0.5, [newcomer]):
                assert newcomer.answer().code == "budget_contended"
                return None
            return newcomer

        newcomer = eventually(wait_in_turn, "there is room in the queue")
        holder.socket.close()
        assert newcomer.answer().status == 200
    assert len(sandbox.journal()) == 2


def processor_seconds(process):
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def threads(process):
    return list(Path(f"/proc/{process.pid}/task").iterdir())


def wake_ups(process):
    """How often its threads have waited for something, and then gone on."""
    return sum(
        int(line.split()[1])
        for thread in threads(process)
        for line in (thread / "status").read_text().splitlines()
        if line.startswith("voluntary_ctxt_switches")
    )


def test_waiting_takes_no_thread_and_no_polling(catraca, sandbox, bound):
    start_with_tokens(catraca, sandbox, 2 * bound - 1)
    with ExitStack() as resting:
        holder = hold(catraca, sandbox, resting)
        before = len(threads(catraca.process))
        waiting = [send(catraca, resting) for _ in range(CROWD)]

        def is_at_rest():
            begin = time.monotonic()
            used, woken = processor_seconds(catraca.process), wake_ups(catraca.process)
            assert answers_within(1, waiting) == []
            used = processor_seconds(catraca.process) - used
            woken = wake_ups(catraca.process) - woken
            # A second takes longer where the machine is busy.
            seconds = time.monotonic() - begin
            return used <= 0.03 * seconds and woken <= WAKE_UPS_AT_REST * seconds

        eventually(is_at_rest, "a second in which all wait and next to nothing is done")
        assert len(threads(catraca.process)) <= before + LATE_THREADS
        holder.socket.close()
        assert waiting[0].answer().status in (200, 429)


def test_an_overrun_raises_the_next_bound_at_once(catraca, sandbox, bound):
    start_with_tokens(catraca, sandbox, 100 * bound)
    excess = 300
    hidden = script_of(Usage(prompt=bound - OUTPUT + excess, completion=OUTPUT))
    answer = catraca.post(BODY, client="small", headers=hidden)
    assert answer.status == 200
    line = catraca.process.event("budget_overrun")
    assert (line["budget"], line["excess_tokens"]) == ("small/all", excess)
    assert catraca.post(BODY, client="small", headers=hidden).status == 200
    first, second = catraca.ledger.usage(client_id="small")
    assert (first["overrun_tokens"], second["overrun_tokens"]) == (excess, 0)
    assert first["overrun_nano_usd"] > 0
    assert second["held_tokens"] >= first["held_tokens"] + excess
    explained = catraca.command("explain", first["request_id"], "--format", "json")
    assert json.loads(explained.stdout)["overrun_tokens"] == excess


def test_an_overrun_of_output_raises_the_next_bound_and_no_limit(catraca, sandbox, bound):
    start_with_tokens(catraca, sandbox, 100 * bound)
    excess = 70
    longer = script_of(Usage(prompt=8, completion=OUTPUT + excess))
    for _ in range(3):
        assert catraca.post(BODY, client="small", headers=longer).status == 200
    rows = catraca.ledger.usage(client_id="small")
    assert [row["held_tokens"] - bound for row in rows] == [0, excess, excess]
    sent = [json.loads(request["body"]) for request in sandbox.journal()]
    assert {body["max_completion_tokens"] for body in sent} == {OUTPUT}


def test_an_overrun_raises_no_bound_of_others_and_does_not_add_up(catraca, sandbox, bound):
    catraca.configuration.add_client("other", [{"name": "all", "tokens": 100 * bound}])
    start_with_tokens(catraca, sandbox, 100 * bound)
    excess = 300
    hidden = script_of(Usage(prompt=bound - OUTPUT + excess, completion=OUTPUT))
    more = script_of(Usage(prompt=bound - OUTPUT + 2 * excess, completion=OUTPUT))
    for headers in (hidden, more, hidden):
        assert catraca.post(BODY, client="small", headers=headers).status == 200
    assert catraca.post(BODY, client="other").status == 200
    held = [row["held_tokens"] - bound for row in catraca.ledger.usage(client_id="small")]
    assert held == [0, excess, 2 * excess]
    [other] = catraca.ledger.usage(client_id="other")
    assert other["held_tokens"] == bound
