"""Layouts in words: what is not known is said so, and a choice is never explained by a guess."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from dynamo_lab.model.graphs import Value
from dynamo_lab.model.layouts.choices import LayoutChoice
from dynamo_lab.model.layouts.trial import Trial, WayTrial
from dynamo_lab.model.lowering import Buffer, LoopLine, Lowered, Lowering
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.fallback.layouts.layouts import layouts_html
from dynamo_lab.render.terminal.layouts.layouts import layouts_text
from dynamo_lab.view.layouts.layouts import LayoutsView, build
from dynamo_lab.view.layouts.reading import concats, convolutions, order_of
from dynamo_lab.view.layouts.words import astray
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
        WayTrial(name="compiled", difference=0.0, seconds=(1.0,) * 20),
        WayTrial(name="oneDNN Graph", groups=(("convolution", "relu"),) * 2, seconds=(1.0,) * 3),
        WayTrial(name="frozen", problem="RuntimeError: </script>."),
    )
    trial = Trial(title="Net", machine="a CPU", device="cpu", ways=ways)
    return build(trial, {"compiled": replace(facts, layout_choices=(choice,))})


CHOSEN = LayoutChoice(graph=0, chosen=True, rule="oneDNN", convolutions=1)
SAID = LayoutChoice(graph=0, chosen=False, rule="said", said="too few", convolutions=1)
UNKNOWN = LayoutChoice(graph=0, chosen=False, rule="unknown", convolutions=1)


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
        (LayoutChoice(graph=0, chosen=False, rule="none"), "not chosen: there is no convolution"),
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
        "of 2 parts 1 is copied to the place in one buffer, the rest computed there."
    )


def test_a_name_of_a_buffer_is_of_its_own_graph() -> None:
    """Each graph counts its buffers from 0: the other one copies what this one writes in place."""
    first, second = recording(FIRST, LAST), recording(LAST, LAST)
    written = [replace(one, body=()) if one.name == "buf2" else one for one in second.buffers]
    moved = tuple(replace(one, id=one.id + 4, graph=1) for one in written)
    rows = tuple(
        replace(row, buffers=tuple(at + 4 for at in row.buffers))
        for row in second.lowerings[0].nodes
    )
    both = replace(
        first,
        graphs=(first.graphs[0], replace(second.graphs[0], id=1)),
        buffers=(*first.buffers, *moved),
        lowerings=(*first.lowerings, Lowering(graph=1, nodes=rows)),
    )
    assert [one.copied for one in concats(both)] == [1, 0]
    assert [one.given for one in convolutions(both)] == ["contiguous", "channels last"]


def test_a_convolution_of_three_dimensions_is_not_asked_for_channels_last() -> None:
    shape, stride = ("2", "3", "4", "4", "4"), ("192", "64", "16", "4", "1")
    (conv,) = convolutions(recording(stride, stride, shape))
    assert "over two dimensions alone" in astray(conv, CHOSEN)
    assert astray(conv, SAID) == ""


def test_a_choice_that_was_not_recorded_explains_nothing() -> None:
    facts = recording(FIRST, LAST)
    (conv,) = convolutions(facts)
    assert astray(conv, None) == "What was chosen for its graph is not known."


def test_hostile_text_is_text() -> None:
    view = shown(CHOSEN, recording(FIRST, LAST))
    assert "</script>" not in layouts_html(view)
    assert "<b>net" not in layouts_html(view)
    assert "</script>" in layouts_text(view)
    assert "<b>net" in layouts_text(view)
