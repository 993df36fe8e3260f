"""Every route of both listeners, read from the tables of the sources."""

import re

from .process import REPOSITORY

SOURCES = REPOSITORY / "Sources"
LIVE_EVENTS = ("GET", "/dashboard/events")
NAME = "main"
"""The text that stands for every name and id in a path."""


def filled(path):
    return re.sub(r"\{[^}]*\}|\*", NAME, path)


def api_routes(admin):
    """Those that the API's own document names."""
    paths = admin.done("GET", "/api/openapi.json")["paths"]
    return [(method.upper(), filled(path)) for path, calls in paths.items() for method in calls]


def provider_routes():
    """Those that are metered, and those that are free because they only keep objects."""
    text = _text("Metering")
    routes = re.findall(r'method: "([A-Z]+)", path: "([^"]+)"', text)
    routes += re.findall(r'\("([A-Z]+)", "(/v1[^"]*)"\)', text)
    entry = r'ObjectEndpoint\(\s*"([A-Z]+)", "(/v1[^"]*)"(?!, \.refused)'
    routes += re.findall(entry, _text("Objects"))
    assert len(routes) >= 22, routes
    return sorted({(method, filled(path)) for method, path in routes})


def page_routes():
    """The dashboard's and the widget's pages, their forms and files."""
    routes = [LIVE_EVENTS]
    for file in sorted((SOURCES / "Console").rglob("*.swift")):
        text = file.read_text()
        for method, path in re.findall(r"[ \[]PageRoute\(\s*\.(\w+), ([^,]+?),", text):
            routes.append((method.upper(), _path(path, text)))
        for path in re.findall(r"(?:SiteFiles\.| )file\(([^,:\s]+),", text):
            routes.append(("GET", _path(path, text)))
    assert len(routes) >= 40, routes
    return sorted({(method, filled(path)) for method, path in routes if path})


def _path(expression, text):
    """The path that an expression of Swift stands for; None for a function's own parameter."""
    first, _, rest = expression.partition(" + ")
    if not first.startswith('"'):
        name = first.removesuffix(".text")
        found = re.search(rf'let {name} = (?:PageAddress\()?"([^"]*)"', text)
        if not found and expression == "path":
            return None
        assert found, f"where is {expression} declared?"
        first = found[1]
    return first.strip('"') + rest.strip('"')


def _text(module):
    return "\n".join(file.read_text() for file in sorted((SOURCES / module).rglob("*.swift")))
