"""The places of bodies and queries that name an object, from the types of openai-python 3.57.0."""

from dataclasses import dataclass

from belongings import CHAT, MESSAGE, RESPONSE, lines_of
from callers import Form


@dataclass(frozen=True)
class Place:
    name: str
    kind: str
    """As `belongings.MAKERS` has it."""
    method: str
    path: str
    """Below `/v1`; each `{kind}` is the caller's own."""
    body: object
    """A function of an id that returns a body, in which `PROMPT` stands for the caller's prompt."""
    needs: tuple = ()

    def __str__(self):
        return self.name


def response(name, kind, members):
    """A place of a response: in the request itself, and wherever else one is asked for."""
    return Place(name, kind, "POST", "/responses", lambda id: {**RESPONSE, **members(id)})


def in_item(name, kind, item):
    return response(f"input[] {name}", kind, lambda id: {"input": [MESSAGE, item(id)]})


def in_part(name, kind, part):
    """A place of a message's content."""

    def item(id):
        return {**MESSAGE, "content": [{"type": "input_text", "text": "x"}, part(id)]}

    return in_item(f"content[] {name}", kind, item)


def in_tool(name, kind, tool):
    return response(f"tools[] {name}", kind, lambda id: {"tools": [tool(id)]})


def output_of(type, content):
    """The output of a call, which an app sends."""
    return {"type": type, "call_id": "c1", "output": content}


def file_part(id):
    return {"type": "input_file", "file_id": id}


def image_part(id):
    return {"type": "input_image", "file_id": id, "detail": "auto"}


def screenshot(id):
    return output_of("computer_call_output", {"type": "computer_screenshot", "file_id": id})


def interpreter(id):
    return {"type": "code_interpreter", "container": id}


def interpreter_with_files(id):
    return {"type": "code_interpreter", "container": {"type": "auto", "file_ids": [id]}}


def interpreter_call(id):
    call = {"type": "code_interpreter_call", "status": "completed"}
    return {**call, "code": "1", "outputs": None, "container_id": id}


def shell(**environment):
    return {"type": "shell", "environment": environment}


def shell_in(id):
    return shell(type="container_reference", container_id=id)


def shell_with_files(id):
    return shell(type="container_auto", file_ids=[id])


def shell_with_skills(id):
    skills = [{"type": "skill_reference", "skill_id": id}]
    return shell(type="container_auto", skills=skills)


def shell_call(id):
    call = {"type": "shell_call", "call_id": "c1", "status": "completed"}
    environment = {"type": "container_reference", "container_id": id}
    return {**call, "action": {"commands": ["ls"]}, "environment": environment}


def search(id):
    return {"type": "file_search", "vector_store_ids": [id]}


def picture(id):
    # The provider's own choice of a model has no price in batches.
    mask = {"file_id": id}
    return {"type": "image_generation", "model": "gpt-image-2", "input_image_mask": mask}


TOOLS = [
    ("file_search", "vector_store", search),
    ("code_interpreter.container", "container", interpreter),
    ("code_interpreter.container.file_ids", "file", interpreter_with_files),
    ("shell.environment.container_id", "container", shell_in),
    ("shell.environment.file_ids", "file", shell_with_files),
    ("shell.environment.skills", "skill", shell_with_skills),
    ("image_generation.input_image_mask", "file", picture),
]

PARTS = [("input_file", "file", file_part), ("input_image", "file", image_part)]

OUTPUTS = ["function_call_output", "custom_tool_call_output", "shell_call_output"]


def declaring(tool):
    return lambda id: {"type": "additional_tools", "role": "developer", "tools": [tool(id)]}


def found(tool):
    search = {"type": "tool_search_output", "call_id": "c1", "status": "completed"}
    return lambda id: {**search, "tools": [tool(id)]}


def in_namespace(tool):
    """Tools inside a tool."""
    namespace = {"type": "namespace", "name": "n", "description": "x"}
    return declaring(lambda id: {**namespace, "tools": [tool(id)]})


PROMPT = ("prompt",)


def with_prompt(part):
    return lambda id: {**RESPONSE, "prompt": {"id": "PROMPT", "variables": {"v": part(id)}}}


RESPONSES = [
    response("previous_response_id", "response", lambda id: {"previous_response_id": id}),
    response("conversation", "conversation", lambda id: {"conversation": id}),
    response("conversation.id", "conversation", lambda id: {"conversation": {"id": id}}),
    response("prompt.id", "prompt", lambda id: {"prompt": {"id": id}}),
    response(
        "comparison_response_id",
        "response",
        lambda id: {"prompt_cache_options": {"comparison_response_id": id}},
    ),
    *(
        Place(f"prompt.variables {name}", kind, "POST", "/responses", with_prompt(part), PROMPT)
        for name, kind, part in PARTS
    ),
    in_item("item_reference", "output", lambda id: {"type": "item_reference", "id": id}),
    in_item("id alone", "output", lambda id: {"id": id}),
    in_item("reasoning", "output", lambda id: {"type": "reasoning", "id": id, "summary": []}),
    in_item("item of a conversation", "lone_item", lambda id: {"type": "item_reference", "id": id}),
    in_item("computer_call_output", "file", screenshot),
    in_item("code_interpreter_call", "container", interpreter_call),
    in_item("shell_call", "container", shell_call),
    *(in_part(*part) for part in PARTS),
    *(
        in_item(f"{output} {name}", kind, lambda id, o=output, p=part: output_of(o, [p(id)]))
        for output in OUTPUTS
        for name, kind, part in PARTS
    ),
    *(in_tool(*tool) for tool in TOOLS),
    *(in_item(f"additional_tools {name}", k, declaring(tool)) for name, k, tool in TOOLS),
    *(in_item(f"tool_search_output {name}", k, found(tool)) for name, k, tool in TOOLS),
    *(in_item(f"namespace {name}", k, in_namespace(tool)) for name, k, tool in TOOLS),
]

SHORT = {"model": "gpt-5-mini", "input": "x"}

COUNTS = [
    Place(f"{path} {member}", kind, "POST", path, lambda id, m=member: {**SHORT, m: id})
    for path, member, kind in [
        ("/responses/input_tokens", "previous_response_id", "response"),
        ("/responses/input_tokens", "conversation", "conversation"),
        ("/responses/compact", "previous_response_id", "response"),
    ]
]


def message_with(part):
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}, part]}]}


def chat(name, kind, members):
    return Place(name, kind, "POST", "/chat/completions", lambda id: {**CHAT, **members(id)})


def chat_file(id):
    return message_with({"type": "file", "file": {"file_id": id}})


def earlier_sound(id):
    sound = {"role": "assistant", "audio": {"id": id}}
    return {"messages": [{"role": "user", "content": "x"}, sound]}


CHATS = [
    chat("messages[].content[].file.file_id", "file", chat_file),
    chat("messages[].audio.id", "sound", earlier_sound),
]


def posting(path, name, kind, body):
    return Place(f"{path} {name}", kind, "POST", path, body)


FREE = [
    posting("/uploads/{upload}/complete", "part_ids", "lone_part", lambda id: {"part_ids": [id]}),
    posting("/conversations", "items file", "file", lambda id: items_with(file_part(id))),
    posting(
        "/conversations/{conversation}/items", "file", "file", lambda id: items_with(file_part(id))
    ),
    posting("/containers", "file_ids", "file", lambda id: {"name": "x", "file_ids": [id]}),
    posting(
        "/containers",
        "skills",
        "skill",
        lambda id: {"name": "x", "skills": [{"type": "skill_reference", "skill_id": id}]},
    ),
    posting("/containers/{container}/files", "file_id", "file", lambda id: {"file_id": id}),
    posting("/containers/{container}/files", "form", "file", lambda id: Form(file_id=id)),
    posting("/vector_stores", "file_ids", "file", lambda id: {"file_ids": [id]}),
    posting("/vector_stores/{vector_store}/files", "file_id", "file", lambda id: {"file_id": id}),
    posting(
        "/vector_stores/{vector_store}/file_batches",
        "file_ids",
        "file",
        lambda id: {"file_ids": [id]},
    ),
    posting(
        "/vector_stores/{vector_store}/file_batches",
        "files",
        "file",
        lambda id: {"files": [{"file_id": id}]},
    ),
    posting(
        "/fine_tuning/jobs",
        "training_file",
        "file",
        lambda id: {"model": "gpt-4o-mini", "training_file": id},
    ),
    posting(
        "/evals/{eval}/runs",
        "source",
        "file",
        lambda id: {"data_source": {"type": "jsonl", "source": {"type": "file_id", "id": id}}},
    ),
    posting("/videos", "input_reference", "file", lambda id: {"input_reference": {"file_id": id}}),
    posting("/videos/edits", "video.id", "video", lambda id: {"video": {"id": id}}),
    posting("/videos/extensions", "video.id", "video", lambda id: {"video": {"id": id}}),
]


def items_with(part):
    return {"items": [{**MESSAGE, "content": [part]}]}


DATA = "data:image/png;base64,iVBORw0KGgo="
PICTURE = {"model": "gpt-image-1.5", "prompt": "x"}

IMAGES = [
    posting(
        "/images/edits",
        name,
        "file",
        lambda id, member=member: {**PICTURE, "images": [{"image_url": DATA}], **member(id)},
    )
    for name, member in [
        ("images", lambda id: {"images": [{"file_id": id}]}),
        ("mask", lambda id: {"mask": {"file_id": id}}),
    ]
]

ALL = [*RESPONSES, *COUNTS, *CHATS, *IMAGES, *FREE]

BATCHED = [*RESPONSES, *CHATS]
"""Those that a line of a batch may have, too."""


def batch_input(place, id):
    """The content of a batch's file, whose second line names the object."""
    plain = RESPONSE if place.path == "/responses" else CHAT
    return lines_of(plain, place.body(id), url=f"/v1{place.path}")
