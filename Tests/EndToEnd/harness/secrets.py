"""Secrets, which must be in nothing that a server writes."""

import re

# Every key and token that Catraca makes, or that tests make in its form.
OWN_SECRET = re.compile(rb"(?:sk|adm)-ctr-[A-Za-z0-9_-]{43}")
ANNOUNCEMENT = b"admin token, shown this once: "
SECRET_VARIABLES = ("KEY", "SECRET", "PASSWORD")


class Secrets:
    """The secrets among the variables of a server's environment."""

    def __init__(self, environment):
        self._given = {
            name: value.encode()
            for name, value in environment.items()
            if name.endswith(SECRET_VARIABLES)
        }

    def assert_absent(self, place, content):
        for name, value in self._given.items():
            assert value not in content, f"{name} is in {place}"

    def assert_absent_in_records(self, place, content):
        """Nor is there any key or token of Catraca's own form, whoever made it."""
        self.assert_absent(place, content)
        found = OWN_SECRET.search(content)
        assert not found, f"{found.group()[:11].decode()}… is in {place}"


def without_announcement(complaints):
    """The output of a process on stderr, but for the token that a first start shows."""
    lines = complaints.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith(ANNOUNCEMENT))
