"""What a remedy changes in the reader's text: the right lines, the rest as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dynamo_lab.model.core.sources import Excerpt, Source
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.rewrites import with_where, without_call
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.findings.changes import Helper, Options, Setting
from dynamo_lab.view.findings.edits import ABOVE, SourceEdit, edit_of, place_of

if TYPE_CHECKING:
    from dynamo_lab.model.core.sources import SourceKind
    from dynamo_lab.view.findings.changes import Change


def _recording(text: str, kind: SourceKind = "cell", **fields: Any) -> Recording:
    source = Source("cell 3" if kind == "cell" else "model.py", kind, (Excerpt(1, text),), **fields)
    return Recording(title="cell 3", sources=(source,))


def _edit(change: Change, text: str, line: int = 1, kind: SourceKind = "cell") -> SourceEdit | None:
    recording = _recording(text, kind)
    return edit_of(change, (0, line), recording, Places(recording))


def _after(change: Change, text: str, line: int = 1) -> str:
    """The text with the change made."""
    edit = _edit(change, text, line)
    assert edit is not None
    lines = text.split("\n")
    for part in reversed(edit.parts):
        end = part.line - 1 + len(part.removed)
        assert tuple(lines[part.line - 1 : end]) == part.removed
        lines[part.line - 1 : end] = part.added
    return "\n".join(lines)


NESTED = """\
# %%compile --mode default --into rec
class Outer:
    def make(self):
        def inner(x):
            \"\"\"Says why.\"\"\"
            if x.sum() > 0:  # é
                x = torch.where(x > 1, x, x * 2)
            return x
        return inner

out = Outer().make()(x)
"""


def test_a_line_in_a_function_in_a_method_keeps_its_place() -> None:
    after = _after(with_where(NESTED, 6), NESTED, 6)
    expected = NESTED.replace(
        "            if x.sum() > 0:  # é\n                x = ", "            x = "
    )
    wrapped = "torch.where(x.sum() > 0, torch.where(x > 1, x, x * 2), x)"
    assert after == expected.replace("torch.where(x > 1, x, x * 2)", wrapped)


def test_a_call_of_several_lines_is_taken_away_whole() -> None:
    text = "def f(x):\n\ty = x\n\tprint(\n\t\ty,\n\t)\n\treturn y"
    assert _after(without_call(text, 3), text, 3) == "def f(x):\n\ty = x\n\treturn y"


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("if c > 0:\n    y = a", 1, "import torch\ny = torch.where(c > 0, a, y)"),
        (
            "# %%compile\nif c > 0:\n    y = a",
            2,
            "# %%compile\nimport torch\ny = torch.where(c > 0, a, y)",
        ),
        (
            '"""Text."""\nfrom __future__ import annotations\nimport math\n\nif c > 0:\n    y = a',
            5,
            '"""Text."""\nfrom __future__ import annotations\nimport math\nimport torch\n\n'
            "y = torch.where(c > 0, a, y)",
        ),
        (
            "from torch import sin\nif c > 0:\n    y = a",
            2,
            "from torch import sin\nimport torch\ny = torch.where(c > 0, a, y)",
        ),
        (
            "def g():\n    import torch\n    return torch\nif c > 0:\n    y = a",
            4,
            "import torch\ndef g():\n    import torch\n    return torch\n"
            "y = torch.where(c > 0, a, y)",
        ),
        (
            "z = torch.ones(2)\nif c > 0:\n    y = a",
            2,
            "z = torch.ones(2)\ny = torch.where(c > 0, a, y)",
        ),
        (
            "import torch.nn\nif c > 0:\n    y = a",
            2,
            "import torch.nn\ny = torch.where(c > 0, a, y)",
        ),
    ],
)
def test_an_import_comes_where_it_belongs_and_only_if_it_is_missing(
    text: str, line: int, expected: str
) -> None:
    assert _after(with_where(text, line), text, line) == expected


def test_a_call_that_goes_needs_no_import() -> None:
    text = "print(1)\ny = 2"
    assert _after(without_call(text, 1), text) == "y = 2"


@pytest.mark.parametrize(
    ("setting", "text", "expected"),
    [
        (
            Setting("capture_scalar_outputs"),
            "import torch\n\ny = x.item()",
            "import torch\ntorch._dynamo.config.capture_scalar_outputs = True\n\ny = x.item()",
        ),
        (
            Setting("reorderable_logging_functions", "warnings.warn"),
            "# %%record --steps\ny = torch.compile(f)(x)",
            "# %%record --steps\nimport warnings\n"
            "torch._dynamo.config.reorderable_logging_functions.add(warnings.warn)\n"
            "y = torch.compile(f)(x)",
        ),
        (
            Setting("activation_memory_budget", value=0.5, of="torch._functorch.config"),
            "import torch\ny = x",
            "import torch\nimport torch._functorch.config\n"
            "torch._functorch.config.activation_memory_budget = 0.5\ny = x",
        ),
    ],
)
def test_a_setting_comes_behind_the_imports_with_what_it_needs(
    setting: Setting, text: str, expected: str
) -> None:
    assert _after(setting, text) == expected


def test_a_setting_in_a_compiled_cell_would_come_too_late() -> None:
    setting, text = Setting("ignore_logging_functions", "warnings.warn"), "# %%compile\ny = x"
    edit = _edit(setting, text)
    assert edit is not None
    assert edit.is_above
    assert [part.added for part in edit.parts] == [
        ("import torch", "import warnings", setting.code)
    ]
    assert place_of(setting, (0, 2), _recording(text)) == ABOVE
    assert place_of(setting, (0, 2), _recording("# %%record\ny = x.item()")) == ""


@pytest.mark.parametrize(
    ("chosen", "command", "expected"),
    [
        ({"dynamic": True}, "# %%compile", "# %%compile --dynamic true"),
        (
            {"mode": "reduce-overhead"},
            "# %%compile --mode max-autotune --into rec",
            "# %%compile --into rec --mode reduce-overhead",
        ),
        ({"mode": "default"}, "# %%compile --mode=a --steps", "# %%compile --steps --mode default"),
        ({"fullgraph": False}, "# %%compile --fullgraph --into a", "# %%compile --into a"),
        ({"dynamic": False}, "# %%compile --dynamic auto", "# %%compile --dynamic false"),
    ],
)
def test_an_option_goes_into_the_cells_command_whose_others_stay(
    chosen: dict[str, Any], command: str, expected: str
) -> None:
    assert _after(Options(chosen), f"{command}\ny = x", 2) == f"{expected}\ny = x"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (Options({"options": {"max_autotune": True}}), "# %%compile\ny = x"),
        (Options({"dynamic": True}), "# %%record\ny = torch.compile(f)(x)"),
        (Helper("f"), "def f(x):\n    return x"),
        (Setting("capture_scalar_outputs"), "not Python ("),
    ],
)
def test_what_no_line_says_changes_none(change: Change, text: str) -> None:
    assert _edit(change, text) is None


def test_a_file_is_named_and_no_cell() -> None:
    text = "import torch\nif c > 0:\n    y = a"
    edit = _edit(with_where(text, 2), text, 2, "user")
    assert edit is not None
    assert (edit.name, edit.is_cell) == ("model.py", False)
    assert _edit(Setting("capture_scalar_outputs"), text, 2, "user") is None


def test_a_text_that_is_not_whole_or_not_what_ran_is_left_alone() -> None:
    text = "import torch\nif c > 0:\n    y = a"
    change = with_where(text, 2)
    changed = _recording(text, "user", is_changed=True)
    assert edit_of(change, (0, 2), changed, Places(changed)) is None
    part = Recording(title="", sources=(Source("cell 3", "cell", (Excerpt(7, text),)),))
    assert edit_of(change, (0, 8), part, Places(part)) is None
