"""Lesson 13: seven broken programs, one for each question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.course.asking import lowered, need, need_function, need_kind, one_graph, recorded
from dynamo_lab.course.comparing import (
    COMPILED,
    one_graph_for,
    same_calls,
    same_numbers,
    same_result,
)
from dynamo_lab.course.exercises import Exercise, NotYet

if TYPE_CHECKING:
    from dynamo_lab.api.recording import Recording

_MOST_NODES = 20
"""The most nodes of the distances. Ours needs 6, whatever the number of points."""


def _clipped(grad: Any) -> Any:
    norm = grad.norm()
    return grad / norm if norm > 1.0 else grad


def _one_graph_for_both(answer: Any) -> str:
    import torch

    small, large = torch.linspace(-0.1, 0.2, 16), torch.linspace(-3, 5, 16)
    one_graph_for(answer, _clipped, (small,), (large,), (-large,))
    return "One graph, whether the gradient is clipped or not, and nobody waits for the norm."


def _means_right(module: Any, losses: Any, subject: str) -> None:
    """Check that each call gives the mean of all losses so far."""
    for at, loss in enumerate(losses):
        got = float(module(loss))
        wanted = losses[: at + 1].mean().item()
        need(
            abs(got - wanted) < 1e-4,
            f"{subject} {got:.4g} at call {at + 1}; the mean of all losses so far is {wanted:.4g}.",
        )


def _kind_of_module(answer: Any) -> None:
    import torch

    is_module = isinstance(answer, type) and issubclass(answer, torch.nn.Module)
    need_kind(is_module, "Pass the class itself, a `torch.nn.Module`: the check creates it.")


def _compiled_once(answer: Any) -> str:
    import torch

    from dynamo_lab.api.explore import record

    _kind_of_module(answer)
    losses = torch.rand(12)
    _means_right(answer(), losses, "It gives")
    with record("twelve calls") as recorder:
        compiled = torch.compile(answer(), backend="eager")
        _means_right(compiled, losses, "Compiled, it gives")
    one_graph(recorder.recording)
    return "Two tensors of a fixed size hold all that a mean needs: their values are not guarded."


def _distances(points: Any) -> Any:
    return (points[:, None] - points).square().sum(-1).sqrt()


def _nodes(recording: Recording) -> int:
    graphs = recording.captured_graphs()
    return sum(node.op.startswith("call") for graph in graphs for node in graph.nodes)


def _small_graph(answer: Any) -> str:
    import torch

    points = torch.linspace(-2, 3, 90).sin().reshape(30, 3)
    one_graph(same_numbers(answer, _distances, points))
    one_graph_for(answer, _distances, (points * 4,), (points.cos(),))
    recording = recorded(answer, points, backend="eager")
    count = _nodes(recording)
    need(count <= _MOST_NODES, f"{count} nodes for 30 points, but {_MOST_NODES} are allowed.")
    return f"{count} nodes, and as many for any number of points."


def _normalized(images: Any) -> Any:
    import torch

    mean, std = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
    return (images / 255 - mean) / std


def _no_float64(answer: Any) -> str:
    import torch

    images = torch.linspace(0, 255, 2 * 4 * 4 * 3).reshape(2, 4, 4, 3)
    need_function(answer)
    got = answer(images)
    need(torch.is_tensor(got), f"A tensor is needed, but this is {got!r:.60}.")
    same_result(lambda x: answer(x).float(), _normalized, images)
    recording = lowered(answer, images)
    one_graph(recording)
    wide = [n for graph in recording.graphs for n in graph.nodes if n.value.dtype == "f64"]
    need(not wide, f"float64 is still there: `{wide[0].name}` computes in it." if wide else "")
    need(got.dtype == torch.float32, f"The result is {got.dtype}, and should be float32.")
    same_numbers(answer, _normalized, images)
    return (
        "float32 from the first line to the last: half the bytes, and twice the numbers a vector."
    )


def _model() -> Any:
    import torch

    torch.manual_seed(0)
    layers = (torch.nn.Linear(8, 32), torch.nn.GELU(), torch.nn.Dropout(), torch.nn.Linear(32, 1))
    return torch.nn.Sequential(*layers).eval()


def _loss(model: Any, x: Any, y: Any) -> Any:
    return (model(x) - y).square().mean()


def _nothing_saved(answer: Any) -> str:
    import torch

    model, x, y = _model(), torch.linspace(-1, 1, 32).reshape(4, 8), torch.ones(4, 1)
    same_result(answer, lambda *args: _loss(*args).detach(), model, x, y)
    same_result(answer, lambda *args: _loss(*args).detach(), model, -x, y)
    answer(model, x, y)
    need(
        all(one.requires_grad for one in model.parameters()),
        "The model can no longer be trained: its parameters lost `requires_grad`.",
    )
    recording = recorded(answer, model, x, y, backend="aot_eager")
    one_graph(recording)
    compiled = torch.compile(answer, backend="eager")
    calls = ((model, x, y), (model, -x, y))
    one_graph(same_calls(compiled, lambda *a: _loss(*a).detach(), *calls, subject=COMPILED))
    kept = sum(part.activation_bytes for part in recording.partitions)
    need(not kept, f"{kept:,} bytes are still saved for a backward that never runs.")
    return "Without a gradient there is no backward, and nothing has to wait for it."


def _sold(stock: Any, sold: Any) -> Any:
    import torch

    left = stock - sold
    missing = (5.0 - left).clamp(min=0)
    return torch.stack([(left + missing) * 2, missing])


def _as_one(answer: Any) -> Any:
    """The answer's two results as one tensor."""
    import torch

    def both(*args: Any) -> Any:
        found = answer(*args)
        right = isinstance(found, tuple | list) and len(found) == 2
        need(right, "It should still return two tensors: the value of the stock, and the order.")
        return torch.stack(list(found))

    return both


def _same_with_inductor(answer: Any) -> str:
    import torch

    need_function(answer)
    stock, sold = torch.full((8,), 9.0), torch.arange(8.0)
    calls = ((stock, sold), (stock * 2, sold), (stock, sold.flip(0)))
    for args in calls:
        same_result(_as_one(answer), _sold, *args)
    recording = same_calls(_as_one(torch.compile(answer)), _sold, *calls, subject=COMPILED)
    one_graph(recording)
    called = [node.target for graph in recording.captured_graphs() for node in graph.nodes]
    need(
        any(target.startswith("shop.topup") for target in called),
        "The numbers are right, but `shop::topup` is no longer called: mend it, others use it too.",
    )
    return "Every pass trusts what an operator says of itself: now it says what it writes."


def _patched(module: Any, images: Any) -> Any:
    parts = images.unfold(2, 4, 4).unfold(3, 4, 4).permute(0, 2, 3, 1, 4, 5)
    return module.embed(parts.reshape(images.shape[0], 16, 48))


def _exported(module: Any, images: Any) -> Any:
    """The module exported for any number of images; where that fails, `NotYet` says why."""
    import torch

    from dynamo_lab.api.explore import record

    sizes = ({0: torch.export.Dim("n")},)
    with record("export") as recorder:
        try:
            return torch.export.export(module, (images,), dynamic_shapes=sizes).module()
        except Exception as error:
            failure: Exception = error
    found = recorder.recording.findings
    first = str(failure).strip().splitlines()[0]
    raise NotYet(found[0].sentence if found else f"It is not exported: {first:.200}")


def _any_number_of_images(answer: Any) -> str:
    import torch

    _kind_of_module(answer)
    torch.manual_seed(0)
    module = answer()
    need(
        getattr(getattr(module, "embed", None), "in_features", 0) == 48,
        "The module should keep its layer `embed`: its weights are trained.",
    )
    images = torch.linspace(-1, 1, 5 * 3 * 16 * 16).reshape(5, 3, 16, 16)
    same_result(lambda x: module(x).detach(), lambda x: _patched(module, x).detach(), images)
    exported = _exported(module, images)
    for count in (5, 2, 9):
        batch = images[:1].sin().repeat(count, 1, 1, 1) * torch.arange(count)[:, None, None, None]
        same_result(
            lambda x: exported(x).detach(),
            lambda x: _patched(module, x).detach(),
            batch,
            subject="Exported, it computes",
        )
    return "One exported program for any number of images."


EXERCISES = (
    Exercise(
        "13.1",
        "Why does it break?",
        _one_graph_for_both,
        (
            "Which line needs a number of Python's, where the graph has a tensor?",
            "Compute both gradients, and let a tensor of `True` or `False` choose.",
        ),
    ),
    Exercise(
        "13.2",
        "Why is it compiled again?",
        _compiled_once,
        (
            "What of the module is different at each call, and is not the value of a tensor?",
            "A mean needs a sum and a count. Both can be buffers.",
        ),
    ),
    Exercise(
        "13.3",
        "Why does it take so long to compile?",
        _small_graph,
        (
            "How many nodes does one more point cost?",
            "No distance needs another one: a dimension more, and broadcasting does them at once.",
        ),
    ),
    Exercise(
        "13.4",
        "Why is it slow?",
        _no_float64,
        (
            "Which type do NumPy's numbers have, and which type do images have?",
            "Where an operand is made, it can be given a type. A cast at the end comes too late.",
        ),
    ),
    Exercise(
        "13.5",
        "Why does it take so much memory?",
        _nothing_saved,
        (
            "Who reads what is saved? `eval()` changes how layers behave, and nothing else.",
            "There is a context in which PyTorch keeps nothing for a backward.",
        ),
    ),
    Exercise(
        "13.6",
        "Is it wrong, or is that rounding?",
        _same_with_inductor,
        (
            "The named pass changes the order of what does not write. What does `topup` say of "
            "itself, and what does it do?",
            "`mutates_args` names the arguments that an operator writes to.",
        ),
    ),
    Exercise(
        "13.7",
        "Why does it not export?",
        _any_number_of_images,
        (
            "Which line makes a number of Python's of a size that should stay open?",
            "`images.shape[0]` is a number that may be a symbol. What does `int` make of it?",
        ),
    ),
)
