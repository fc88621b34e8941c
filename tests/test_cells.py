"""A cell as one frame: names in and out as in a plain cell."""

import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from dynamo_lab.errors import CellError
from dynamo_lab.record.cells import build_frame


def run(source: str, namespace: dict[str, Any] | None = None) -> tuple[dict[str, Any], Any]:
    """What a cell leaves in the namespace, and what it displays; no compiler involved."""
    names: dict[str, Any] = {"__name__": "__main__"} if namespace is None else namespace
    frame = build_frame(source, "<test>", names)
    exec(frame.definitions, names)
    shown = None
    if frame.code is not None:
        shown = frame.function(names)(*(names[name] for name in frame.parameters))
    for name in ("__builtins__", "__annotations__"):
        names.pop(name, None)
    return names, shown


CELLS = {
    "assignments": "a = 1\nb = a + 1",
    "reassigns what existed": "x = x + 1",
    "augments what existed": "x += 5",
    "keeps what another branch binds": "if x > 100:\n    x = 0\n    fresh = 1",
    "binds on the taken branch": "if x > 1:\n    fresh = 2",
    "loops": "total = 0\nfor i in range(4):\n    total += i",
    "deletes": "gone = 1\ndel gone\nkept = 2",
    "deletes what existed": "del x",
    "deletes and binds again": "del x\nx = 3",
    "unpacks": "(a, b), *c = (1, 2), 3, 4",
    "walrus": "y = [n := 4, n + 1]",
    "comprehension names stay inside": "squares = [i * i for i in range(3)]",
    "with and except names": (
        "import contextlib\nwith contextlib.nullcontext(3) as w:\n    pass\n"
        "try:\n    raise ValueError('no')\nexcept ValueError as e:\n    text = str(e)"
    ),
    "functions read constants of the cell": "scale = 3\ndef f(v):\n    return v * scale\ny = f(2)",
    "functions read what statements made": (
        "scale = x * 2\ndef f(v):\n    return v * scale\ny = f(2)"
    ),
    "defaults read what came before": "base = x\ndef f(v=base):\n    return v\ny = f()",
    "classes": "class A:\n    n = 4\n    def get(self):\n        return self.n\ny = A().get()",
    "class bodies read what came before": "k = x\nclass A:\n    n = k\ny = A.n",
    "lambdas see later values": "k = 1\nf = lambda: k\nk = 2\ny = f()",
    "imports on a branch": "if x:\n    import math\ny = math.floor(2.5)",
    "strings keep their lines": 's = """a\nb"""\nt = "c\\nd"',
    "annotated": "n: int = 4",
    "match": "match x:\n    case 7:\n        y = 'seven'\n    case other:\n        y = other",
    "writes into what existed": "y = d['n'] * 2\nd['n'] = 5\nz = d['n'] * 3",
    "a function sees each value in its time": (
        "n = 0\ndef g():\n    return n\na = g()\nn = 7\nb = g()\nn += 1\nc = g()"
    ),
    "a lambda sees what comes later": "best = 1\nhook = lambda: best\nbest = 2\ny = hook()",
    "a name tried first": "try:\n    counter\nexcept NameError:\n    counter = 0\ncounter += 1",
    "an assignment expression in a comprehension": "a = [last := i for i in range(3)]\nb = last",
    "walks": "for i, (j, k) in enumerate([(1, 2)]):\n    s = i + j + k\nelse:\n    done = 1",
    "an empty loop binds nothing": "for never in []:\n    pass\nelse:\n    done = True",
    "a nested function reads the frame": "a = 2\ndef f():\n    return [a for _ in '1']\nb = f()",
    "names in comprehensions": "a = 2\nb = [a * i for i in (1, 2) if i < a]\nc = sum(a for _ in b)",
    "deletes in a branch": "t = 1\nif t:\n    del t\ny = 't' in globals()",
    "a function that counts": "def up():\n    global x\n    x += 1\nx = 1\nup()\nup()\ny = x",
    "a definition after its name was used": "f = 1\ny = f\ndef f():\n    return 2\nz = f()",
    "a function that is replaced by its result": "def f():\n    return 2\nf = f() + 1",
    "a class that is replaced on a branch": "class A:\n    n = 1\nif x:\n    A = A()\ny = A.n",
    "a module bound to another value": "import math\nmath = math.floor(2.5)",
    "a constant of a star import is changed": "from math import *\npi = pi + 1\ntau += pi",
    "a function that a loop replaces": (
        "def f(v):\n    return v\nfor i in range(2):\n    f = lambda v, g=f: g(v) + 1\ny = f(1)"
    ),
    "a function that is deleted": "def f():\n    return 2\ny = f()\ndel f",
    "a decorator reads what a statement made": (
        "registry = {}\ndef register(f):\n    registry[f.__name__] = f\n    return f\n"
        "@register\ndef g():\n    return 1\ny = registry['g']()"
    ),
    "a base writes into what a statement made": (
        "registry = []\nclass Base:\n    def __init_subclass__(cls):\n"
        "        registry.append(cls.__name__)\nclass A(Base):\n    pass\ny = registry[0]"
    ),
    "a base is made of what came before": (
        "k = 3\nclass Base:\n    n = k\nclass A(Base):\n    pass\ny = A.n"
    ),
    "a default is computed of what came before": (
        "k = 3\ndef make():\n    return k\ndef f(v=make()):\n    return v\ny = f()"
    ),
    "a class's body computes with what came before": (
        "k = 3\ndef make():\n    return k\nclass A:\n    n = make()\ny = A.n"
    ),
    "a decorator's default came before": (
        "k = 3\ndef deco(f, k=k):\n    return lambda: f() + k\n@deco\ndef g():\n"
        "    return 1\ny = g()"
    ),
    "an annotation reads what came before": (
        "T = int\ndef f(v: T) -> T:\n    return v\ny = f.__annotations__['v'].__name__"
    ),
    "a class's annotation reads what came before": (
        "T = int\nclass A:\n    v: T\ny = A.__annotations__['v'].__name__"
    ),
    "a method's default came before": (
        "k = 3\nclass A:\n    def n(self, v=k):\n        return v\ny = A().n()"
    ),
    "a dataclass's field reads what came before": (
        "import dataclasses\nk = 2\n@dataclasses.dataclass\nclass P:\n    a: int = 1\n"
        "    b: int = dataclasses.field(default=k)\ny = P().b"
    ),
    "all names are asked for": "a = 1\ny = 'a' in locals() and 'x' in locals()",
    "a text that binds a name": "exec('q = 3')\ny = q",
    "a function that keeps a count": (
        "def outer():\n    n = 0\n    def inner():\n        nonlocal n\n        n += 1\n"
        "        return n\n    return inner\nstep = outer()\nstep()\ny = step()"
    ),
    "a generator that is read later": "k = 1\ng = (k + i for i in range(2))\nk = 10\ny = list(g)",
    "a function defined twice": "def f():\n    return 1\ny = f()\ndef f():\n    return 2\nz = f()",
    "a function of a loop": "for i in range(3):\n    def f(i=i):\n        return i\ny = f()",
    "a class that is matched": (
        "class P:\n    __match_args__ = ('a',)\n    def __init__(self, a):\n"
        "        self.a = a\nmatch P(3):\n    case P(a):\n        y = a"
    ),
    "globals are written into": "n = 1\nglobals()['n'] = 5\ny = n",
    "the names of all": "b = 1\ny = 'b' in dir() and 'b' in vars()",
    "star import after a statement": "pi = 1\nfrom math import *\npi = pi + 1\ny = floor(pi)",
    "an object of the notebook decorates": (
        "class Names:\n    def add(self, f):\n        kept.append(f.__name__)\n        return f\n"
        "names = Names()\nkept = []\n@names.add\ndef g():\n    pass\ny = kept[0]"
    ),
    "an import of what was put into a module": (
        "import math\nmath.lab_probe = 3\nfrom math import lab_probe\ny = lab_probe\n"
        "del math.lab_probe"
    ),
    "an import of what an assignment replaced": (
        "import math\nkept = math.pi\nmath.pi = 3\nfrom math import pi\ny = pi\nmath.pi = kept"
    ),
    "star import on a branch of nothing": "from math import *\ny = floor(2.5)",
    "imports with dots": "if x:\n    import os.path\ny = os.path.sep",
    "while and else": "n = 0\nwhile n < 3:\n    n += 1\n    m = n\nelse:\n    m = m * 10",
    "while with a name": "it = iter([1, 2, 0])\nwhile (v := next(it)):\n    w = v",
    "conditional walrus": "ok = x and (found := 3)\ny = found",
    "try, else, finally": (
        "try:\n    a = 1\nexcept KeyError:\n    a = 2\nelse:\n    b = a\nfinally:\n    c = 3"
    ),
    "unpacking into what exists": "x, y = 1, x",
    "targets inside others": "d['k'] = d['n'] = n = 3",
    "an empty cell": "",
    "only a comment": "# nothing",
}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_leaves_what_a_plain_cell_leaves(name: str) -> None:
    source = CELLS[name]
    plain: dict[str, Any] = {"__name__": "__main__", "x": 7, "d": {"n": 1}}
    exec(source, plain)
    for hidden in ("__builtins__", "__annotations__"):
        plain.pop(hidden, None)
    ours, _ = run(source, {"__name__": "__main__", "x": 7, "d": {"n": 1}})
    assert ours.keys() == plain.keys()
    simple: dict[str, Any] = {
        k: v for k, v in plain.items() if isinstance(v, int | str | list | tuple)
    }
    assert {k: ours[k] for k in simple} == simple


def test_the_last_expression_is_what_a_cell_displays() -> None:
    assert run("a = 2\na * 3")[1] == 6
    assert run("a = 2\na * 3\nb = 1")[1] is None


def test_functions_of_other_cells_see_what_this_cell_assigns() -> None:
    namespace, _ = run("def f(v):\n    return v * scale", {"__name__": "__main__"})
    namespace, _ = run("scale = 10\ny = f(2)", namespace)
    assert namespace["y"] == 20
    namespace, _ = run("scale = y + 1\nz = f(2)", namespace)
    assert namespace["z"] == 42


def test_a_decorator_of_another_cell_reads_what_this_cell_made_before() -> None:
    source = "def register(f):\n    known.append(f)\n    return f"
    namespace, _ = run(source, {"__name__": "__main__"})
    namespace, _ = run("known = []\n@register\ndef g():\n    return 2\ny = known[0]()", namespace)
    assert namespace["y"] == 2


def test_a_module_is_imported_once_the_statements_before_have_said_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lab_probe.py").write_text("import os\nmode = os.environ['LAB_PROBE']")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("LAB_PROBE", "unset")
    source = (
        f"import os, sys\nsys.path.insert(0, {str(tmp_path)!r})\nos.environ['LAB_PROBE'] = 'set'\n"
    )
    for last in ("import lab_probe\ny = lab_probe.mode", "from lab_probe import mode\ny = mode"):
        namespace, _ = run(source + last)
        assert namespace["y"] == "set"
        del sys.modules["lab_probe"]


def test_a_name_without_a_value_is_the_usual_name_error() -> None:
    with pytest.raises(NameError, match="'missing'"):
        run("if False:\n    missing = 1\ny = missing + 1")


def test_lines_are_those_of_the_cell() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run("a = 0\n\nb = 1 / a")
    assert caught.traceback[-1].lineno + 1 == 3


@pytest.mark.parametrize(
    "source",
    [
        "@torch.no_grad()\ndef f(v):\n    return v",
        "@torch.compile(backend='eager')\ndef f(v: torch.Tensor) -> torch.Tensor:\n    return v",
        "class Net(torch.nn.Module):\n    size = 3\n\n    def __init__(self):\n        use(torch)",
        "import math",
    ],
)
def test_what_no_statement_before_it_changes_is_defined_before_the_frame(source: str) -> None:
    before = "torch.manual_seed(0)\ntorch._dynamo.config.verbose = False\n"
    frame = build_frame(before + source, "<test>", {"torch": torch})
    assert {"f", "Net", "math"} & set(frame.definitions.co_names)
    frame = build_frame(f"{before}torch = 1\n{source}", "<test>", {"torch": torch})
    assert ("math" in frame.definitions.co_names) == (source == "import math")
    assert not {"f", "Net"} & set(frame.definitions.co_names)


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("%time x = 1", "%time"),
        ("y = 1\n!ls", "!ls"),
        ("files = !ls", "!ls"),
        ("import asyncio\nawait asyncio.sleep(0)", "Line 2 awaits"),
        ("async with a as b:\n    pass", "Line 1 awaits"),
        ("async for a in b:\n    pass", "Line 1 awaits"),
    ],
)
def test_what_cannot_be_compiled_is_refused_in_one_sentence(source: str, word: str) -> None:
    with pytest.raises(CellError, match="separate cell") as caught:
        build_frame(source, "<test>", {})
    assert word in str(caught.value)


@pytest.mark.parametrize("source", ["return 1", "yield 1", "x ==== 1", "break"])
def test_what_is_no_cell_is_a_syntax_error(source: str) -> None:
    with pytest.raises(SyntaxError):
        build_frame(source, "<test>", {})


def test_await_inside_a_function_is_none_of_our_business() -> None:
    names, _ = run("async def f():\n    await g()\ny = 1")
    assert names["y"] == 1


@pytest.mark.parametrize("source", ["a = 1\nb = a / 0\nc = 3", "for i in (1, 0):\n    r = 1 / i"])
def test_names_from_before_an_error_are_kept(source: str) -> None:
    plain: dict[str, Any] = {}
    with pytest.raises(ZeroDivisionError):
        exec(source, plain)
    ours: dict[str, Any] = {}
    with pytest.raises(ZeroDivisionError):
        run(source, ours)
    for names in (plain, ours):
        names.pop("__builtins__", None)
    assert ours == plain
