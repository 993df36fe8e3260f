"""How long a refusal takes says nothing of whether the object exists."""

import random
import statistics
import time

from belongings import make
from callers import unknown_like
from neighbors import assert_refused

COUNT = 400
ROUNDS = 3
LARGEST_Z = 3.0
"""A greater one comes by chance once in 370 rounds: three on the same side, once in 400 million."""


def z_of_ranks(first, second):
    """How far two samples lie apart, by the ranks of their values (Mann and Whitney): the
    number of standard deviations, which chance limits; negative where the first is smaller."""
    ranks = {id(each): rank for rank, each in enumerate(sorted([*first, *second]))}
    total = sum(ranks[id(each)] for each in first)
    n, m = len(first), len(second)
    mean = n * (n + m - 1) / 2
    return (total - mean) / (n * m * (n + m + 1) / 12) ** 0.5


def tells_apart(sample):
    """Whether the samples of round after round differ, always to the same side."""
    signs = set()
    for _ in range(ROUNDS):
        z = z_of_ranks(*sample())
        if abs(z) <= LARGEST_Z:
            return False
        signs.add(z > 0)
    return len(signs) == 1


def test_the_comparison_finds_what_a_look_up_takes():
    """Samples like those below, of which one takes a tenth longer."""
    chance = random.Random("samples")

    def sample(longer):
        return [chance.lognormvariate(0, 0.3) for _ in range(COUNT)], [
            chance.lognormvariate(0, 0.3) * longer for _ in range(COUNT)
        ]

    assert tells_apart(lambda: sample(1.1))
    assert not any(tells_apart(lambda: sample(1.0)) for _ in range(20))


def test_a_foreign_object_takes_as_long_as_one_that_never_was(neighbors):
    foreign = [make(neighbors.alice, "file")["file"] for _ in range(20)]
    # Used by their owner, so that whatever is remembered of them is remembered.
    for id in foreign:
        assert neighbors.alice.call("GET", f"/files/{id}").status == 200
    unknown = [unknown_like(id) for id in foreign]
    order = random.Random("timing")

    def sample():
        times = {True: [], False: []}
        kinds = [True, False] * COUNT
        order.shuffle(kinds)
        for number, is_foreign in enumerate(kinds):
            id = (foreign if is_foreign else unknown)[number % len(foreign)]
            begin = time.perf_counter()
            reply = neighbors.bob.call("GET", f"/files/{id}")
            times[is_foreign].append(time.perf_counter() - begin)
            assert_refused(reply)
        return times[True], times[False]

    sample()
    assert not tells_apart(sample), [statistics.median(each) for each in sample()]
