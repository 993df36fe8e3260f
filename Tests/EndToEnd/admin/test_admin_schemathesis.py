"""The API's description against the API itself: whatever it allows is answered as it says."""

import subprocess
import sys
from pathlib import Path

CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
]


def test_no_generated_request_breaks_the_server_or_the_description(admin, tmp_path):
    seed_names(admin)
    run = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"),
            "run",
            f"{admin.url}/api/openapi.json",
            "--header",
            f"Authorization: Bearer {admin.token}",
            "--checks",
            ",".join(CHECKS),
            "--phases",
            "coverage,fuzzing",
            "--max-examples",
            "5",
            "--seed",
            "1",
            "--no-color",
            "--no-shrink",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]


def seed_names(admin):
    """Things of the shortest names, so that some generated requests meet them."""
    admin.done("POST", "/api/admin/plans", {"name": "0"}, status=201)
    admin.done("POST", "/api/admin/clients", {"id": "0", "plan": "0"}, status=201)
    admin.done("POST", "/api/admin/clients/0/keys", {"name": "0"}, status=201)
    admin.done("POST", "/api/admin/budgets", {"client_id": "0", "name": "0", "tokens": 9}, 201)
