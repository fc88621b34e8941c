"""Lesson 11: writing your own backends and passes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from dynamo_lab.course.asking import need, need_function
from dynamo_lab.course.exercises import Exercise

if TYPE_CHECKING:
    from dynamo_lab.api.recording import Recording

_STALE = (
    "The nodes are changed, but what runs is the code from before: it was generated when someone "
    "looked at `gm.code`, here before your backend was called."
)


def _inputs() -> Any:
    import torch

    return torch.linspace(-2, 2, 32).reshape(4, 8)


def _models() -> list[Any]:
    """Two models of torch's own modules, since Dynamo traces none of this package."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    gelu = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8), nn.GELU())
    return [gelu, nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.LayerNorm(8), nn.Softmax(-1))]


def _ran(model: Any, backend: Any) -> tuple[Recording, Any]:
    """The recording of a model under a backend, and what it computed."""
    import torch

    from dynamo_lab.api.explore import record

    need(callable(backend), "What you return is not a backend: a function of `gm` and `inputs`.")
    refused: list[Any] = []

    def asked(gm: Any, inputs: Any) -> Any:
        made = backend(gm, inputs)
        if callable(made):
            return made
        refused.append(made)
        return gm.forward

    with record("backend") as recorder:
        out = torch.compile(model, backend=asked)(_inputs())
        if out.requires_grad:
            out.sum().backward()
    need(not refused, "Your backend returns nothing that can be called, such as `gm.forward`.")
    return recorder.recording, out.detach()


def _counts(answer: Any) -> str:
    import torch

    need_function(answer)
    counts: Counter[Any] = Counter()
    expected: Counter[Any] = Counter()
    backend = answer(counts)
    need(callable(backend), "What you return is not a backend: a function of `gm` and `inputs`.")

    def watched(gm: Any, inputs: Any) -> Any:
        expected.update(node.target for node in gm.graph.nodes if node.op.startswith("call_"))
        return backend(gm, inputs)

    for model in _models():
        _, got = _ran(model, watched)
        need(
            torch.allclose(got, model(_inputs())),
            "What your backend returns computes wrong values.",
        )
    need(counts, "Nothing was counted.")
    need(
        counts.total() != len(expected) or expected.total() == len(expected),
        "Each operator was counted once. An operator may be in a graph, and in more than one "
        "graph, several times.",
    )
    for target in counts.keys() - expected.keys():
        need(False, f"`{_name(target)}` was counted, but is not a node that computes.")
    for target, number in expected.items():
        found = counts[target]
        need(found == number, f"`{_name(target)}` is there {number} times; you counted {found}.")
    return f"{expected.total()} nodes in two graphs, all counted before anything ran."


def _name(target: Any) -> str:
    return getattr(target, "__name__", str(target))


def _approximates(answer: Any) -> str:
    import torch
    from torch import nn

    need_function(answer)
    left: list[Any] = []

    def watched(gm: Any, inputs: Any) -> Any:
        need(gm.code, "The graph has no code.")  # Dynamo's modules write it when asked, or run
        made = answer(gm, inputs)
        gelus = [n for n in gm.graph.nodes if n.target is nn.functional.gelu]
        left.extend(n for n in gelus if n.kwargs.get("approximate", "none") == "none")
        return made

    for model in _models():
        _, got = _ran(model, watched)
        exact = model(_inputs()).detach()
        for module in model:
            if isinstance(module, nn.GELU):
                module.approximate = "tanh"
        expected = model(_inputs()).detach()
        if torch.allclose(got, expected, rtol=0, atol=1e-6):
            continue
        if torch.allclose(got, exact, rtol=0, atol=1e-6):
            need(left, _STALE)
            need(False, "It still computes the exact GELU.")
        need(not left, "Some GELUs are approximate now, and some are exact still.")
        need(False, "It computes neither the exact model nor the approximate one.")
    return "Each of them, in every graph; and the user's program was not touched."


def _sizes(answer: Any) -> str:
    import torch

    need_function(answer)
    for model in _models():
        sizes: dict[str, int] = {}
        recording, got = _ran(model, answer(sizes))
        need(
            torch.allclose(got, model(_inputs())),
            "What your backend returns computes wrong values.",
        )
        stages = {graph.stage: graph.operators for graph in recording.graphs}
        need(
            "backward" in stages,
            "There was no backward graph: without AOTAutograd, autograd runs the backward eagerly.",
        )
        for name in ("forward", "backward"):
            need(name in sizes, f"sizes[{name!r}] was not set.")
            need(
                sizes[name] == stages[name],
                f"The {name} graph has {stages[name]} operators; sizes[{name!r}] is {sizes[name]}.",
            )
    return "Two graphs from one, and both are yours to compile."


def _quotients(x: Any, y: Any) -> Any:
    return (x / 4.0 + x / y - y / 3.0) / 2


def _pass(answer: Any) -> str:
    import torch
    from torch.fx.experimental.proxy_tensor import make_fx

    from dynamo_lab.api.lower import lower
    from dynamo_lab.record.recorders import name_of
    from dynamo_lab.record.user_passes import passes

    need_function(answer)
    x, y = torch.linspace(-3, 3, 16), torch.linspace(1, 2, 16)
    traced = make_fx(_quotients)(x, y)
    answer(traced.graph)
    traced.graph.lint()
    traced.recompile()
    same = torch.allclose(traced(x, y), _quotients(x, y))
    need(same, "The graph computes something else after your pass.")
    divisions = traced.graph.find_nodes(op="call_function", target=torch.ops.aten.div.Tensor)
    by = [isinstance(node.args[1], torch.fx.Node) for node in divisions]
    need(all(by), f"Divisions by a number are left: {by.count(False)} of 3.")
    need(any(by), "The division by a tensor is gone too: leave it alone.")
    with passes(post_grad=answer):
        recording = lower(make_fx(_quotients)(x, y), x, y)
    mine = [p for p in recording.passes if p.hook and p.name == name_of(answer)]
    changed = sum(len(change.changed) + len(change.added) for p in mine for change in p.changes)
    need(changed, "Run among Inductor's own passes, it changed nothing.")
    return f"It is among Inductor's {len(recording.passes)} passes, and changed {changed} nodes."


EXERCISES = (
    Exercise(
        "11.1",
        "Count",
        _counts,
        (
            "Section 2 goes over the nodes. Those that compute have an op that begins with 'call'.",
            "`counts[node.target] += 1`, in the backend, before it returns.",
        ),
    ),
    Exercise(
        "11.2",
        "Approximate",
        _approximates,
        (
            "Go over the nodes and set `kwargs` of the right ones. What comes after a change?",
            "`gm.recompile()` regenerates the code; only then take `gm.forward`.",
        ),
    ),
    Exercise(
        "11.3",
        "Forward and backward",
        _sizes,
        (
            "Section 5: AOTAutograd calls one compiler for each of two graphs.",
            "Give `aot_module_simplified` a `fw_compiler` and a `bw_compiler` that differ in the "
            "name under which they write.",
        ),
    ),
    Exercise(
        "11.4",
        "A pass",
        _pass,
        (
            "`graph.find_nodes(op=..., target=...)` gives the divisions; look at `node.args[1]`.",
            "An argument that is a tensor is a `torch.fx.Node`; a number is an int or a float. "
            "Setting `node.target` and `node.args` is enough.",
        ),
    ),
)
