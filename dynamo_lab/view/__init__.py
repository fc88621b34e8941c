"""What to show of a recording, neutral of how: pure functions from facts to views."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dynamo_lab.view.view import View as View
    from dynamo_lab.view.view import build as build


def __getattr__(name: str) -> Any:
    """The whole view, imported when it is first asked for: `import dynamo_lab` needs parts."""
    if name in ("View", "build"):
        from dynamo_lab.view import view

        return getattr(view, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
