"""Why a compiled program is wrong, as script-free HTML."""

from collections.abc import Iterator

from dynamo_lab.render.markup import Markup, details, join, pre, prose, tag
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view import View
from dynamo_lab.view.bisections.bisections import BisectionView


def blocks(view: View) -> Iterator[Markup]:
    """The verdict, the parts, and each compilation."""
    found = view.bisection
    if found is None:
        return
    yield join(
        tag("p", tag("b", found.title), f" · {found.cost}"),
        tag("p", prose(shortened(found.sentence, 600))),
        *([pre(clipped(found.line, 400))] if found.line else []),
        *([tag("p", prose(shortened(found.because, 600)))] if _is_more(found) else []),
        *_culprits(found),
        *(tag("p", tag("small", shortened(note, 600))) for note in found.notes),
    )
    yield details("each compilation", pre(*(clipped(row, 300) for row in _trials(found))))


def _is_more(found: BisectionView) -> bool:
    return bool(found.because) and found.because != found.sentence


def _culprits(found: BisectionView) -> Iterator[Markup]:
    rows = [
        tag(
            "li",
            f"{one.kind} ",
            tag("b", shortened(one.name, 200)),
            f" {shortened(one.text or one.detail, 300)}",
        )
        for one in found.culprits
    ]
    if rows:
        yield tag("ul", *rows)


def _trials(found: BisectionView) -> Iterator[str]:
    for number, one in enumerate(found.trials, 1):
        fault = f"  {one.fault}" if one.fault else ""
        yield f"{number}. {one.what} ({one.backend}): {one.outcome}, {one.time}{fault}\n"
