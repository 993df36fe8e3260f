"""Input of the benchmark's servers: bodies, configurations, the script of the load."""

import base64
import contextlib
import hashlib
import json
import secrets
import shutil
import socket
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROVIDER_KEY_VARIABLE = "BENCHMARK_PROVIDER_KEY"

REQUEST_BYTES = 600
ANSWER_BYTES = 900
STREAM_EVENTS = 200
MAXIMAL_CONNECTIONS = 12_000
LOWEST_PORT = 10_000
PORT_ATTEMPTS = 100
MODEL = "gpt-4o-mini"
USAGE = {"prompt_tokens": 120, "completion_tokens": 180, "total_tokens": 300}


# Bodies


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def padded(value, holder, member, size):
    """The JSON of `value`, with enough text in one member to have `size` bytes."""
    holder[member] = "x" * (size - len(compact(value)))
    return compact(value)


def request(stream, model=MODEL):
    message = {"role": "user", "content": ""}
    body = {"model": model, "stream": stream, "temperature": 0.7, "messages": [message]}
    return padded(body, message, "content", REQUEST_BYTES)


def answer():
    message = {"role": "assistant", "content": "", "refusal": None}
    body = {
        "id": "chatcmpl-benchmark",
        "object": "chat.completion",
        "created": 1795348338,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": USAGE,
        "service_tier": "default",
    }
    return padded(body, message, "content", ANSWER_BYTES)


def stream():
    """As OpenAI streams when it is asked for usage: it is null but in the last chunk."""

    def event(choices, usage):
        chunk = {
            "id": "chatcmpl-benchmark",
            "object": "chat.completion.chunk",
            "created": 1795348338,
            "model": MODEL,
            "service_tier": "default",
            "choices": choices,
            "usage": usage,
        }
        return f"data: {compact(chunk)}\n\n"

    def piece(text):
        return [{"index": 0, "delta": {"content": text}, "logprobs": None, "finish_reason": None}]

    pieces = [event(piece(f" word{number}"), None) for number in range(STREAM_EVENTS - 2)]
    return "".join([*pieces, event([], USAGE), "data: [DONE]\n\n"])


# nginx


def nginx(home, http):
    """One process, nothing but what `http` says."""
    return f"""
daemon off;
master_process off;
pid {home}/pid;
error_log stderr;
events {{ worker_connections 32768; }}
http {{
  client_body_temp_path {home}/bodies;
  proxy_temp_path {home}/answers;
  fastcgi_temp_path {home}/fastcgi;
  uwsgi_temp_path {home}/uwsgi;
  scgi_temp_path {home}/scgi;
  keepalive_requests 1000000000;
  {http}
}}
"""


def origin(home, port):
    """/plain/v1/chat/completions gives the answer, /stream/v1/chat/completions the stream."""
    (home / "stream.txt").write_text(stream())
    return nginx(
        home,
        f"""
  access_log off;
  server {{
    listen 127.0.0.1:{port};
    location /plain/ {{
      default_type application/json;
      return 200 '{answer()}';
    }}
    location /stream/ {{
      # nginx serves files to GET alone: the error of a POST leads to the file.
      error_page 405 =200 /stream.txt;
      return 405;
    }}
    location = /stream.txt {{
      types {{}}
      default_type text/event-stream;
      root {home};
    }}
  }}""",
    )


def reverse_proxy(home, port, origin_port):
    return nginx(
        home,
        f"""
  access_log {home}/access.log;
  upstream origin {{
    server 127.0.0.1:{origin_port};
    keepalive 64;
    keepalive_requests 1000000000;
  }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://origin;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }}
  }}""",
    )


# HAProxy


def haproxy(home, port, origin_port):
    return f"""
global
  nbthread 1
defaults
  mode http
  timeout connect 10s
  timeout client 75s
  timeout server 600s
  http-reuse always
listen proxy
  bind 127.0.0.1:{port}
  server origin 127.0.0.1:{origin_port}
"""


# Catraca


def write_catraca_configuration(folder, origin_port, clients=1, keys=1):
    """Clients with this number of keys each and a hard budget that nothing exhausts.

    Returns the folder, and a key of one of them.
    """
    folder.mkdir()
    shutil.copytree(REPOSITORY / "config/pricing", folder / "pricing")
    secret = base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()
    key = f"sk-ctr-{secret}"
    # A model's provider is found by the path here; both have OpenAI's prices.
    prices = (folder / "pricing/openai.yaml").read_text()
    names = ["plain", "stream"]
    for name in names:
        changed = prices.replace("provider: openai", f"provider: {name}", 1)
        (folder / f"pricing/{name}.yaml").write_text(changed)
    settings = {
        "proxy": {"listen": ["127.0.0.1:0"]},
        "admin": {"listen": ["127.0.0.1:0"]},
        "providers": {
            name: {
                "base_url": f"http://127.0.0.1:{origin_port}/{name}/v1",
                "api_key_env": PROVIDER_KEY_VARIABLE,
            }
            for name in names
        },
        "pricing": [f"pricing/{name}.yaml" for name in names],
        "limits": {
            "connections": MAXIMAL_CONNECTIONS,
            "connections_per_key": MAXIMAL_CONNECTIONS,
        },
        "ledger": {"url": f"sqlite:{folder}/ledger.db", "durability": "process"},
    }
    budget = {"mode": "both", "tokens": 2**53, "cost": "1000000000", "period": "total"}
    digest = hashlib.sha256(key.encode()).hexdigest()
    client = {"keys": [{"name": "load", "sha256": digest}], "budgets": [budget]}
    # JSON is YAML too.
    (folder / "catraca.yaml").write_text(json.dumps(settings))
    others = {
        f"client-{number}": {
            "keys": [idle_key(number, key_number) for key_number in range(keys)],
            "budgets": [budget],
        }
        for number in range(1, clients)
    }
    (folder / "clients.yaml").write_text(
        json.dumps({"clients": {**others, "benchmark": client}}, indent=1)
    )
    return folder, key


def idle_key(client, number):
    digest = hashlib.sha256(b"%d %d" % (client, number)).hexdigest()
    return {"name": f"key-{number}", "sha256": digest}


# The load


def wrk_script(body, key, pause_milliseconds=0):
    """Posts a body; with a pause of that length on average before each request of a connection."""
    pause = f"""
function delay()
  return math.random(0, {2 * pause_milliseconds})
end
"""
    return f"""{pause if pause_milliseconds else ""}
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer {key}"
wrk.body = [==[{body}]==]
done = function(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format("answered %d failed %d", summary.requests, failed))
  print(string.format("p99 %d", latency:percentile(99)))
end
"""


# Ports


def free_port():
    """A port that no connection gets by chance before its server listens."""
    span = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    candidates = range(LOWEST_PORT, max(int(span[0]), LOWEST_PORT + 1))
    for _ in range(PORT_ATTEMPTS):
        port = candidates[secrets.randbelow(len(candidates))]
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise SystemExit("no port is free")


def accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
