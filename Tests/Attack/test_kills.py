"""SIGKILL in the middle of everything: nothing is lost, nothing counts twice."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from attackers import (
    Attacker,
    assert_audit_agrees,
    assert_not_overspent,
    charged_nano_usd,
    dollars,
    seeded,
    wait_for_rest,
)

LIMIT = "3.00"
ROUNDS = 4


def test_a_kill_in_the_middle_of_everything_leaves_nothing_unpaid(catraca, account):
    catraca.configuration.add_client("thief", [dollars(LIMIT)])
    catraca.configuration.settings["proxy"]["listen"] = ["127.0.0.1:0"]
    for round_ in range(ROUNDS):
        catraca.start()
        thief = Attacker(catraca, "thief")
        thief._count = round_ * 1000
        attack(catraca, thief, seeded(f"kill {round_}"))
        catraca.kill()
    catraca.start()
    wait_for_rest(catraca, account)
    rows = Counter(row["user_id"] for row in catraca.ledger.usage() if row["operation"] != "batch")
    assert set(rows.values()) == {1}
    made = {work.user for work in account.truth.works() if work.kind != "batch"}
    assert made <= rows.keys()
    background = [work.user for work in account.truth.works() if work.kind == "response"]
    for user in background:
        [row] = catraca.ledger.usage(user_id=user)
        assert row["cost_nano_usd"] >= account.truth.nano_usd(user), (user, row)
    assert_not_overspent(catraca, account, "thief", float(LIMIT))
    assert_audit_agrees(catraca)


def attack(catraca, thief, chance):
    """Sends requests of every kind from many threads until the server is killed."""
    enough = threading.Event()
    counted = threading.Semaphore(0)

    def rage(chance):
        while not enough.is_set():
            try:
                user = thief.next_user()
                kind = chance.choice(["chat", "chat", "chat", "background"])
                order = {"output": chance.randrange(2000), "rate": 10_000}
                request = (
                    thief.chat(chance, user, **order)
                    if kind == "chat"
                    else thief.background(user, **order)
                )
                if chance.random() < 0.5:
                    thief.hang_up(request, chance.random() / 3, chance)
                else:
                    thief.send(request)
            except Exception:  # noqa: BLE001 - the server is being killed
                if not enough.is_set() and catraca.process.is_running():
                    continue
                return
            finally:
                counted.release()

    with ThreadPoolExecutor(12) as pool:
        running = [pool.submit(rage, seeded(f"{chance.random()}")) for _ in range(12)]
        for _ in range(60 + chance.randrange(60)):
            counted.acquire(timeout=20)
        catraca.kill()
        enough.set()
        for each in running:
            each.result()


def test_a_key_makes_one_credit_however_often_it_is_repeated(catraca, tokens):
    catraca.configuration.add_client("acme", [])
    keys = iter(range(10**6))
    made = set()
    for round_ in range(ROUNDS):
        catraca.start()
        give_credits(catraca, tokens["admin"], keys, made, seeded(f"credits {round_}"))
    catraca.start()
    credits = catraca.ledger.rows("token_credits")
    assert len(credits) == len(made)
    assert_audit_agrees(catraca)


def give_credits(catraca, token, keys, made, chance):
    """Repeats each call until it is answered, and kills the server in the middle."""
    lock = threading.Lock()
    done = threading.Semaphore(0)
    over = threading.Event()

    def give(_):
        while not over.is_set():
            with lock:
                key = next(keys)
            while True:
                try:
                    reply = catraca.admin(token).call(
                        "POST",
                        "/api/admin/credits",
                        {"client_id": "acme", "tokens": 1},
                        headers={"idempotency-key": f"key-{key}"},
                    )
                    assert reply.status == 201, reply
                    with lock:
                        made.add(key)
                    break
                except (OSError, ValueError, EOFError):
                    restarted.wait(20)
            done.release()

    restarted = threading.Event()
    with ThreadPoolExecutor(8) as pool:
        running = [pool.submit(give, number) for number in range(8)]
        for _ in range(20 + chance.randrange(20)):
            done.acquire(timeout=20)
        catraca.kill()
        catraca.start()
        restarted.set()
        for _ in range(10):
            done.acquire(timeout=20)
        over.set()
        for each in running:
            each.result()
    assert catraca.terminate() == 0


def test_all_is_paid_at_the_end(catraca, account):
    """The same work without a kill: what is charged is exactly what the account did."""
    catraca.configuration.add_client("honest", [])
    catraca.start()
    honest = Attacker(catraca, "honest")
    chance = seeded("honest 1")
    for _ in range(20):
        assert honest.send(honest.chat(chance, honest.next_user(), output=100)).status == 200
    wait_for_rest(catraca, account)
    assert charged_nano_usd(catraca) == account.truth.nano_usd(client="honest")
