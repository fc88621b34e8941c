"""A program in several precisions, as rows."""

import pytest

from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.lowering import Lowered, Lowering, Why
from dynamo_lab.model.precision.trial import ModuleError, Operator, Trial, Way
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.fallback.precision.precision import trial_html
from dynamo_lab.render.terminal.precision.precision import trial_text
from dynamo_lab.view.precision.trial import REUSED, SAME, bits_lost, trial_view, units
from tests.view.samples.table import Table, graph


def product(dtype: str, line: int = 3) -> Operator:
    return Operator(name="aten::mm", dtype=dtype, file="/home/me/model.py", line=line, bytes=64)


HIGHEST = Way(
    name="highest",
    dtype="float32",
    operators=(product("float32"),),
    errors=(
        ModuleError(module="up", median=1.5, largest=9.0),
        ModuleError(module="", median=0.5, largest=2.0),
    ),
    seconds=(1.0,) * 20,
)


def test_a_precision_says_what_changed_and_on_which_line() -> None:
    cast = Way(name="autocast bf16", operators=(product("bfloat16"), product("bfloat16", line=4)))
    same = Way(name="high", same=True, operators=HIGHEST.operators, seconds=(0.5,) * 20)
    broken = Way(name="medium", error="no")
    rows = trial_view(Trial(device="cpu", ways=(HIGHEST, cast, same, broken)), {}).ways
    assert rows[0].told == ""
    assert rows[1].changed == (
        "model.py, line 3: aten::mm: float32 -> bfloat16",
        "model.py, line 4: aten::mm: only here, bfloat16",
    )
    assert (rows[1].error, rows[1].written, rows[1].told) == ("", "128 B", "")
    assert rows[2].changed == ()
    assert rows[2].told.startswith(f"{SAME} Compiled: 2.000 times faster")
    assert rows[3].told == "It raised an error: no"


def test_modules_have_an_error_for_each_precision_that_ran() -> None:
    modules = trial_view(
        Trial(device="cpu", ways=(HIGHEST, Way(name="high", error="no"))), {}
    ).modules
    assert [(row.module, row.errors) for row in modules] == [
        ("up", ("1.5", "")),
        ("the whole program", ("0.5", "")),
    ]


def test_units_have_the_digits_that_they_support() -> None:
    assert [units(value) for value in (0.0, 0.52, 12.3, 123456.0)] == [
        "0.0",
        "0.5",
        "12",
        "120,000",
    ]


def recorded(*kernels: str) -> Recording:
    """A product in module "up" and a sine in "<b>down", each with a kernel; the sine falls back."""
    table = Table()
    x = table.input("x")
    product = table.node("mm", "aten.mm.default", x, x, module="up")
    sine = table.node("sin", "aten.sin.default", product, module="<b>down")
    table.output(sine)
    why = Why(cause="unsupported")
    rows = (
        Lowered(node=product, outcome="extern"),
        Lowered(node=sine, outcome="fallback", why=why),
    )
    return Recording(
        title="net",
        graphs=(graph(0, table, "post_grad"),),
        kernels=tuple(
            Kernel(id=at, name=name, language="cpp", graph=0, wrapper=None, nodes=(node,))
            for at, (name, node) in enumerate(zip(kernels, (product, sine), strict=True))
        ),
        lowerings=(Lowering(graph=0, nodes=rows),),
    )


CAST = Way(
    name="autocast bf16",
    errors=(ModuleError(module="", median=32768.0, largest=65536.0),),
    kernels=("a", "b"),
    peak=2048,
    seconds=(0.5,) * 20,
)


def test_kernels_are_compared_where_they_are_and_without_their_numbers() -> None:
    both = {"highest": recorded("mm_0", "sin_1"), "autocast bf16": recorded("mm_7", "sin_cast_1")}
    view = trial_view(Trial(device="cpu", ways=(HIGHEST, CAST)), both)
    first, cast = view.ways
    assert (first.lines, first.lost, first.slow) == ((), 0.0, 1.0)
    (line,) = cast.lines
    assert (line.where, line.before, line.after) == ("<b>down", ("sin",), ("sin_cast",))
    assert (cast.kernels, cast.peak, cast.slow) == ("2", "2 kB", 0.5)
    assert cast.lost == pytest.approx(16 / 24)
    assert cast.alone == ()
    (alone,) = first.alone
    assert alone.startswith("<b>down: aten.sin.default: Inductor generates no code for tensors of")
    assert "<b>down" not in trial_html(view)
    assert "<b>down: sin -> sin_cast" in trial_text(view)


def test_what_was_not_compiled_is_told() -> None:
    reused = Way(name="high", reused=True)
    refused = Way(name="medium", refused="RuntimeError: no")
    rows = trial_view(Trial(device="cpu", ways=(HIGHEST, reused, refused)), {}).ways
    assert rows[1].told == REUSED
    assert rows[2].told == "It cannot be compiled: RuntimeError: no"
    assert (rows[1].kernels, rows[1].peak, rows[1].lost, rows[1].slow) == ("", "", None, None)


@pytest.mark.parametrize(
    ("units_off", "bits"), [(0.0, 0), (0.5, 0), (1.0, 1), (32768.0, 16), (2.0**40, 24)]
)
def test_an_error_in_bits(units_off: float, bits: int) -> None:
    assert bits_lost(units_off) == pytest.approx(bits / 24)
