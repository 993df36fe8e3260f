"""Clients that hang up: what the account did for them is paid, whatever they listened to."""

from concurrent.futures import ThreadPoolExecutor

from attackers import (
    Attacker,
    assert_all_is_paid,
    assert_audit_agrees,
    assert_not_overspent,
    charged_nano_usd,
    dollars,
    seeded,
    wait_for_rest,
)

LIMIT = "2.00"


def start(catraca, *clients):
    for client in clients:
        catraca.configuration.add_client(client, [dollars(LIMIT)])
    catraca.start()
    return [Attacker(catraca, client) for client in clients]


def hang_up_on_all(attacker, requests, moments, chance, beginnings=()):
    beginnings = beginnings or [None] * len(requests)
    with ThreadPoolExecutor(16) as pool:
        chances = [seeded(f"{chance.random()}") for _ in requests]
        list(pool.map(attacker.hang_up, requests, moments, chances, beginnings))


def beginnings_of(account, users):
    """For every second user, what tells that the account works for it; None for the others."""
    return [
        (lambda user=user: account.truth.works(user)) if number % 2 else None
        for number, user in enumerate(users)
    ]


def test_background_work_is_paid_whenever_its_client_hangs_up(catraca, account):
    """Half of the clients leave at any moment, and half once the account has begun: how many of the
    first half have their work begun depends on the machine."""
    chance = seeded("background 1")
    [thief] = start(catraca, "thief")
    users = [thief.next_user() for _ in range(30)]
    orders = [
        {"output": 4000, "rate": 20_000, "delay": chance.choice([0, 0.1, 0.3])} for _ in users
    ]
    requests = [thief.background(user, **order) for user, order in zip(users, orders)]
    moments = [chance.choice([0, 0.01, 0.05, 0.15, 0.25, 0.35]) for _ in users]
    hang_up_on_all(thief, requests, moments, chance, beginnings_of(account, users))
    wait_for_rest(catraca, account)
    begun = {work.user for work in account.truth.works()}
    assert begun.issuperset(users[1::2])
    assert_all_is_paid(catraca, account, "thief", begun)
    assert_not_overspent(catraca, account, "thief", float(LIMIT))
    assert_audit_agrees(catraca)


def test_submissions_whose_answer_never_comes_are_charged_their_whole_hold(catraca, account):
    chance = seeded("silent 1")
    [thief] = start(catraca, "thief")
    users = [thief.next_user() for _ in range(10)]
    requests = [
        thief.background(user, output=4000, rate=40_000, delay=0.1, silent=True) for user in users
    ]
    moments = [chance.choice([0, 0.05, 0.2]) for _ in users]
    hang_up_on_all(thief, requests, moments, chance, beginnings_of(account, users))
    wait_for_rest(catraca, account)
    begun = {work.user for work in account.truth.works()}
    assert begun.issuperset(users[1::2])
    assert_all_is_paid(catraca, account, "thief", begun)
    for user in begun:
        [row] = catraca.ledger.usage(user_id=user)
        assert row["usage_source"] == "estimated"
        assert row["cost_nano_usd"] == row["held_nano_usd"]


def test_batches_are_paid_whenever_their_client_hangs_up(catraca, account):
    chance = seeded("batches 1")
    [thief] = start(catraca, "thief")
    requests = []
    for _ in range(12):
        file = thief.batch_file([thief.next_user() for _ in range(5)], 500)
        requests.append(
            thief.batch(file, output=500, rate=10_000, delay=chance.choice([0, 0.1, 0.2]))
        )
    moments = [chance.choice([0, 0.01, 0.05, 0.15, 0.25]) for _ in requests]
    hang_up_on_all(thief, requests, moments, chance)
    wait_for_rest(catraca, account)
    assert len(account.truth.works()) >= 5
    assert_all_is_paid(catraca, account, "thief")
    assert_not_overspent(catraca, account, "thief", float(LIMIT))
    assert_audit_agrees(catraca)


def test_output_that_nobody_waited_for_is_paid_also_where_no_text_showed_it(catraca, account):
    chance = seeded("hidden 1")
    honest, thief = start(catraca, "honest", "thief")
    # The speed of each model is known from what others were answered, at its best.
    for _ in range(8):
        for model in [0.1, 0.9]:
            user = honest.next_user()
            answer = honest.send(honest.chat(seeded(f"{model}"), user, output=2000, rate=4000))
            assert answer.status == 200
    users = [thief.next_user() for _ in range(20)]
    requests = [
        thief.chat(chance, user, output=20_000, rate=3000, hidden=True) for user in users
    ]
    moments = [chance.uniform(0.3, 1.5) for _ in users]
    hang_up_on_all(thief, requests, moments, chance)
    wait_for_rest(catraca, account)
    made = account.truth.nano_usd(client="thief")
    assert made > 0
    charged = charged_nano_usd(catraca, client_id="thief")
    assert made <= charged, f"{made} nano-USD were made, {charged} charged"
    assert_not_overspent(catraca, account, "thief", float(LIMIT))
