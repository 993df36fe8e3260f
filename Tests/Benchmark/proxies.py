"""The proxies that are measured, as far as they are installed."""

import json
import os
import shutil
from pathlib import Path

import scene
import servers

# Where `envoy` and `litellm` are installed from PyPI, unless they are in the path.
TOOLS = scene.REPOSITORY / ".build/bench/bin"


class Proxy:
    """A server, its port, and what is sent to it."""

    # How many times as long as others it needs, so that all connections get answers.
    slowness = 1

    def __init__(self, server, port, key):
        self.server = server
        self.port = port
        self.key = key

    @property
    def name(self):
        return self.server.name if self.server else "origin"

    def path(self, provider):
        return f"/{provider}/v1/chat/completions"

    def body(self, provider):
        return scene.request(stream=provider == "stream")


class LiteLLMProxy(Proxy):
    """LiteLLM chooses by the model's name, not by the path."""

    slowness = 8

    def path(self, provider):
        return "/v1/chat/completions"

    def body(self, provider):
        return scene.request(stream=provider == "stream", model=provider)


def tool(name):
    """The program of that name, or nothing."""
    installed = TOOLS / name
    return str(installed) if installed.exists() else shutil.which(name)


OTHERS = ["haproxy", "envoy", "litellm"]


def start_others(stack, folder, cores, origin_port, key, wanted=OTHERS):
    """nginx, and those others that are wanted and installed."""

    def forwarding(home, port):
        return scene.reverse_proxy(home, port, origin_port)

    started = [Proxy(*servers.start_nginx(stack, "nginx", folder, cores, forwarding), key)]
    starts = {"haproxy": haproxy, "envoy": envoy, "litellm": litellm}
    for name in wanted:
        program = tool(name)
        if not program:
            print(f"{name} is not installed.")
            continue
        home = folder / name
        home.mkdir()
        started.append(starts[name](stack, program, home, cores, origin_port, key))
    return started


def haproxy(stack, program, home, cores, origin_port, key):
    port = scene.free_port()
    (home / "haproxy.cfg").write_text(scene.haproxy(home, port, origin_port))
    command = [program, "-db", "-f", str(home / "haproxy.cfg")]
    return Proxy(*servers.start_listening(stack, "haproxy", home, cores, command, port), key)


def envoy(stack, program, home, cores, origin_port, key):
    port = scene.free_port()
    (home / "envoy.json").write_text(json.dumps(envoy_configuration(port, origin_port)))
    command = [program, "--concurrency", "1", "--disable-hot-restart", "--log-level", "error"]
    command += ["-c", str(home / "envoy.json")]
    return Proxy(*servers.start_listening(stack, "envoy", home, cores, command, port), key)


def envoy_address(port):
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}


def envoy_configuration(port, origin_port):
    extensions = "type.googleapis.com/envoy.extensions.filters"
    router = {"@type": f"{extensions}.http.router.v3.Router"}
    route = {"match": {"prefix": "/"}, "route": {"cluster": "origin", "timeout": "600s"}}
    manager = {
        "@type": f"{extensions}.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "proxy",
        "http_filters": [{"name": "envoy.filters.http.router", "typed_config": router}],
        "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [route]}]},
    }
    limits = ["max_connections", "max_pending_requests", "max_requests"]
    endpoint = {"endpoint": {"address": envoy_address(origin_port)}}
    cluster = {
        "name": "origin",
        "circuit_breakers": {"thresholds": [dict.fromkeys(limits, 32768)]},
        "load_assignment": {
            "cluster_name": "origin",
            "endpoints": [{"lb_endpoints": [endpoint]}],
        },
    }
    filter_name = "envoy.filters.network.http_connection_manager"
    chain = {"filters": [{"name": filter_name, "typed_config": manager}]}
    listener = {"address": envoy_address(port), "filter_chains": [chain]}
    return {"static_resources": {"listeners": [listener], "clusters": [cluster]}}


def litellm(stack, program, home, cores, origin_port, key):
    """LiteLLM checks one key; it keeps no budgets and no ledger."""
    models = [
        {
            "model_name": provider,
            "litellm_params": {
                "model": f"openai/{scene.MODEL}",
                "api_base": f"http://127.0.0.1:{origin_port}/{provider}/v1",
                "api_key": "sk-of-the-provider",
            },
        }
        for provider in ["plain", "stream"]
    ]
    settings = {"model_list": models, "general_settings": {"master_key": key}}
    (home / "litellm.yaml").write_text(json.dumps(settings))
    port = scene.free_port()
    command = [program, "--config", str(home / "litellm.yaml"), "--host", "127.0.0.1"]
    command += ["--port", str(port), "--num_workers", "1", "--telemetry", "False"]
    environment = {
        # Its list of prices comes with the package, rather than from the network.
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_LOG": "ERROR",
        "PATH": f"{Path(program).parent}:{os.environ['PATH']}",
    }
    started = servers.start_listening(stack, "litellm", home, cores, command, port, environment)
    return LiteLLMProxy(*started, key)
