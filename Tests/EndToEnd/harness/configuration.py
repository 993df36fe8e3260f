"""A configuration folder for one test."""

import base64
import copy
import hashlib
import json
import os
import secrets
import shutil
from pathlib import Path

from .process import REPOSITORY
from .secrets import Secrets

BRL_PER_USD = "5.40"


def new_key():
    """An app's key (article Clients and Keys), and the digest that is stored of it."""
    secret = base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()
    key = f"sk-ctr-{secret}"
    return key, hashlib.sha256(key.encode()).hexdigest()


class Configuration:
    """`catraca.yaml`, `clients.yaml` and the repository's price files.

    The files are written as JSON, which is YAML too, and put in place whole.
    """

    def __init__(self, folder, providers):
        self.folder = Path(folder)
        self.keys = {}
        shutil.copytree(REPOSITORY / "config/pricing", self.folder / "pricing")
        self.settings = {
            "proxy": {"listen": ["127.0.0.1:0"]},
            "admin": {"listen": ["127.0.0.1:0"]},
            "providers": providers,
            "pricing": ["pricing/openai.yaml", "pricing/groq.yaml"],
            "clients": "clients.yaml",
            "ledger": {},
            "currency": {"billing": "BRL", "per_usd": {"BRL": BRL_PER_USD}},
            "log": {"level": "debug", "format": "json"},
        }
        self.move_ledger(self.folder)
        self.clients = {"plans": {"free": {"display_name": "Free"}}, "default_plan": "free"}
        self.clients["clients"] = {}

    def move_ledger(self, folder):
        """Puts the ledger into a folder, and returns its path there."""
        self.ledger = folder / "ledger.db"
        self.settings["ledger"]["url"] = f"sqlite:{self.ledger}"
        return self.ledger

    def copy(self, folder):
        """The same in another folder; clients and keys stay common."""
        shutil.copytree(self.folder / "pricing", folder / "pricing")
        other = copy.copy(self)
        other.folder = folder
        other.settings = {**self.settings, "ledger": dict(self.settings["ledger"])}
        return other

    def add_client(self, name, budgets=(), **key_rules):
        """Declares a client with one key, and returns the key."""
        key, digest = new_key()
        self.clients["clients"][name] = {
            "name": name,
            "timezone": "America/Sao_Paulo",
            "keys": [{"name": "main", "sha256": digest, **key_rules}],
            "budgets": list(budgets),
        }
        self.keys[name] = key
        return key

    def price_file(self, provider):
        return self.folder / "pricing" / f"{provider}.yaml"

    def write(self):
        self.write_text("catraca.yaml", json.dumps(self.settings, indent=1))
        self.write_text("clients.yaml", json.dumps(self.clients, indent=1))

    def write_text(self, name, text):
        path = self.folder / name
        fresh = path.with_name(f".{path.name}.new")
        fresh.write_text(text)
        os.replace(fresh, path)


def sandbox_providers(url):
    return {
        "openai": {
            "base_url": f"{url}/v1",
            "api_key_env": "TEST_OPENAI_KEY",
            "on_disconnect": "cancel",
        },
        "groq": {
            "base_url": f"{url}/openai/v1",
            "api_key_env": "TEST_GROQ_KEY",
            "on_disconnect": "drain",
        },
    }


PROVIDER_KEYS = {"TEST_OPENAI_KEY": "sk-provider-oai1", "TEST_GROQ_KEY": "gsk-provider-grq1"}
PROVIDER_SECRETS = Secrets(PROVIDER_KEYS)
