"""The answers of a provider to requests that it refuses."""


class Fault(Exception):
    """A refusal: a status and the JSON object of its answer."""

    def __init__(self, status, message, parameter=None, code=None):
        super().__init__(message)
        self.status = status
        error = {"message": message, "type": "invalid_request_error"}
        self.value = {"error": {**error, "param": parameter, "code": code}}


NOT_FOUND = {
    "file": "No such File object: {}",
    "upload": "Upload with id '{}' not found.",
    "part": "Upload with id '{}' not found.",
    "batch": "No batch found with id '{}'.",
    "response": "Response with id '{}' not found.",
    "item": "Item with id '{}' not found.",
    "completion": "Chat completion with id '{}' not found.",
    "audio": "Chat completion with id '{}' not found.",
    "conversation": "Conversation with id '{}' not found.",
    "container": "Container with id '{}' not found.",
    "container file": "Container file with id '{}' not found.",
    "vector store": "Vector store with id '{}' not found.",
    "vector store file": "No file found with id '{}' in the vector store.",
    "file batch": "No file batch found with id '{}'.",
    "skill": "Skill with id '{}' not found.",
    "version": "Version '{}' not found.",
    "prompt": "Prompt with id '{}' not found.",
    "job": "Could not find fine tune: {}",
    "eval": "Eval with id '{}' not found.",
    "run": "No run found with id '{}'.",
    "output item": "No output item found with id '{}'.",
    "video": "Video with id '{}' not found.",
    "character": "Video with id '{}' not found.",
}
"""A provider's message about an id that it doesn't know, by kind."""


def unknown(kind, id, place=None):
    """The refusal of a request that names an object which the account doesn't have."""
    if place == "previous_response_id":
        message = f"Previous response with id '{id}' not found."
        return Fault(400, message, place, "previous_response_not_found")
    if kind == "model":
        message = f"The model `{id}` does not exist or you do not have access to it."
        return Fault(404, message, code="model_not_found")
    is_file_in_path = kind == "file" and place is None
    return Fault(404, NOT_FOUND[kind].format(id), "id" if is_file_in_path else place)
