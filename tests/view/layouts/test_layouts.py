"""Layouts in words: what is not known is said so, and a choice is never explained by a guess."""

from __future__ import annotations

from typing import Any

import pytest

from dynamo_lab.model.graphs import Value
from dynamo_lab.model.layouts.trial import LayoutChoice, Trial, WayTrial
from dynamo_lab.model.lowering import Buffer, LoopLine, Lowered, Lowering
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.fallback.layouts.layouts import layouts_html
from dynamo_lab.render.terminal.layouts.layouts import layouts_text
from dynamo_lab.view.layouts.layouts import LayoutsView, build
from dynamo_lab.view.layouts.reading import order_of
from tests.view.samples.table import Table, graph

LAST, FIRST = ("768", "1", "48", "3"), ("768", "256", "16", "1")
SHAPE = ("2", "3", "16", "16")
MOVE = (LoopLine("ops.load()", "load"), LoopLine("ops.store()", "store"))


def recording(
    given: tuple[str, ...], made: tuple[str, ...], shape: tuple[str, ...] = SHAPE
) -> Recording:
    """A convolution whose input is copied, then a concatenation of its result and of a copy."""
    table = Table()
    x = table.input("x", Value(shape=shape, stride=given))
    weight = table.input("w", Value(shape=("3", "3", "1", "1")))
    conv = table.node("conv", "aten.convolution.default", x, weight, module="<b>net")
    cat = table.node("cat", "aten.cat.default", conv, conv)
    table.output(cat)
    common: dict[str, Any] = {"graph": 0, "shape": shape, "stride": made}
    buffers = (
        Buffer(
            id=0, name="buf0", kind="pointwise", form="Pointwise", bytes=6144, body=MOVE,
            reads=("x",), **common
        ),
        Buffer(
            id=1, name="buf1", kind="extern", form="ExternKernelAlloc",
            kernel="extern_kernels.convolution", reads=("buf0", "w"), **common,
        ),
        Buffer(
            id=2, name="buf2", kind="pointwise", form="Pointwise", of="buf3", body=MOVE, **common
        ),
        Buffer(
            id=3, name="buf3", kind="joined", form="ConcatKernel", reads=("buf1", "buf2"), **common
        ),
    )  # fmt: skip
    rows = (
        Lowered(node=conv, outcome="extern", form="ExternKernelAlloc", buffers=(0, 1)),
        Lowered(node=cat, outcome="realised", form="ConcatKernel", buffers=(2, 3)),
    )
    return Recording(
        title="net",
        graphs=(graph(0, table, "post_grad"),),
        buffers=buffers,
        lowerings=(Lowering(graph=0, nodes=rows),),
    )


def shown(choice: LayoutChoice, facts: Recording) -> LayoutsView:
    ways = (
        WayTrial(name="eager", seconds=(2.0,) * 20),
        WayTrial(name="compiled", choices=(choice,), difference=0.0, seconds=(1.0,) * 20),
        WayTrial(name="oneDNN Graph", groups=(("convolution", "relu"),) * 2, seconds=(1.0,) * 3),
        WayTrial(name="frozen", problem="RuntimeError: </script>."),
    )
    return build(Trial(title="Net", machine="a CPU", device="cpu", ways=ways), {"compiled": facts})


CHOSEN = LayoutChoice(chosen=True, rule="oneDNN", convolutions=1)
SAID = LayoutChoice(chosen=False, rule="said", said="too few", convolutions=1)
UNKNOWN = LayoutChoice(chosen=False, rule="unknown", convolutions=1)


@pytest.mark.parametrize(
    ("shape", "stride", "order"),
    [
        (SHAPE, LAST, "channels last"),
        (SHAPE, FIRST, "contiguous"),
        (("2", "1", "16", "16"), ("256", "256", "16", "1"), "either"),
        (("2", "8", "1", "1"), ("8", "1", "8", "8"), "either"),
        (SHAPE, ("1536", "512", "16", "1"), "other"),
        (("s0", "3", "16", "16"), LAST, "unknown"),
        (("2", "3"), ("3", "1"), "unknown"),
        (("2", "3", "8", "8", "8"), ("1536", "1", "192", "24", "3"), "channels last"),
    ],
)
def test_the_layout_of_a_tensor(
    shape: tuple[str, ...], stride: tuple[str, ...], order: str
) -> None:
    assert order_of(shape, stride) == order


def test_a_row_of_each_way() -> None:
    eager, compiled, joined, failed = shown(CHOSEN, recording(FIRST, LAST)).ways
    assert eager.told.startswith("2")
    assert "slower than compiled" in eager.told
    assert (compiled.told, compiled.difference, compiled.copied) == ("", "none", "6.1 kB")
    assert joined.facts == ("oneDNN Graph joined 2 x convolution + relu.",)
    assert (joined.told, joined.difference) == ("", "not known")
    assert (failed.time, failed.problem) == ("", "RuntimeError: </script>.")


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (CHOSEN, "is chosen for 1 convolution: all convolutions are on a CPU with oneDNN"),
        (SAID, 'is not chosen for 1 convolution. PyTorch: "too few".'),
        (UNKNOWN, "PyTorch gives no reason"),
        (LayoutChoice(chosen=False, rule="none"), "not chosen: there is no convolution"),
    ],
)
def test_a_choice_is_told_with_its_reason(choice: LayoutChoice, words: str) -> None:
    assert words in shown(choice, recording(FIRST, LAST)).ways[1].facts[0]


@pytest.mark.parametrize(
    ("choice", "given", "made", "told"),
    [
        (CHOSEN, FIRST, LAST, ""),
        (CHOSEN, FIRST, FIRST, "Not what was chosen: why is not known."),
        (SAID, FIRST, FIRST, ""),
        (SAID, LAST, LAST, "Not chosen: its input is in channels last already."),
        (SAID, FIRST, LAST, "Not what was chosen: why is not known."),
    ],
)
def test_a_layout_that_is_not_what_was_chosen_is_told(
    choice: LayoutChoice, given: tuple[str, ...], made: tuple[str, ...], told: str
) -> None:
    (row,) = shown(choice, recording(given, made)).ways[1].convolutions
    assert row.told == told
    assert row.copied == "6.1 kB"


def test_a_concatenation_tells_its_copies() -> None:
    facts = shown(CHOSEN, recording(FIRST, LAST)).ways[1].facts
    assert facts[1].endswith(
        "2 parts are written where they belong in one buffer, 1 of them by a copy."
    )


def test_hostile_text_is_text() -> None:
    view = shown(CHOSEN, recording(FIRST, LAST))
    assert "</script>" not in layouts_html(view)
    assert "<b>net" not in layouts_html(view)
    assert "</script>" in layouts_text(view)
    assert "<b>net" in layouts_text(view)
