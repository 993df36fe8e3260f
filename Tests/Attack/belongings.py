"""How each kind of object is made by whoever has it."""

import json

from callers import Form

CHAT = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
CHAT |= {"max_completion_tokens": 5}
RESPONSE = {"model": "gpt-5-mini", "input": "Hello", "max_output_tokens": 5}
MESSAGE = {"type": "message", "role": "user", "content": "Hello"}
LINE = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions"}
LINE |= {"body": {**CHAT, "max_tokens": 5}}


def make(caller, *kinds):
    """Ids of new objects, by kind; an object in another one is made in the one before it."""
    made = {}
    for kind in kinds:
        made[kind] = MAKERS[kind](caller, made)
    return made


def posted(path, body=None, member="id"):
    """The maker of an object by one request; `{kind}` in the path is what was made before."""

    def maker(caller, made):
        content = body() if callable(body) else body
        value = caller.done("POST", path.format(**made), content)
        return value[member]

    return maker


def file_of(purpose, content=b"x"):
    return lambda: Form(purpose=purpose, file=content)


def lines_of(*bodies, url="/v1/chat/completions"):
    """The content of a batch's input."""
    lines = [{**LINE, "url": url, "custom_id": str(n), "body": b} for n, b in enumerate(bodies)]
    return "\n".join(map(json.dumps, lines)).encode()


def batch_of(caller, _):
    file = caller.done("POST", "/files", Form(purpose="batch", file=lines_of(LINE["body"])))
    body = {"input_file_id": file["id"], "endpoint": LINE["url"], "completion_window": "24h"}
    return caller.done("POST", "/batches", body)["id"]


def item_of(caller, made):
    return caller.done("GET", f"/conversations/{made['conversation']}/items")["data"][0]["id"]


def output_item_of(caller, made):
    path = f"/evals/{made['eval']}/runs/{made['run']}/output_items"
    return caller.done("GET", path)["data"][0]["id"]


def output_of_response(caller, _):
    return caller.done("POST", "/responses", RESPONSE)["output"][-1]["id"]


def container_of_tool(caller, _):
    """The container that a response's own call of the code interpreter has made."""
    tool = {"type": "code_interpreter", "container": {"type": "auto"}}
    answer = caller.done("POST", "/responses", {**RESPONSE, "tools": [tool]})
    return answer["output"][0]["container_id"]


def file_in_store(caller, made):
    file = make(caller, "file")["file"]
    caller.done("POST", f"/vector_stores/{made['vector_store']}/files", {"file_id": file})
    return file


def file_batch_of(caller, made):
    body = {"file_ids": [make(caller, "file")["file"]]}
    path = f"/vector_stores/{made['vector_store']}/file_batches"
    return caller.done("POST", path, body)["id"]


def job_of(caller, _):
    body = {"model": "gpt-4o-mini", "training_file": make(caller, "file")["file"]}
    return caller.done("POST", "/fine_tuning/jobs", body)["id"]


def model_of(caller, made):
    """A job shows its model once it has ended."""
    return caller.done("GET", f"/fine_tuning/jobs/{made['job']}")["fine_tuned_model"]


def sound_of(caller, _):
    body = {**CHAT, "model": "gpt-audio", "modalities": ["text", "audio"], "store": True}
    body["audio"] = {"voice": "alloy", "format": "wav"}
    answer = caller.done("POST", "/chat/completions", body)
    return answer["choices"][0]["message"]["audio"]["id"]


UPLOAD = {"purpose": "user_data", "filename": "x", "bytes": 1, "mime_type": "text/plain"}
EVAL = {"data_source_config": {"type": "custom", "item_schema": {}}, "testing_criteria": []}

MAKERS = {
    "file": posted("/files", file_of("user_data")),
    "upload": posted("/uploads", UPLOAD),
    "part": posted("/uploads/{upload}/parts", lambda: Form(data=b"x")),
    "batch": batch_of,
    "response": posted("/responses", RESPONSE),
    "output": output_of_response,
    "completion": posted("/chat/completions", {**CHAT, "store": True}),
    "sound": sound_of,
    "conversation": posted("/conversations", {"items": [MESSAGE]}),
    "item": item_of,
    "lone_item": lambda caller, _: make(caller, "conversation", "item")["item"],
    "lone_part": lambda caller, _: make(caller, "upload", "part")["part"],
    "prompt": lambda caller, _: caller.new_prompt(),
    "container": posted("/containers", {"name": "x"}),
    "tool_container": container_of_tool,
    "container_file": posted("/containers/{container}/files", lambda: Form(file=b"x")),
    "vector_store": posted("/vector_stores", {"name": "x"}),
    "vector_store_file": file_in_store,
    "file_batch": file_batch_of,
    "skill": posted("/skills", lambda: Form(files=b"x")),
    "version": posted("/skills/{skill}/versions", lambda: Form(files=b"x"), member="version"),
    "job": job_of,
    "model": model_of,
    "lone_model": lambda caller, _: make(caller, "job", "model")["model"],
    "eval": posted("/evals", EVAL),
    "run": posted("/evals/{eval}/runs", {"name": "x"}),
    "output_item": output_item_of,
    "video": posted("/videos", {"prompt": "x"}),
    "character": posted("/videos/characters", {"name": "x"}),
}

KINDS = {
    "part": "upload",
    "lone_part": "upload",
    "lone_item": "item",
    "output": "item",
    "sound": "completion",
    "container_file": "container",
    "tool_container": "container",
    "vector_store_file": "file",
    "file_batch": "vector_store",
    "job": "fine_tuning_job",
    "model": "fine_tuning_job",
    "lone_model": "fine_tuning_job",
    "run": "eval",
    "output_item": "eval",
    "character": "video",
}
"""The kind that the ledger has for an object, where its name isn't that."""
