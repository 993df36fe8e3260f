"""The output of a response: calls of the tools that it has, and a message."""


def output_items(account, response):
    """A call for each tool whose call leaves something at the provider, and a message."""
    tools = response.body.get("tools") or []
    items = [item for tool in tools if (item := call_of(account, tool))]
    items += [
        {"type": "web_search_call", "id": account.id("ws_"), "status": "completed"}
        for _ in range(response.work.calls)
    ]
    text = {"type": "output_text", "text": "xxxx", "annotations": []}
    message = {"type": "message", "id": account.id("msg_"), "role": "assistant"}
    return [*items, {**message, "status": "completed", "content": [text]}]


def call_of(account, tool):
    """The item of a call of a tool; none for tools that the app itself runs."""
    done = {"status": "completed"}
    match tool.get("type"):
        case "code_interpreter":
            call = {"type": "code_interpreter_call", "id": account.id("ci_"), **done}
            return {**call, "code": "1", "outputs": None, "container_id": container(account, tool)}
        case "shell":
            place = tool.get("environment") or {}
            if place.get("type") not in ("container_auto", "container_reference"):
                return None
            id = place.get("container_id") or container(account, {"container": place})
            call = {"type": "shell_call", "id": account.id("sh_"), "call_id": "c1", **done}
            environment = {"type": "container_reference", "container_id": id}
            return {**call, "action": {"commands": ["ls"]}, "environment": environment}
        case "image_generation":
            call = {"type": "image_generation_call", "id": account.id("ig_"), **done}
            return {**call, "result": "AAAA"}
    return None


def container(account, tool):
    """The container that a tool names, or a new one with a file in it."""
    named = tool.get("container")
    if isinstance(named, str):
        return named
    made = account.containers.make(named or {})
    account.containers.keep_file(made.id, b"made")
    return made.id
