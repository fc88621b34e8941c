"""Lesson 13: seven broken programs, one for each question that a reader comes with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.course.asking import ended, lowered, need, need_function, no_break, one_graph
from dynamo_lab.course.comparing import one_graph_for, same_numbers
from dynamo_lab.course.exercises import Exercise, NotYet

if TYPE_CHECKING:
    from dynamo_lab.api.recording import Recording

_NODES = 12
"""The most nodes of a program without a loop. Ours needs 4."""
_TOKENS = 256


def _spread(x: Any) -> Any:
    return x.square().mean(-1) - x.mean(-1).square()


def _wrong(answer: Any) -> str:
    import torch

    need_function(answer)
    generator = torch.Generator().manual_seed(0)
    near = torch.randn(4, 1000, generator=generator)
    same_numbers(answer, _spread, near)
    far = near / 10 + 1000
    exact = _spread(far.double())
    for name, way in (("Eagerly", answer), ("Compiled", torch.compile(answer))):
        off = float(((way(far).double() - exact) / exact).abs().max())
        need(
            off < 0.01,
            f"{name} it is wrong by {off:.0%} on numbers around 1000: two large numbers that are "
            "nearly equal are still subtracted.",
        )
    return "The numbers are small before they are squared, and nothing is left to cancel."


def _clipped(g: Any) -> Any:
    norm = g.norm()
    return g / norm if norm > 1 else g


def _breaks(answer: Any) -> str:
    import torch

    need_function(answer)
    one_graph_for(answer, _clipped, (torch.full((8,), 0.1),), (torch.full((8,), 3.0),))
    return "One graph: the tensor decides, and Python never waits for the number."


def _warmup() -> Any:
    """The program as it should count: by what comes out of it."""
    import torch

    class Warmup(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(16, 16)
            self.step = 0

        def forward(self, x: Any) -> Any:
            self.step += 1
            return self.linear(x) * min(1.0, self.step / 4)

    return Warmup()


def _again(answer: Any) -> str:
    import torch

    from dynamo_lab.api.explore import record

    need_function(answer)
    torch.manual_seed(0)
    old, new = _warmup(), answer()
    need(isinstance(new, torch.nn.Module), "A class of modules is needed, as it was before.")
    new.load_state_dict(old.state_dict(), strict=False)
    batches = [torch.randn(2, 16) for _ in range(6)]
    with record("warm-up") as recorder, torch.no_grad():
        compiled = torch.compile(new, backend="eager")
        for call, x in enumerate(batches, 1):
            got, wanted = compiled(x), old(x)
            need(torch.is_tensor(got), f"It returns {got!r:.40}, and no tensor.")
            need(torch.allclose(got, wanted, atol=1e-5), f"Call {call} gives other numbers.")
    one_graph(ended(recorder.recording))
    return f"{len(batches)} calls, one compilation: the count is a tensor, which no guard looks at."


def _distances(x: Any) -> Any:
    return (x[:, None] - x).square().sum(-1)


def _unrolled(answer: Any) -> str:
    import torch

    need_function(answer)
    generator = torch.Generator().manual_seed(0)
    few, many = (torch.randn(rows, 3, generator=generator) for rows in (6, 30))
    sizes = [_nodes(same_numbers(answer, _distances, x)) for x in (few, many)]
    need(
        sizes[1] <= _NODES,
        f"The graph of 30 rows has {sizes[1]} nodes, that of 6 has {sizes[0]}: a loop is unrolled.",
    )
    return f"{sizes[1]} nodes for 30 rows: one operator computes all of them at once."


def _nodes(recording: Recording) -> int:
    no_break(recording)
    need(recording.captured_graphs(), "Nothing of it was compiled.")
    return sum(len(graph.nodes) for graph in recording.captured_graphs())


def _window() -> Any:
    import numpy
    import torch

    return torch.from_numpy(numpy.hanning(64))


def _slow(answer: Any) -> str:
    import torch

    need_function(answer)
    module = answer()
    x = torch.randn(8, 64, generator=torch.Generator().manual_seed(0))
    got = module(x)
    need(torch.is_tensor(got), f"It returns {got!r:.40}, and no tensor.")
    expected = (x * _window()).tanh().sum(-1)
    off = float((got - expected).abs().max())
    need(off < 1e-4, f"Its numbers differ by up to {off:.2g}.")
    recording = lowered(module, x)
    no_break(recording)
    nodes = [node for graph in recording.captured_graphs() for node in graph.nodes]
    double = [node.name for node in nodes if node.value is not None and node.value.dtype == "f64"]
    need(not double, f"It is still computed in float64: {', '.join(double[:3])}.")
    return "All of it is float32: half of the bytes, and twice as many numbers in each vector."


def _mixed(q: Any, k: Any, v: Any, sharpness: Any) -> Any:
    return (q @ k.transpose(-2, -1) * sharpness).softmax(-1) @ v


def _memory(answer: Any) -> str:
    import torch

    need_function(answer)
    generator = torch.Generator().manual_seed(0)
    heads = [*torch.randn(3, 1, 2, _TOKENS, 16, generator=generator), torch.rand(2, 1, 1)]
    same_numbers(answer, _mixed, *heads)
    recording = lowered(answer, *heads)
    no_break(recording)
    need(recording.kernels, "Nothing of it was compiled.")
    matrix = heads[0].shape[1] * _TOKENS**2 * 4
    large = [one.name for one in recording.buffers if (one.bytes or 0) >= matrix]
    need(
        not large,
        f"Every token with every other is still in memory, {matrix:,} bytes: {', '.join(large)}.",
    )
    return "The weights are made and used a block at a time: memory grows with the length alone."


def _export(answer: Any) -> str:
    import torch
    from torch.export import Dim, export

    need_function(answer)
    torch.manual_seed(0)
    module = answer()
    need(isinstance(module, torch.nn.Module), "A class of modules is needed, as it was before.")
    images = {rows: torch.randn(rows, 3, 4, 4) for rows in (4, 9)}
    expected = {rows: module.linear(x.flatten(1)) for rows, x in images.items()}
    got = module(images[4])
    need(
        torch.is_tensor(got) and got.shape == expected[4].shape,
        "For 4 images it gives another shape.",
    )
    need(torch.allclose(got, expected[4], atol=1e-5), "For 4 images it gives other numbers.")
    try:
        exported = export(module, (images[4],), dynamic_shapes=({0: Dim("batch")},)).module()
    except Exception as error:
        why = str(error).strip().splitlines() or [""]
        raise NotYet(f"It does not export: {type(error).__name__}: {why[0]:.120}") from None
    for rows, x in images.items():
        same = torch.allclose(exported(x), expected[rows], atol=1e-5)
        need(same, f"What was exported gives other numbers for {rows} images.")
    return "It exports for any batch: the number of images stands nowhere in it."


EXERCISES = (
    Exercise(
        "13.1",
        "Why is it wrong?",
        _wrong,
        (
            "How large are the two numbers that are subtracted, and how large is their difference?",
            "Subtract the mean first: the mean of the squares of what is left is the spread.",
        ),
    ),
    Exercise(
        "13.2",
        "Why does it break?",
        _breaks,
        (
            "What does Python have to know before it goes on?",
            "A number that is divided by where it is above 1, and by 1 elsewhere, needs no `if`.",
        ),
    ),
    Exercise(
        "13.3",
        "Why is it compiled again?",
        _again,
        (
            "What is different about the module from one call to the next?",
            "A buffer can count: `register_buffer`, and `clamp` in the place of `min`.",
        ),
    ),
    Exercise(
        "13.4",
        "Why does it take so long to compile?",
        _unrolled,
        (
            "How often is the body of the loop in the graph?",
            "With a dimension more, `x[:, None] - x` has all the differences.",
        ),
    ),
    Exercise(
        "13.5",
        "Why is it slow?",
        _slow,
        (
            "Which operand is the first of float64, and where was it made?",
            "NumPy makes float64 unless it is told otherwise; a tensor has `.float()`.",
        ),
    ),
    Exercise(
        "13.6",
        "Why does it take so much memory?",
        _memory,
        (
            "Which value has as many numbers as tokens times tokens?",
            "PyTorch has one operator for it (lesson 10). A factor of the scores is one of q.",
        ),
    ),
    Exercise(
        "13.7",
        "Why does it not export?",
        _export,
        (
            "Which size is written as a number?",
            "Say which dimensions to join, not how many rows are to be left.",
        ),
    ),
)
