"""Advice beyond what the rules' examples show: it is followed, and the break is gone."""

from typing import Any

import pytest
from torch._dynamo import config

import dynamo_lab as lab
from dynamo_lab.view import build
from dynamo_lab.view.breaks.advice import RULES
from tests.live.breaks.test_advice import program

IMPORTS = "import torch, itertools, zlib, warnings, logging\n"
PARAMETER = """
class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(4))

    def forward(self, x):
        return x * self.w

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
    "a while loop": (
        "torch.while_loop",
        "def f(x):\n    while x.sum() < 100:\n        x = x * 2\n    return x",
        "def f(x):\n    return torch.while_loop("
        "lambda x: x.sum() < 100, lambda x: (x * 2,), (x,))[0]",
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
}
SETTINGS: dict[str, Any] = {
    "allow_rnn": False,
    "capture_scalar_outputs": False,
    "capture_dynamic_output_shape_ops": False,
    "reorderable_logging_functions": set(),
    "ignore_logging_functions": set(),
}


def explored(source: str, inputs: str, name: str) -> lab.Recording:
    rule = next(rule for rule in RULES if rule.example)
    assert rule.example is not None
    rule = rule._replace(title=name, example=rule.example._replace(inputs=inputs))
    with config.patch(SETTINGS):
        fn, args = program(rule, IMPORTS + source, "trial")
        return lab.explore(fn, *args, backend="eager")


@pytest.mark.parametrize("name", TRIALS)
def test_following_the_advice_ends_the_break(name: str) -> None:
    words, before, after, inputs = TRIALS[name]
    told = [text for item in build(explored(before, inputs, name)).breaks for text in item.advice]
    assert any(words in text for text in told), told
    mended = explored(after, inputs, name)
    assert mended.failure is None
    assert [item.gb_type for item in mended.breaks] == []
    assert len(mended.captured_graphs()) == 1


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
