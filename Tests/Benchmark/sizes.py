"""The effect of many clients, keys and budgets on the start, a request, and a reload of prices."""

import contextlib
import os
import re
import statistics
import threading
import time

import scene
import servers
from client import Client
from proxies import Proxy

MANY_CLIENTS = 100_000
KEYS_EACH = 10
WATCH_SECONDS = 2


def start_seconds(bench):
    """Seconds to the line that says that it listens, on a ledger that knows the clients.

    The start before that, on a new ledger, writes them there.
    """
    home = bench.home("start")
    configuration, key = scene.write_catraca_configuration(
        home / "catraca", bench.origin.port, clients=MANY_CLIENTS
    )
    # The disk has nothing left to write of the configuration.
    os.sync()
    durations = []
    for _ in range(bench.options.rounds + 1):
        with contextlib.ExitStack() as stack:
            begin = time.monotonic()
            servers.start_configured_catraca(stack, configuration, bench.proxy_cores, key)
            durations.append(time.monotonic() - begin)
    return durations[:1], durations[1:]


def request_ratios(bench):
    """The CPU of a request with a million keys and 100,000 budgets, by that with one of each."""
    sizes = [{}, {"clients": MANY_CLIENTS, "keys": KEYS_EACH}]
    with contextlib.ExitStack() as stack:
        proxies = []
        for number, size in enumerate(sizes):
            home = bench.home(f"size-{number}")
            started = servers.start_catraca(
                stack, home, bench.proxy_cores, bench.origin.port, **size
            )
            proxies.append(Proxy(*started))
        few, many = bench.alternate(lambda proxy: bench.cpu_time(proxy, "plain"), proxies)
        return [large / small for small, large in zip(few, many)]


def reload_delays(bench):
    """Milliseconds above the median that the slowest request took while prices were reloaded,
    and the same for as long a time before, when nothing was."""
    with contextlib.ExitStack() as stack:
        home = bench.home("reload")
        server, port, key = servers.start_catraca(
            stack, home, bench.proxy_cores, bench.origin.port, clients=MANY_CLIENTS
        )
        prices = home / "catraca/pricing/plain.yaml"
        before, during = [], []
        for number in range(1, bench.options.rounds + 1):
            quiet = watch(port, key, lambda: time.sleep(WATCH_SECONDS))
            # A comment is an edit too, and leaves the price book as it was but for its revision.
            prices.write_text(f"{prices.read_text()}\n# edit {number}\n")
            busy = watch(port, key, lambda: reload(server))
            usual = statistics.median(quiet)
            before.append((max(quiet) - usual) * 1000)
            during.append((max(busy) - usual) * 1000)
        return before, during


def reload(server):
    """Ends a little after a reload."""
    before = server.output_size
    server.reload()

    def is_done(output):
        end = re.search(r'"event":"configuration_(reloaded|refused)"', output)
        if end and end[1] == "refused":
            raise SystemExit(f"the edit was refused:\n{output}")
        return end

    server.wait_until(is_done, "doesn't reload", start=before)
    time.sleep(WATCH_SECONDS / 4)


def watch(port, key, work):
    """The seconds that each request took, one after the other, while `work` was done."""
    durations, is_over = [], threading.Event()
    client = Client(port, key, connections=1)

    def send():
        body = scene.request(stream=False)
        while not is_over.is_set():
            durations.extend(client.run("/plain/v1/chat/completions", body, 10))

    with contextlib.closing(client):
        thread = threading.Thread(target=send)
        thread.start()
        try:
            work()
        finally:
            is_over.set()
            thread.join()
    return durations
