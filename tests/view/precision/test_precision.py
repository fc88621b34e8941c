"""A program in several precisions, as rows."""

from dynamo_lab.model.precision.trial import ModuleError, Operator, Trial, Way
from dynamo_lab.view.precision.trial import SAME, trial_view, units


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
    rows = trial_view(Trial(device="cpu", ways=(HIGHEST, cast, same, broken))).ways
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
    modules = trial_view(Trial(device="cpu", ways=(HIGHEST, Way(name="high", error="no")))).modules
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
