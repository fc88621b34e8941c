"""Programs that `torch.export` refuses, each for one cause, and the same ones mended.

A source defines `record(lab)`, which catches what the export raises, and `export(**changed)`, the
export itself.
"""

from __future__ import annotations

import textwrap

from tests.findings.faults import Fault

_HEAD = """
import contextlib
import dataclasses
import torch
from torch.export import Dim

"""
_TAIL = """
def export(**changed):
    return torch.export.export(**{{**asked(), **changed}})

def record(lab):
    with lab.record() as recorder, contextlib.suppress(Exception):
        export()
    return recorder.recording
"""


def _program(forward: str, asked: str, *, before: str = "", init: str = "") -> str:
    made = f"    def __init__(self):\n        super().__init__()\n        {init}\n" if init else ""
    forward = textwrap.indent(textwrap.dedent(forward).strip("\n"), "    ")
    before = textwrap.dedent(before)
    module = f"class Model(torch.nn.Module):\n{made}{forward}\n"
    return f"{_HEAD}{before}\n{module}\ndef asked():\n    return dict(mod=Model(), {asked})\n" + (
        _TAIL.format()
    )


_ROWS = 'args=(torch.ones(4, 8),), dynamic_shapes={"x": {0: Dim("rows")}}'
_FIXED = """
def forward(self, x):
    y = x.relu()
    return y.view(4, 8)  # fault
"""
_SUM = """
def forward(self, x, y):
    return x + y  # fault
"""
_BOTH = "args=(torch.ones(4, 8), torch.ones(4, 8))"
_RANGE = """
def forward(self, x):
    if x.shape[0] > 5:  # fault
        return x + 1
    return x - 1
"""
_HALVES = """
def forward(self, x):
    return x.view(2, -1)  # fault
"""
_BRANCH = """
def forward(self, x):
    if x.sum() > 0:  # fault
        return x + 1
    return x - 1
"""
_NUMBER = """
def forward(self, x):
    count = x.max().item()
    if count > 3:  # fault
        return x + 1
    return x
"""
_NUMPY = """
def forward(self, x):
    array = x.detach().numpy()  # fault
    return torch.from_numpy(array) * 2
"""
_OPERATOR = """
library = torch.library.Library("{0}", "DEF")
library.define("twice(Tensor x) -> Tensor")
library.impl("twice", lambda x: x * 2, "CPU")
"""
_CALLS = """
def forward(self, x):
    return torch.ops.{0}.twice(x)  # fault
"""
_BOX = """
@dataclasses.dataclass
class Box:
    inner: torch.Tensor
"""
_OPENS = """
def forward(self, x):
    return x.inner + 1
"""
_BOXES = """
def forward(self, x):
    return Box(x + 1)
"""
_COUNTS = """
def forward(self, x):
    self.total = self.total + x.sum()  # fault
    return x + self.total
"""
_DISABLED = """
@torch.compiler.disable
def plain(x):
    return x + 1
"""
_USES = """
def forward(self, x):
    return plain(x) * 2  # fault
"""
_RAISES = """
def forward(self, x, y):
    kept = x[x > 0]
    if kept.numel() != y.numel():  # fault
        what = f"{y.numel()} numbers"
        raise ValueError(what)
    return kept + y
"""
_FINITE = """
def forward(self, x):
    if torch.isnan(x).any():  # fault
        raise ValueError("no number")
    return x + 1
"""
_X = "args=(torch.ones(4, 8),)"
_CALLED = "  # fault"


def _at_the_call(source: str) -> str:
    """The fault is the call of the export."""
    call = "    return torch.export.export(**{**asked(), **changed})"
    return source.replace(call, call + _CALLED)


FAULTS: dict[str, Fault] = {
    "constant": Fault("became-constant", _program(_FIXED, _ROWS)),
    "constant_strict": Fault("became-constant", _program(_FIXED, f"{_ROWS}, strict=True")),
    "constant_of_a_hint": Fault(
        "became-constant", _program(_FIXED, _X + ', dynamic_shapes={"x": {0: Dim.DYNAMIC}}')
    ),
    "constant_in_a_dict": Fault(
        "became-constant",
        _program(
            'def forward(self, x):\n    return x["a"].reshape(4, 8) + 1  # fault',
            'args=({"a": torch.ones(4, 8)},), dynamic_shapes={"x": {"a": {0: Dim("rows")}}}',
        ),
    ),
    "size_of_one": Fault(
        "became-constant",
        _at_the_call(
            _program(
                "def forward(self, x):\n    return x + 1",
                'args=(torch.ones(1, 8),), dynamic_shapes={"x": {0: Dim("rows")}}',
            )
        ),
    ),
    "example_outside": Fault(
        "example-outside",
        _at_the_call(
            _program(
                "def forward(self, x):\n    return x + 1",
                'args=(torch.ones(4, 8),), dynamic_shapes={"x": {1: Dim("columns", min=20)}}',
            )
        ),
    ),
    "equal": Fault(
        "must-be-equal",
        _program(_SUM, _BOTH + ', dynamic_shapes={"x": {0: Dim("a")}, "y": {0: Dim("b")}}'),
    ),
    "equal_strict": Fault(
        "must-be-equal",
        _program(_SUM, _BOTH + ', strict=True, dynamic_shapes=({0: Dim("a")}, {0: Dim("b")})'),
    ),
    "range": Fault("bounded", _program(_RANGE, _ROWS)),
    "halves": Fault("bounded", _program(_HALVES, _ROWS)),
    "branch": Fault("data-dependent", _program(_BRANCH, _X)),
    "raises_for_a_count": Fault(
        "data-dependent", _program(_RAISES, "args=(torch.tensor([1.0, -1.0, 2.0]), torch.ones(2))")
    ),
    "raises_for_values": Fault("data-dependent", _program(_FINITE, _X)),
    "branch_strict": Fault("data-dependent", _program(_BRANCH, f"{_X}, strict=True")),
    "number": Fault("data-dependent", _program(_NUMBER, "args=(torch.tensor([2, 5]),)")),
    "number_strict": Fault(
        "data-dependent", _program(_NUMBER, "args=(torch.tensor([2, 5]),), strict=True")
    ),
    "numpy": Fault("numpy-array", _program(_NUMPY, _X)),
    "operator": Fault(
        "unsupported-operator",
        _program(_CALLS.format("lab_a"), _X, before=_OPERATOR.format("lab_a")),
    ),
    "operator_strict": Fault(
        "unsupported-operator",
        _program(_CALLS.format("lab_b"), f"{_X}, strict=True", before=_OPERATOR.format("lab_b")),
    ),
    "input": Fault(
        "unknown-type",
        _at_the_call(_program(_OPENS, "args=(Box(torch.ones(4)),)", before=_BOX)),
    ),
    "result": Fault("unknown-type", _at_the_call(_program(_BOXES, _X, before=_BOX))),
    "disabled": Fault(
        "graph-break-in-export", _program(_USES, f"{_X}, strict=True", before=_DISABLED)
    ),
    "attribute": Fault(
        "assigned-attribute", _program(_COUNTS, _X, init="self.total = torch.zeros(())")
    ),
    "no_tuple": Fault(
        "arguments",
        _at_the_call(_program("def forward(self, x):\n    return x + 1", "args=[torch.ones(4)]")),
    ),
    "number_with_a_dim": Fault(
        "arguments",
        _at_the_call(
            _program(
                "def forward(self, x, n):\n    return x * n",
                'args=(torch.ones(4), 3), dynamic_shapes={"x": None, "n": Dim("n")}',
            )
        ),
    ),
    "raises": Fault(
        "not-exported",
        _program('def forward(self, x):\n    raise ValueError("not today")  # fault', _X),
    ),
}

CLEAN: dict[str, str] = {
    "open": _program("def forward(self, x):\n    return x.view(x.shape[0], 8)", _ROWS),
    "open_strict": _program(
        "def forward(self, x):\n    return x.view(-1, 8)", f"{_ROWS}, strict=True"
    ),
    "open_hint": _program(
        "def forward(self, x):\n    return x.view(-1, 8)",
        _X + ', dynamic_shapes={"x": {0: Dim.DYNAMIC}}',
    ),
    "one_dim": _program(
        """
        def forward(self, x, y):
            return x + y
        """,
        _BOTH + ', dynamic_shapes=({0: (rows := Dim("rows"))}, {0: rows})',
    ),
    "fixed": _program(_FIXED.replace("  # fault", ""), _X),
    "in_range": _program(
        _RANGE.replace("  # fault", ""),
        _X + ', dynamic_shapes={"x": {0: Dim("rows", max=5)}}',
    ),
    "where": _program(
        "def forward(self, x):\n    return torch.where(x.sum() > 0, x + 1, x - 1)", _X
    ),
    "cond": _program(
        """
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))
        """,
        _X,
    ),
    "finite": _program(
        """
        def forward(self, x):
            torch._assert_async(~torch.isnan(x).any())
            return x + 1
        """,
        _X,
    ),
    "checked": _program(
        """
        def forward(self, x):
            count = x.max().item()
            torch._check(count > 3)
            if count > 3:
                return x + 1
            return x
        """,
        "args=(torch.tensor([2, 5]),)",
    ),
    "numpy_strict": _program(_NUMPY.replace("  # fault", ""), f"{_X}, strict=True"),
    "operator": _program(
        _CALLS.format("lab_c").replace("  # fault", ""),
        _X,
        before=_OPERATOR.format("lab_c")
        + 'torch.library.register_fake("lab_c::twice", torch.empty_like)\n',
    ),
    "registered": _program(
        _OPENS,
        "args=(Box(torch.ones(4)),)",
        before=_BOX.replace("Box", "Registered")
        + "torch.export.register_dataclass(Registered)\nBox = Registered\n",
    ),
    "disabled": _program(_USES.replace("  # fault", ""), _X, before=_DISABLED),
    "buffer": _program(
        _COUNTS.replace("  # fault", ""),
        _X,
        init='self.register_buffer("total", torch.zeros(()))',
    ),
    "every_kind_of_input": _program(
        "def forward(self, x, n, flag=True):\n    return x * n if flag else x",
        'args=(torch.ones(4), 3), kwargs={"flag": False}',
    ),
}
