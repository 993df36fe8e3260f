"""A Stripe that we didn't write: localstripe, on loopback, with its state in a file of the test."""

import http.client
import json
import pickle
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

from .waiting import eventually

SECRET = "sk_test_catraca"

# It would listen on every interface, keep its state where all tests share it, and keep a thing when
# it is begun: killed then, it would list half of a payment for ever. Here a request is kept whole.
# It ignores keys of idempotency: here a call that is repeated gets the first answer again, as at
# Stripe.
PROGRAM = """
import os, pickle, socket, sys
from aiohttp import web
from localstripe.resources import Store, store
from localstripe.server import app
port, path = int(sys.argv[1]), sys.argv[2]
def keep(store):
    with open(path + ".new", "wb") as file:
        pickle.dump(store, file)
    os.replace(path + ".new", path)
if os.path.exists(path):
    with open(path, "rb") as file:
        dict.update(store, pickle.load(file))
answers = {}
if os.path.exists(path + ".answers"):
    with open(path + ".answers", "rb") as file:
        answers = pickle.load(file)
@web.middleware
async def answered_once(request, handler):
    key = request.headers.get("Idempotency-Key")
    if key not in answers:
        answer = await handler(request)
        if key is None:
            return answer
        answers[key] = answer.status, answer.body
        with open(path + ".answers.new", "wb") as file:
            pickle.dump(answers, file)
        os.replace(path + ".answers.new", path + ".answers")
    status, body = answers[key]
    return web.Response(status=status, body=body, content_type="application/json")
app.middlewares.insert(0, answered_once)
Store.dump_to_disk = keep
Store.__setitem__, Store.__delitem__ = dict.__setitem__, dict.__delitem__
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", port))
print(listener.getsockname()[1], flush=True)
web.run_app(app, sock=listener, print=None)
"""


class Stripe:
    """It may be killed and started again, with the state and address that it had."""

    def __init__(self, folder):
        self.state = folder / "stripe.pickle"
        self.log = folder / "stripe.log"
        self.port = 0
        self.process = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, str(self.port), str(self.state)],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self.port = int(self.process.stdout.readline())
        eventually(self.answers, "localstripe answers")
        return self

    def answers(self):
        try:
            return self.call("GET", "plans")["object"] == "list"
        except (OSError, http.client.HTTPException):
            return False

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    def call(self, method, path, **fields):
        data = urllib.parse.urlencode(fields).encode() if fields else None
        request = urllib.request.Request(f"{self.url}/v1/{path}", data=data, method=method)
        request.add_header("authorization", f"Bearer {SECRET}")
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def customer(self, card="4242424242424242"):
        """A customer who pays with a card; without one, who can't pay."""
        customer = self.call("POST", "customers", name="ACME Corp")["id"]
        if card:
            self.give_card(customer, card)
        return customer

    def give_card(self, customer, card="4242424242424242"):
        """A card that the customer pays with from now on."""
        method = self.call(
            "POST",
            "payment_methods",
            **{
                "type": "card",
                "card[number]": card,
                "card[exp_month]": "12",
                "card[exp_year]": "2030",
                "card[cvc]": "123",
            },
        )["id"]
        self.call("POST", f"payment_methods/{method}/attach", customer=customer)
        settings = {"invoice_settings[default_payment_method]": method}
        self.call("POST", f"customers/{customer}", **settings)

    def payments(self, status=None):
        """All payments, or those of a status."""
        payments, query = [], "limit=100"
        while True:
            page = self.call("GET", f"payment_intents?{query}")
            payments += page["data"]
            if not page["has_more"]:
                break
            query = f"limit=100&starting_after={page['data'][-1]['id']}"
        return [payment for payment in payments if status in (None, payment["status"])]

    def keys(self):
        """The keys of all calls that may be repeated, in the order in which they came."""
        with open(f"{self.state}.answers", "rb") as file:
            return list(pickle.load(file))
