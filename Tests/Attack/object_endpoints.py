"""The endpoints of providers by which objects are made, read, changed, and ended.

From the resources of openai-python 3.57.0 and from openai-openapi 2.3.0, not from the tables of the
sources: what stands in neither of the two tables would be found by neither.
"""

from dataclasses import dataclass

from belongings import CHAT, EVAL, RESPONSE, UPLOAD, file_of, lines_of
from callers import Form


@dataclass(frozen=True)
class Endpoint:
    method: str
    path: str
    """Below `/v1`. Each `{kind}` is what `belongings.MAKERS` makes under this name."""
    body: object = None
    """The body of a good request, or a function of the objects in the path that returns it."""
    needs: tuple = ()
    """Kinds that its body names, beside those in the path."""

    def __str__(self):
        return f"{self.method} {self.path}"

    @property
    def kinds(self):
        """The kinds of the objects in its path, from the left."""
        segments = self.path.split("/")
        return [part[1:-1] for part in segments if part.startswith("{")]

    @property
    def shape(self):
        """The endpoint with all ids alike."""
        segments = self.path.split("/")
        alike = ["{}" if part.startswith("{") else part for part in segments]
        return self.method, "/".join(alike)

    def body_for(self, made):
        return self.body(made) if callable(self.body) else self.body


METADATA = {"metadata": {"a": "b"}}


def endpoints(table, body=None):
    return [Endpoint(*line.split(), body) for line in table.strip().splitlines()]


NAMING = [
    *endpoints(
        """
        GET /files/{file}
        GET /files/{file}/content
        DELETE /files/{file}
        POST /uploads/{upload}/cancel
        GET /batches/{batch}
        POST /batches/{batch}/cancel
        GET /responses/{response}
        DELETE /responses/{response}
        POST /responses/{response}/cancel
        GET /responses/{response}/input_items
        GET /chat/completions/{completion}
        GET /chat/completions/{completion}/messages
        DELETE /chat/completions/{completion}
        GET /conversations/{conversation}
        DELETE /conversations/{conversation}
        GET /conversations/{conversation}/items
        GET /conversations/{conversation}/items/{item}
        DELETE /conversations/{conversation}/items/{item}
        GET /containers/{container}
        DELETE /containers/{container}
        GET /containers/{tool_container}
        GET /containers/{container}/files
        GET /containers/{container}/files/{container_file}
        GET /containers/{container}/files/{container_file}/content
        DELETE /containers/{container}/files/{container_file}
        GET /vector_stores/{vector_store}
        DELETE /vector_stores/{vector_store}
        GET /vector_stores/{vector_store}/files
        GET /vector_stores/{vector_store}/files/{vector_store_file}
        GET /vector_stores/{vector_store}/files/{vector_store_file}/content
        DELETE /vector_stores/{vector_store}/files/{vector_store_file}
        GET /vector_stores/{vector_store}/file_batches/{file_batch}
        GET /vector_stores/{vector_store}/file_batches/{file_batch}/files
        POST /vector_stores/{vector_store}/file_batches/{file_batch}/cancel
        GET /skills/{skill}
        GET /skills/{skill}/content
        DELETE /skills/{skill}
        GET /skills/{skill}/versions
        GET /skills/{skill}/versions/{version}
        GET /skills/{skill}/versions/{version}/content
        DELETE /skills/{skill}/versions/{version}
        GET /fine_tuning/jobs/{job}
        GET /fine_tuning/jobs/{job}/events
        GET /fine_tuning/jobs/{job}/checkpoints
        POST /fine_tuning/jobs/{job}/cancel
        POST /fine_tuning/jobs/{job}/pause
        POST /fine_tuning/jobs/{job}/resume
        GET /evals/{eval}
        DELETE /evals/{eval}
        GET /evals/{eval}/runs
        GET /evals/{eval}/runs/{run}
        POST /evals/{eval}/runs/{run}/cancel
        DELETE /evals/{eval}/runs/{run}
        GET /evals/{eval}/runs/{run}/output_items
        GET /evals/{eval}/runs/{run}/output_items/{output_item}
        GET /videos/characters/{character}
        GET /videos/{video}
        GET /videos/{video}/content
        DELETE /videos/{video}
        """
    ),
    *endpoints(
        """
        POST /chat/completions/{completion}
        POST /conversations/{conversation}
        """,
        METADATA,
    ),
    Endpoint("POST", "/uploads/{upload}/parts", lambda made: Form(data=b"x")),
    Endpoint(
        "POST", "/uploads/{upload}/complete", lambda made: {"part_ids": [made["part"]]}, ("part",)
    ),
    Endpoint("POST", "/conversations/{conversation}/items", {"items": [{"content": "x"}]}),
    Endpoint("POST", "/containers/{container}/files", lambda made: Form(file=b"x")),
    Endpoint("POST", "/vector_stores/{vector_store}", {"name": "y"}),
    Endpoint("POST", "/vector_stores/{vector_store}/search", {"query": "x"}),
    Endpoint(
        "POST",
        "/vector_stores/{vector_store}/files",
        lambda made: {"file_id": made["file"]},
        ("file",),
    ),
    Endpoint(
        "POST", "/vector_stores/{vector_store}/files/{vector_store_file}", {"attributes": {"a": 1}}
    ),
    Endpoint(
        "POST",
        "/vector_stores/{vector_store}/file_batches",
        lambda made: {"file_ids": [made["file"]]},
        ("file",),
    ),
    Endpoint("POST", "/skills/{skill}", {"default_version": "1"}),
    Endpoint("POST", "/skills/{skill}/versions", lambda made: Form(files=b"x")),
    Endpoint("POST", "/evals/{eval}", {"name": "y"}),
    Endpoint("POST", "/evals/{eval}/runs", {"name": "y"}),
    Endpoint("POST", "/videos/{video}/remix", {"prompt": "x"}),
    # A model of a client's own; the list of models is Catraca's.
    Endpoint("DELETE", "/models/{model}", None, ("job",)),
]
"""Those whose path names an object."""

LISTS = {
    "/files": "file",
    "/batches": "batch",
    "/chat/completions": "completion",
    "/containers": "container",
    "/vector_stores": "vector_store",
    "/skills": "skill",
    "/fine_tuning/jobs": "job",
    "/evals": "eval",
    "/videos": "video",
}
"""The lists of everything in the account, and the kind that each shows."""

MAKING = [
    Endpoint("POST", "/files", lambda made: file_of("user_data")()),
    Endpoint("POST", "/uploads", UPLOAD),
    Endpoint("POST", "/batches", None, ("file",)),
    Endpoint("POST", "/responses", RESPONSE),
    Endpoint("POST", "/responses/compact", {"model": "gpt-5-mini", "input": "x"}),
    Endpoint("POST", "/responses/input_tokens", {"model": "gpt-5-mini", "input": "x"}),
    Endpoint("POST", "/chat/completions", CHAT),
    Endpoint("POST", "/conversations", {}),
    Endpoint("POST", "/containers", {"name": "x"}),
    Endpoint("POST", "/vector_stores", {"name": "x"}),
    Endpoint("POST", "/skills", lambda made: Form(files=b"x")),
    Endpoint("POST", "/fine_tuning/jobs", None, ("file",)),
    Endpoint("POST", "/evals", EVAL),
    Endpoint("POST", "/videos", {"prompt": "x"}),
    Endpoint("POST", "/videos/edits", None, ("video",)),
    Endpoint("POST", "/videos/extensions", None, ("video",)),
    Endpoint("POST", "/videos/characters", {"name": "x"}),
]
"""Those that make objects or refer to them in their bodies alone."""

ALL = [*NAMING, *MAKING, *(Endpoint("GET", path) for path in LISTS)]

NEVER_PASS = endpoints(
    """
    POST /realtime/calls
    POST /realtime/calls/rtc_1/accept
    POST /realtime/calls/rtc_1/hangup
    POST /realtime/client_secrets
    POST /realtime/sessions
    POST /realtime/transcription_sessions
    POST /live/sessions
    POST /live/sessions/live_1/accept
    GET /live/sessions/live_1/content
    POST /chatkit/sessions
    GET /chatkit/threads
    GET /chatkit/threads/cthr_1
    DELETE /chatkit/threads/cthr_1
    POST /agents
    GET /agents
    POST /agents/sessions
    GET /agents/environments
    GET /vaults
    POST /assistants
    GET /assistants
    POST /threads
    POST /threads/runs
    GET /threads/thread_1/messages
    GET /webhook_endpoints
    POST /webhook_endpoints
    GET /safety/alerts/a
    GET /organization/projects
    GET /organization/usage/completions
    GET /projects/p/api_keys
    POST /fine_tuning/checkpoints/ft:gpt-4o-mini:org::1/permissions
    GET /fine_tuning/checkpoints/ft:gpt-4o-mini:org::1/permissions
    DELETE /fine_tuning/checkpoints/ft:gpt-4o-mini:org::1/permissions/cp_1
    POST /fine_tuning/alpha/graders/run
    POST /fine_tuning/alpha/graders/validate
    POST /audio/voices
    DELETE /audio/voices/voice_1
    POST /audio/voice_consents
    GET /audio/voice_consents
    POST /fine_tunings
    GET /fine_tunings
    """
)
"""Those of the account as a whole, and those that Catraca knows no owner of."""
