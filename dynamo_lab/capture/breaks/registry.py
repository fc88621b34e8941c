"""PyTorch's own registry of graph breaks: the number of each kind, and the page about it."""

import functools

from dynamo_lab.capture.breaks import hooks

GRAPH_BREAK_SITE = "https://meta-pytorch.github.io/compile-graph-break-site/gb/"


@functools.cache
def _registry() -> dict[str, str]:
    return dict(hooks.REGISTRY.get()())


def registry_id(gb_type: str) -> str:
    """The number of a kind of break in the registry of the installed release: "GB0170"."""
    return _registry().get(gb_type, "")


def documentation_link(gb_type: str) -> str:
    """The page about a kind of break."""
    number = registry_id(gb_type)
    return f"{GRAPH_BREAK_SITE}gb{number.removeprefix('GB')}.html" if number else ""
