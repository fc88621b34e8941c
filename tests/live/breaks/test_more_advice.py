"""Advice beyond what the rules' examples show: it is followed, and the break is gone."""

from typing import Any

import pytest
import torch
from torch._dynamo import config

import dynamo_lab as lab
from dynamo_lab.view import build
from dynamo_lab.view.breaks.advice import RULES
from tests.live.breaks.test_advice import program

IS_2_14 = torch.__version__ >= "2.14"  # which compiles more without a break
IMPORTS = "import torch, itertools, zlib, warnings, logging\n"
PARAMETER = """
class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(4))

    def forward(self, x):
        return x * self.w

"""
MANAGER = """
import contextlib

@contextlib.contextmanager
def one():
    yield 1

def f(x):
    c = one()
    y = x + 1
"""
NAMELESS = """
def f(x):
    try:
        return x * SCALE
    except NameError:
        return x * 3
"""
OPERATOR = (
    "library = torch.library.Library('trial_fake', 'FRAGMENT')\n"
    "if not hasattr(torch.ops.trial_fake, 'twice'):\n"
    "    library.define('twice(Tensor x) -> Tensor')\n"
    "    library.impl('twice', lambda x: x * 2, 'CPU')\n"
)
BARE = """
class Bare(torch.nn.Module):
    def __init__(self):
        pass

    def forward(self, x):
        return x + 1
"""
TRIALS: dict[str, tuple[str, str, str, str]] = {
    "an assert with a formatted message": (
        "torch._assert_async",
        "def f(x):\n    y = x * 2\n    assert y.sum() > 0, f'{y.shape}'\n    return y + 1",
        "def f(x):\n    y = x * 2\n    torch._assert_async(y.sum() > 0)\n    return y + 1",
        "torch.arange(4.0)",
    ),
    "an assert with a plain message": (
        "plain string",
        "def f(x):\n    y = x * 2\n    assert y.sum() > 0, f'{y.shape}'\n    return y + 1",
        "def f(x):\n    y = x * 2\n    assert y.sum() > 0, 'positive'\n    return y + 1",
        "torch.arange(4.0)",
    ),
    "a check that raises": (
        "torch._assert_async",
        "def f(x):\n    if x.sum() < 0:\n        raise ValueError('no')\n    return x + 1",
        "def f(x):\n    torch._assert_async(x.sum() >= 0)\n    return x + 1",
        "torch.arange(4.0)",
    ),
    "both sides as subgraphs": (
        "torch.cond",
        "def f(x):\n    if x.sum() > 0:\n        return x * 2\n    return x - 1",
        "def f(x):\n    return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,))",
        "torch.arange(4.0)",
    ),
    "a condition of the shape": (
        "does not depend on the data",
        "def f(x):\n    if torch.tensor(x.shape[0]) > 3:\n        return x * 2\n    return x - 1",
        "def f(x):\n    if x.shape[0] > 3:\n        return x * 2\n    return x - 1",
        "torch.arange(4.0)",
    ),
    "a captured number decides": (
        "without `.item()`",
        "torch._dynamo.config.capture_scalar_outputs = True\n"
        "def f(x):\n    n = x.sum().item()\n    if n > 3:\n        return x + 1\n    return x * n",
        "def f(x):\n    n = x.sum()\n    return torch.where(n > 3, x + 1, x * n)",
        "torch.arange(4.0)",
    ),
    "a slice by a tensor": (
        "torch.where(torch.arange",
        "def f(x, n):\n    return x[:n].sum()",
        "def f(x, n):\n    return torch.where(torch.arange(len(x)) < n, x, 0).sum()",
        "torch.arange(4.0), torch.tensor(2)",
    ),
    "a slice of a captured size": (
        "capture_scalar_outputs",
        "def f(x, n):\n    return x[:n].sum()",
        "torch._dynamo.config.capture_scalar_outputs = True\ndef f(x, n):\n    return x[:n].sum()",
        "torch.arange(4.0), torch.tensor(2)",
    ),
    "a list of integers": (
        "capture_scalar_outputs",
        "def f(x):\n    return x + sum(x.tolist())",
        "torch._dynamo.config.capture_scalar_outputs = True\n"
        "def f(x):\n    return x + sum(x.tolist())",
        "torch.tensor([1, 2])",
    ),
    "a module made inside": (
        "or the module that has it",
        PARAMETER + "def f(x):\n    return Scale()(x).sum()",
        PARAMETER + "scale = Scale()\ndef f(x):\n    return scale(x).sum()",
        "torch.arange(4.0)",
    ),
    "an iterator made before a break": (
        "list or a tuple",
        "def f(x, it):\n    for i in it:\n        x = x + i\n    return x",
        "def f(x, it):\n    for i in (1, 2):\n        x = x + i\n    return x",
        "torch.arange(4.0), map(abs, [1, 2])",
    ),
    "an import that fails": (
        "at the top of the file",
        "def f(x):\n    try:\n        import nothing_here\n    except ImportError:\n        pass\n"
        "    return x * 2",
        "try:\n    import nothing_here\nexcept ImportError:\n    pass\ndef f(x):\n    return x * 2",
        "torch.arange(4.0)",
    ),
    "a generator of random numbers": (
        "state of the generator",
        "g = torch.Generator()\ndef f(x):\n    g.manual_seed(0)\n    return x + 1",
        "g = torch.Generator()\ng.manual_seed(0)\ndef f(x):\n    return x + 1",
        "torch.arange(4.0)",
    ),
    "an operation in C": (
        "torch.library.custom_op",
        "def checksum(x):\n    return torch.tensor(float(zlib.crc32(x.numpy()) % 7))\n"
        "def f(x):\n    return x + checksum(x)",
        "@torch.library.custom_op('trial::checksum', mutates_args=())\n"
        "def checksum(x: torch.Tensor) -> torch.Tensor:\n"
        "    return torch.tensor(float(zlib.crc32(x.numpy()) % 7))\n"
        "@checksum.register_fake\ndef _(x):\n    return x.new_empty(())\n"
        "def f(x):\n    return x + checksum(x)",
        "torch.arange(4.0)",
    ),
    "a constant computed before": (
        "keep it as a constant",
        "def f(x):\n    return x * zlib.crc32(b'a')",
        "FACTOR = zlib.crc32(b'a')\ndef f(x):\n    return x * FACTOR",
        "torch.arange(4.0)",
    ),
    "a name that is not defined": (
        "Define it before the call",
        NAMELESS,
        f"SCALE = 3\n{NAMELESS}",
        "torch.arange(4.0)",
    ),
    "a module that is not initialized": (
        "call `super().__init__()` first",
        f"{BARE}\nbare = Bare()\ndef f(x):\n    return bare.forward(x) * 2",
        f"{BARE.replace('pass', 'super().__init__()')}\nbare = Bare()\n"
        "def f(x):\n    return bare.forward(x) * 2",
        "torch.arange(4.0)",
    ),
    "a value that cannot cross a break": (
        "ending that is enough",
        MANAGER + "    torch._dynamo.graph_break()\n    with c as v:\n        return y + v",
        MANAGER + "    with c as v:\n        return y + v",
        "torch.arange(4.0)",
    ),
    "a buffer of the right shape": (
        "contiguous tensor of the result",
        "def f(x):\n    out = torch.empty(0)\n    torch.add(x, 1, out=out)\n    return out * 2",
        "def f(x):\n    out = torch.empty(4)\n    torch.add(x, 1, out=out)\n    return out * 2",
        "torch.arange(4.0)",
    ),
    "a gradient taken outside": (
        "take the gradient outside",
        "def f(x):\n    return torch.autograd.grad((x * x).sum(), x)[0]",
        "def f(x):\n    return (x * x).sum()",
        "torch.arange(4.0, requires_grad=True)",
    ),
    "a torch function instead": (
        "Use a `torch` function that does the same",
        "def f(x):\n    return x * zlib.crc32(b'a')",
        "def f(x):\n    return x * torch.tensor(3)",
        "torch.arange(4.0)",
    ),
    "a clock of datetime": (
        "Time the call from outside",
        "import datetime\ndef f(x):\n    return x * datetime.datetime.now().year",
        "def f(x):\n    return x * 2026",
        "torch.arange(4.0)",
    ),
    "an operator that fakes cannot run": (
        "`torch.library.register_fake`",
        f"{OPERATOR}def f(x):\n    return torch.ops.trial_fake.twice(x) + 1",
        f"{OPERATOR}@torch.library.register_fake('trial_fake::twice', lib=library)\n"
        "def _(x):\n    return torch.empty_like(x)\n"
        "def f(x):\n    return torch.ops.trial_fake.twice(x) + 1",
        "torch.arange(4.0)",
    ),
    "a function that Dynamo skips": (
        "Call it outside the compiled function",
        "def f(x):\n    return x * len(torch.hub.get_dir())",
        "LENGTH = len(torch.hub.get_dir())\ndef f(x):\n    return x * LENGTH",
        "torch.arange(4.0)",
    ),
    "an assertion about a size": (
        "Check it before the call",
        "def f(x):\n    try:\n        assert x.shape[0] == 3\n    except AssertionError:\n"
        "        pass\n    return x * 2",
        "def f(x):\n    return x * 2",
        "torch.arange(4.0)",
    ),
    "the rest of a recurrent model": (
        "leave the recurrent module outside",
        "rnn = torch.nn.LSTM(4, 4)\ndef f(x):\n    return rnn(x)[0] * 2",
        "def f(x):\n    return x * 2",
        "torch.ones(2, 3, 4)",
    ),
}


def untouched() -> dict[str, Any]:
    """The settings that examples write to, with sets of their own: an example adds to them."""
    return {
        "allow_rnn": False,
        "compiled_autograd": False,
        "capture_scalar_outputs": False,
        "capture_dynamic_output_shape_ops": False,
        "reorderable_logging_functions": set(),
        "ignore_logging_functions": set(),
    }


def explored(source: str, inputs: str, name: str, backend: str = "eager") -> lab.Recording:
    rule = next(rule for rule in RULES if rule.example)
    assert rule.example is not None
    rule = rule._replace(title=name, example=rule.example._replace(inputs=inputs))
    with config.patch(untouched()):
        fn, args = program(rule, IMPORTS + source, "trial")
        return lab.explore(fn, *args, backend=backend)


@pytest.mark.parametrize("name", TRIALS)
def test_following_the_advice_ends_the_break(name: str) -> None:
    if IS_2_14 and name == "a name that is not defined":
        assert explored(TRIALS[name][1], TRIALS[name][3], name).breaks == ()
    else:
        assert_ends(name, TRIALS[name])


def assert_ends(name: str, trial: tuple[str, str, str, str]) -> None:
    """The advice with these words is given before, and nothing breaks after."""
    words, before, after, inputs = trial
    told = [text for item in build(explored(before, inputs, name)).breaks for text in item.advice]
    assert any(words in text for text in told), told
    mended = explored(after, inputs, name)
    assert mended.failure is None
    assert [item.gb_type for item in mended.breaks] == []
    assert len(mended.captured_graphs()) == 1


def test_the_body_of_a_loop_is_compiled_on_its_own() -> None:
    loop = (
        "def f(x):\n    for _ in range(2):\n"
        "        x = x * 2\n        print('on')\n        x = x + 1\n"
    )
    whole = explored(f"{loop}    return x", "torch.arange(4.0)", "loop")
    advised = build(whole).breaks[0].advice[0]
    assert advised.startswith("Move the loop's body into a function and compile that")
    assert len(whole.captured_graphs()) == 0
    body = "def f(x):\n    x = x * 2\n    print('on')\n    return x + 1"
    alone = explored(body, "torch.arange(4.0)", "body")
    assert len(alone.captured_graphs()) == 2


def settings() -> dict[str, tuple[str, str, str]]:
    """Each setting that a rule with an example advises: the example with it set."""
    found: dict[str, tuple[str, str, str]] = {}
    for rule in RULES:
        for text in rule.advice:
            setting = text.partition("`torch._dynamo.config.")[2].partition("`")[0]
            is_trial = rule.title in (".tolist() call", "slice by a tensor")
            if setting and rule.example and not is_trial and "recompile_limit" not in setting:
                line = f"torch._dynamo.config.{setting}".replace("...", "logging.Logger.info")
                source = f"{line}\n{rule.example.before}"
                found[f"{rule.title}: {setting}"] = (rule.title, source, rule.example.inputs)
    return found


@pytest.mark.parametrize("name", settings())
def test_a_setting_that_is_advised_ends_the_break(name: str) -> None:
    title, source, inputs = settings()[name]
    mended = explored(source, inputs, title)
    assert [item.gb_type for item in mended.breaks] == []
    assert len(mended.captured_graphs()) == 1


def test_a_number_that_numpy_computed_is_not_blamed_on_math() -> None:
    source = "import numpy as np\ndef f(x):\n    return x * float(np.tanh(x.numpy()).mean())"
    (found,) = build(explored(source, "torch.arange(4.0)", "float")).breaks
    assert "as `float()`, `bool()` and functions of `math` do" in found.advice[0]
    assert "NumPy" not in found.advice[0]


POINTERS = (
    "Run it uncompiled",
    'Try `backend="aot_eager"`',
    "The break to fix is on the innermost line",
    "In a `%%compile` cell, define or import it",
    "Find what changes between calls in the guards",
    "So that the update is compiled there too",
    "A learning-rate scheduler wraps `step`",
    *("By a tensor of one bool, ", "Anything else, as functions or modules, "),
)
"""What says where to look, and ends no break; and what `test_list_indices` tries."""
UNREACHED = {
    "break inside a loop",
    "generator",
    "error in an operator",
    "coroutine",  # whose programs can crash Python
}
"""Kinds for which no program is known that breaks so under the installed PyTorch."""


def test_no_advice_is_without_a_trial() -> None:
    words = [trial[0] for trial in TRIALS.values()]
    left = [
        (rule.title, text)
        for rule in RULES
        if rule.title not in UNREACHED
        for at, text in enumerate(rule.advice)
        if not (rule.example and at == 0)
        and "`torch._dynamo.config." not in text
        and not any(word in text for word in (*words, *POINTERS))
    ]
    assert left == []


def test_a_number_that_python_draws_is_told_as_one_also_where_its_module_is_not_known() -> None:
    source = "import random\ndef f(x):\n    return x * random.random() + torch.rand(1)"
    found = build(explored(source, "torch.arange(4.0)", "draws")).breaks
    assert [one.title for one in found] == ([] if IS_2_14 else ["Python's random numbers"])
