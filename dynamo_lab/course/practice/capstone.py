"""Lesson 12: a slow model made fast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.course.asking import need, one_graph
from dynamo_lab.course.exercises import Exercise

if TYPE_CHECKING:
    from dynamo_lab.api.recording import Recording
    from dynamo_lab.model.benchmarks import Benchmark

_LENGTHS = (16, 24, 40, 31)
_ATTENTION_CALLS = 5
_CALLS = 12
"""The most kernel calls of the attention and of the model. Ours needs 3 and 11."""


def _batches() -> list[Any]:
    """Words of several lengths, some of them padding at the end."""
    import torch

    generator = torch.Generator().manual_seed(0)
    made = [torch.randint(1, 64, (2, tokens), generator=generator) for tokens in _LENGTHS]
    for words in made:
        words[1, -5:] = 0
    return made


def _two(answer: Any) -> tuple[Any, Any]:
    need(
        isinstance(answer, tuple) and len(answer) == 2 and all(callable(one) for one in answer),
        "Leave the line with `check` as it is: it passes two things, the old and the new.",
    )
    return answer


def _recorded(make: Any, inputs: list[Any]) -> tuple[Recording, list[Any]]:
    """The recording of what `make` compiles, called with each of the inputs; what came out."""
    import torch

    from dynamo_lab.api.explore import record

    with record("capstone", target="cpu") as recorder, torch.no_grad():
        compiled = make()
        need(callable(compiled), "Your function returns nothing that can be called.")
        outs = [compiled(one) for one in inputs]
    return recorder.recording, outs


def _same(outs: list[Any], expected: list[Any]) -> None:
    import torch

    for got, wanted in zip(outs, expected, strict=True):
        need(torch.is_tensor(got), f"It returns {got!r:.40}, and no tensor.")
        need(
            got.shape == wanted.shape, f"It has shape {list(got.shape)}, not {list(wanted.shape)}."
        )
        off = (got - wanted).abs().max().item()
        need(torch.allclose(got, wanted, atol=1e-4), f"Its numbers differ by up to {off:.2g}.")


def _few_calls(recording: Recording, most: int) -> int:
    calls = {kernel.name: kernel.calls for kernel in recording.kernels}
    total = sum(kernel.calls for kernel in recording.kernels)
    often = max(calls, key=lambda name: calls[name], default="none")
    excess = f"{total} kernel calls, but {most} are allowed."
    need(total <= most, f"{excess} Called most often: {often}, {calls.get(often)} times.")
    return total


def _attention(answer: Any) -> str:
    import torch

    old_kind, new_kind = _two(answer)
    torch.manual_seed(0)
    old, new = old_kind(32, 4), new_kind(32, 4)
    new.load_state_dict(old.state_dict())
    x = torch.randn(2, 24, 32)
    recording, outs = _recorded(lambda: torch.compile(new), [x])
    _same(outs, [old(x).detach()])
    one_graph(recording)
    total = _few_calls(recording, _ATTENTION_CALLS)
    return f"{total} kernel calls, and as many with 32 heads as with 4."


def _counters(answer: Any) -> str:
    import torch

    old_kind, new_kind = _two(answer)
    torch.manual_seed(0)
    old, new = old_kind(), new_kind()
    new.load_state_dict(old.state_dict(), strict=False)
    old.attention = new.attention = torch.nn.Identity()
    batches = _batches()
    with torch.no_grad():
        expected = [old(words) for words in batches]
    recording, outs = _recorded(lambda: torch.compile(new, dynamic=True), batches)
    one_graph(recording)
    _same(outs, expected)
    for name in ("calls", "longest"):
        got, wanted = int(getattr(new, name)), int(getattr(old, name))
        need(
            got == wanted, f"`{name}` is {got} after {len(batches)} calls, and should be {wanted}."
        )
    return "A tensor counts inside the graph, and Python reads it when someone asks."


def _whole(answer: Any) -> str:
    import torch

    slow_kind, fast = _two(answer)
    torch.manual_seed(0)
    slow, batches = slow_kind(), _batches()
    with torch.no_grad():
        expected = [slow(words) for words in batches]
    recording, outs = _recorded(lambda: fast(slow), batches)
    _same(outs, expected)
    one_graph(recording)
    total = _few_calls(recording, _CALLS)
    return f"One graph for {len(batches)} lengths, compiled once, {total} kernel calls."


def _times(facts: Benchmark, way: int) -> tuple[float, ...]:
    """The seconds of a variant's calls with warm caches, one per round."""
    wanted = (way, "forward", "warm")
    found = [one.seconds for one in facts.series if (one.way, one.phase, one.cache) == wanted]
    return found[0] if found else ()


def _measured(answer: Any) -> str:
    from dynamo_lab.api.benchmarks.benchmarked import Benchmarked
    from dynamo_lab.measure.statistics import ratio, rounds_needed

    need(
        isinstance(answer, tuple) and len(answer) == 2,
        "Leave the line with `check` as it is: it passes two things, the model and what you made.",
    )
    slow_kind, measured = answer
    need(isinstance(measured, Benchmarked), "Pass what `lab.bench` returned.")
    program = measured.recording.program()
    original = program.call()[0] if program else None
    need(
        type(original) is slow_kind,
        f"What was measured is not a {slow_kind.__name__}: `lab.bench` gets the slow model first.",
    )
    facts = measured.facts
    need(len(facts.ways) > 1, "Only the slow model was run: pass yours in `ways`.")
    for way in facts.ways:
        need(not way.problem, f"{way.name} was not timed: {way.problem:.160}")
    eager, other = _times(facts, 0), _times(facts, len(facts.ways) - 1)
    rounds = min(len(eager), len(other))
    need(
        rounds >= rounds_needed(),
        f"{rounds} rounds show no difference: it could be chance. Use {rounds_needed()} or more.",
    )
    found = ratio(eager, other)
    name = facts.ways[-1].name
    need(not (found.differs and found.value < 1), f"{name} is {found.sentence} than the original.")
    return f"Compared with {facts.ways[0].name}, {name} is {found.sentence}. Checked first."


EXERCISES = (
    Exercise(
        "12.1",
        "Attention",
        _attention,
        (
            "Lesson 10: `F.scaled_dot_product_attention`, with a flag for what is ahead. It "
            "needs the heads as a separate dimension, before that of the tokens.",
            "`part.unflatten(-1, (self.heads, -1)).transpose(1, 2)` makes that of q, k and v; "
            "afterwards `transpose(1, 2).flatten(2)` joins the heads again.",
        ),
    ),
    Exercise(
        "12.2",
        "The counters",
        _counters,
        (
            "A number in Python is a constant of the graph. A tensor is not.",
            "Make both buffers in `__init__`, after `super().__init__()` and `del` of the numbers; "
            "`torch.maximum` is the `max` of tensors.",
        ),
    ),
    Exercise(
        "12.3",
        "All of it",
        _whole,
        (
            "Make a class of `Slow` without what is in the way, with the attention of 12.1.",
            "`torch.compile(..., dynamic=True)` makes sizes dynamic from the start.",
        ),
    ),
    Exercise(
        "12.4",
        "Is it faster?",
        _measured,
        (
            "`lab.bench(slow, batches[0], ways={...}, ...)`: lesson 8.",
            "The variant is a callable: what `fast(slow)` returns.",
        ),
    ),
)
