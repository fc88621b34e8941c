"""A break in a library's code says whose code it is: in the headline, its advice, its finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.view import build
from dynamo_lab.view.breaks.libraries import library_at
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.findings.findings import found_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.model.recording import Recording

    Make = Callable[[str], Recording]

ROOT = "/x/lib/python3.11/site-packages"


def within(make: Make, path: str, *, is_called: bool) -> Recording:
    """The first break moved into a file, called by the reader's line or by no line of theirs."""
    made = make("branch_and_print")
    first = made.breaks[0]
    library = Source(path, "library", (Excerpt(12, "    if x.sum() > 0:"),))
    at = len(made.spans)
    stack = (first.span, at) if is_called else (at,)
    moved = replace(first, span=first.span if is_called else at, stack=len(made.stacks))
    return replace(
        made,
        sources=(*made.sources, library),
        spans=(*made.spans, Span(len(made.sources), 12, "scale")),
        stacks=(*made.stacks, stack),
        breaks=(moved,),
    )


@pytest.mark.parametrize(
    ("path", "library"),
    [
        (f"{ROOT}/einops/core.py", "the library `einops`"),
        ("einops/core.py", "the library `einops`"),
        (f"{ROOT}/six.py", "the library `six`"),
        ("C:\\py\\site-packages\\einops\\core.py", "the library `einops`"),
        ("copy.py", "Python's `copy`"),
        ("/usr/lib/python3.11/json/decoder.py", "Python's `json`"),
        (f"{ROOT}/torch/nn/functional.py", ""),
        ("torch/optim/adam.py", ""),
        (f"{ROOT}/IPython/core/interactiveshell.py", ""),  # what a notebook has for `open`
        ("<string>", ""),
    ],
)
def test_whose_code_a_file_is(make: Make, path: str, library: str) -> None:
    made = within(make, path, is_called=False)
    assert library_at((len(made.sources) - 1, 12), Places(made)) == library
    assert library_at((0, 2), Places(made)) == ""


def test_a_library_that_the_reader_calls_is_named(make: Make) -> None:
    made = within(make, f"{ROOT}/einops/core.py", is_called=True)
    view = build(made)
    assert "line 2, in the library `einops` (data-dependent branch)" in view.summary.sentence
    assert view.breaks[0].advice[0] == (
        "This is code of the library `einops`, not yours: what you can change is line 2, which "
        "calls it."
    )
    (found,) = [one.finding for one in found_of(made) if one.finding.question == "breaks"]
    assert "Line 2 breaks the graph in core.py:12 of the library `einops`, which it calls" in (
        found.sentence
    )
    assert "for example" not in found.code, "nobody is asked to rewrite a library"
    assert found.grade == "none"


def test_a_library_that_is_compiled_by_itself_is_named(make: Make) -> None:
    made = within(make, f"{ROOT}/einops/core.py", is_called=False)
    view = build(made)
    assert "core.py:12, in the library `einops` (data-dependent branch)" in view.summary.sentence
    assert "no line of yours in this frame leads there" in view.breaks[0].advice[0]
    (found,) = [one.finding for one in found_of(made) if one.finding.question == "breaks"]
    assert found.sentence.startswith("core.py:12 of the library `einops` breaks the graph")


def test_the_readers_own_break_has_no_library(make: Make) -> None:
    view = build(make("branch_and_print"))
    assert "library" not in view.summary.sentence
    assert not any("library" in text for one in view.breaks for text in one.advice)


BACKWARD = """\
class Loud(torch.autograd.Function):
    @staticmethod
    def backward(ctx, gradient):
        return told(gradient)
"""


def test_what_a_library_prints_in_a_backward_stays_the_librarys(make: Make) -> None:
    made = within(make, f"{ROOT}/einops/core.py", is_called=False)
    printed = next(one for one in make("branch_and_print").breaks if "print" in one.context)
    own, library = len(made.spans), made.stacks[-1]
    view = build(
        replace(
            made,
            sources=(*made.sources, Source("/home/a/loud.py", "user", (Excerpt(1, BACKWARD),))),
            spans=(*made.spans, Span(len(made.sources), 4, "backward")),
            stacks=(*made.stacks, (own, *library)),
            breaks=(replace(printed, id=0, span=own, stack=len(made.stacks)),),
        )
    )
    first, second, *others = view.breaks[0].advice
    assert first.startswith("This is code of the library `einops`, not yours")
    assert second.startswith("The `backward` of `Loud` runs it")
    assert not any(text.startswith("Move the call") for text in others)
