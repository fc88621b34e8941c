"""What Python does with a tensor's number: by a symbol it can compute, and not decide."""

from textwrap import dedent

import pytest

from dynamo_lab.view.breaks.numbers_taken import decides, only_computes, parsed

READ = {
    "in the condition": (
        "def f(x):\n    if x.item() > 0:\n        return x",
        2,
    ),
    "by its name": (
        "def f(x):\n    v = x.item()\n    y = x * v\n    if v > 0:\n        y = -y\n    return y",
        2,
    ),
    "over lines": (
        "def f(x):\n    if (\n        x.item()\n        > 0\n    ):\n        return x",
        3,
    ),
    "in an expression": ("def f(x):\n    return x if x.item() > 0 else -x", 2),
    "in a loop": ("def f(x):\n    while x.sum().item() < 9:\n        x = x * 2\n    return x", 2),
    "as a walrus": (
        "def f(x):\n    if (v := x.item()) > 0:\n        x = x * v\n    return x",
        2,
    ),
    "asserted": ("def f(x):\n    n = int(x.max())\n    assert n > 0\n    return x * n", 2),
    "in a lambda": ("f = lambda x: x if float(x.sum()) > 0 else -x", 1),
    "by the answer": (
        "def f(x):\n    v = x.item()\n    big = v > 3\n    if big:\n        x = -x\n    return x",
        2,
    ),
    "added to": (
        "def f(x):\n    v = x.item()\n    v += 1\n    if v > 2:\n        x = -x\n    return x",
        2,
    ),
    "computed anew": (
        "def f(x):\n    v = x.item()\n    v = v + 1\n    if v > 2:\n        x = -x\n    return x",
        2,
    ),
    "with another number": (
        "def f(x):\n    v = x.item()\n    w = x.max().item()\n    return x if v * w > 2 else -x",
        2,
    ),
    "by two numbers": (
        "def f(x):\n    v, w = x.sum(), x.item()\n    d = w * w\n    return x if d else -x",
        2,
    ),
}
UNREAD = {
    "in the body": ("def f(x, flag):\n    if flag: x = x * x.item()\n    return x", 2),
    "below": (
        "def f(x, n):\n    v = x.item()\n    if n > 0:\n        x = x * v\n    return x",
        2,
    ),
    "another function's": (
        "def f(x):\n    v = x.item()\n    return x * v\n\ndef g(v):\n    return 1 if v else 2",
        2,
    ),
    "before": (
        "def f(x, v):\n    if v > 0:\n        x = -x\n    v = x.item()\n    return x * v",
        4,
    ),
    "asked what it is": (
        "def f(x):\n    v = x.item()\n    if v is not None:\n        x = x * v\n    return x",
        2,
    ),
    "bound anew": (
        "def f(x):\n    v = x.item()\n    x = x * v\n    v = 3\n    return x if v > 2 else -x",
        2,
    ),
    "not Python": ("def f(x:\n    if x.item():", 2),
}


@pytest.mark.parametrize("name", READ)
def test_a_branch_reads_the_number(name: str) -> None:
    source, line = READ[name]
    assert decides(dedent(source), line)


@pytest.mark.parametrize("name", UNREAD)
def test_no_branch_reads_the_number(name: str) -> None:
    source, line = UNREAD[name]
    assert not decides(dedent(source), line)


COMPUTED = {
    "in arithmetic": "def f(x):\n    v = x.item()\n    return torch.sin(x * v)",
    "kept": "def f(x):\n    seen = []\n    seen.append(x.mean().item())\n    return seen",
    "in the place of its tensor": "def f(x, read):\n    x = read(x).item()\n    return x * 2",
    "clamped": "def f(x):\n    v = x.item() + 1\n    return x.clamp(max=v)",
}
WANTED = {
    "a slice": "def f(x):\n    k = int(x.item())\n    return x[:k]",
    "a size": "def f(x):\n    k = int(x.item())\n    n = k + 1\n    return torch.zeros(n * 2)",
    "a loop": "def f(x):\n    k = int(x.item())\n    for i in range(k): x = x + i\n    return x",
    "passed on": "def f(x):\n    k = x.item()\n    return helper(x, k)",
    "one for each": "def f(x):\n    for v in x.tolist():\n        x = x + v\n    return x",
    "decided by": READ["by its name"][0],
    "added up": "def f(x, t):\n    t += x.item()\n    if t > 3:\n        x = -x\n    return x",
    "scaled": "def f(x, s):\n    t = x.item() * s\n    return x if t > 3 else -x",
    "an attribute": "def f(self, x):\n    self.n = x.item()\n    return x",
    "kept in a list of all calls": "def f(x):\n    seen.append(x.item())\n    return x",
    "kept in its list": "def f(self, x):\n    self.seen.append(x.item())\n    return x",
    "in a string": "def f(x):\n    name = f'{x.item()}'\n    return table[name] * x",
}


@pytest.mark.parametrize("name", COMPUTED)
def test_a_number_is_only_computed_with(name: str) -> None:
    line = 3 if name == "kept" else 2
    assert only_computes(COMPUTED[name], line)


@pytest.mark.parametrize("name", WANTED)
def test_a_number_is_wanted_as_it_is(name: str) -> None:
    assert not only_computes(WANTED[name], 2)


GIVEN_BACK = "def read(x):\n    return x.sum().item()\n\ndef f(x):\n    return x * read(x)"


def test_of_a_number_that_an_inner_function_gives_back_nothing_is_known() -> None:
    assert only_computes(GIVEN_BACK, 2)  # where it is compiled itself
    assert not only_computes(GIVEN_BACK, 2, is_inlined=True)


def test_a_file_is_parsed_once() -> None:
    source = "def once(x):\n" + "".join(f"    v{at} = x.item()\n" for at in range(9))
    before = parsed.cache_info().misses
    assert not any(decides(source, line) for line in range(2, 11))
    assert parsed.cache_info().misses == before + 1
