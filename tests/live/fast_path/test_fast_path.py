"""What is said of the fast path, against what PyTorch did: which operators it called."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

import dynamo_lab as lab
from dynamo_lab.bench.fast_path import difference
from dynamo_lab.capture.fast_path.eager import calls_of
from dynamo_lab.model.fast_path.calls import OPERATORS, FastPathCall
from dynamo_lab.view import build
from dynamo_lab.view.fast_path.remedies import REMEDIES, remedy_for
from tests.live.fast_path.configurations import Configuration, configurations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dynamo_lab.model.recording import Recording


class Called(TorchDispatchMode):
    """Counts the operators of the fast path that PyTorch calls."""

    def __init__(self) -> None:
        super().__init__()
        self.counts = Counter[str]()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.name().removeprefix("aten::")
        if name in OPERATORS.values():
            self.counts[name] += 1
        return func(*args, **(kwargs or {}))


def without_bias(one: Configuration) -> bool:
    attentions = [m for m in one.module.modules() if isinstance(m, nn.MultiheadAttention)]
    return any(m.in_proj_bias is None for m in attentions)


@pytest.mark.slow
def test_taken_is_what_pytorch_called_in_configurations_drawn_by_lot() -> None:
    decided, reasons = Counter[tuple[str, bool]](), set[str]()
    for one in configurations(120):
        called = Called()
        with warnings.catch_warnings(), called:
            warnings.simplefilter("ignore")  # nested tensors are a prototype, PyTorch says
            found = calls_of(one.call, one.module)
        assert Counter(OPERATORS[call.kind] for call in found if call.taken) == called.counts
        for call in found:
            decided[call.kind, call.taken] += 1
            reasons.add(call.made_so or call.reason)
            assert call.taken or call.reason or (call.kind == "attention" and without_bias(one))
    assert len(decided) == 6
    assert min(decided.values()) >= 5
    assert len(reasons) >= 20


class Text(nn.Module):
    """An encoder inside of a program of the reader's."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.encoder = encoder(**options)

    def forward(self, x: torch.Tensor, pad: torch.Tensor | None) -> torch.Tensor:
        return self.encoder(x, src_key_padding_mask=pad) * 2


def layer(**options: Any) -> nn.TransformerEncoderLayer:
    options = {"batch_first": True, **options}
    return nn.TransformerEncoderLayer(16, options.pop("heads", 2), 32, **options).eval()


def encoder(mask_check: bool = True, **options: Any) -> nn.TransformerEncoder:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nn.TransformerEncoder(layer(**options), 2, mask_check=mask_check).eval()


def attention(**options: Any) -> nn.MultiheadAttention:
    options = {"batch_first": True, **options}
    return nn.MultiheadAttention(16, options.pop("heads", 2), **options).eval()


X = torch.randn(2, 6, 16)
PAD = torch.tensor([[False] * 6, [False] * 3 + [True] * 3])


def compiled(fn: Callable[..., Any], *args: Any) -> Recording:
    with torch.no_grad():
        recording = lab.explore(fn, *args, backend="eager")
    lab.check(recording, failures=0)
    assert not any("fast" in note.about for note in recording.notes)
    return recording


@pytest.fixture(scope="module")
def padded() -> Recording:
    return compiled(Text(), X, PAD)


def test_what_dynamo_decides_is_what_the_graph_calls(padded: Recording) -> None:
    rows = build(padded).fast_paths
    assert [(row.name, row.count, row.state, row.depth) for row in rows] == [
        ("nn.TransformerEncoder", 1, "refused", 0),
        ("nn.TransformerEncoderLayer", 2, "taken", 1),
    ]
    assert rows[0].code == "return self.encoder(x, src_key_padding_mask=pad) * 2"
    assert rows[0].modules == "encoder"
    assert "mask_check enabled with torch.compile" in rows[0].told
    [graph] = padded.captured_graphs()
    called = [node.target for node in graph.nodes if node.target.endswith(OPERATORS["layer"])]
    assert len(called) == 2


def test_each_kind_under_compile_is_what_the_profiler_saw() -> None:
    for module, args in (
        (layer(), (X,)),
        (layer(heads=1), (X,)),
        (attention(), (X, X, X)),
    ):
        with torch.profiler.profile() as profile:
            recording = compiled(module, *args)
        seen = {event.name.removeprefix("aten::") for event in profile.events() or ()}
        seen &= set(OPERATORS.values())
        if OPERATORS["layer"] in seen:  # it calls that of attention itself
            seen.remove(OPERATORS["attention"])
        assert seen == {OPERATORS[one.call.kind] for one in recording.fast_paths if one.call.taken}
        assert recording.fast_paths


def test_where_the_graph_breaks_inside_it_says_so() -> None:
    recording = compiled(Text(mask_check=False), X, PAD)
    [row] = build(recording).fast_paths
    assert row.state == "broken"
    assert row.modules == "encoder"
    assert any("_nested_tensor_from_mask" in one.explanation for one in recording.breaks)


def test_without_a_module_that_has_one_there_is_nothing() -> None:
    assert compiled(nn.Linear(16, 2), X).fast_paths == ()


def called(module: nn.Module, *inputs: Any, **options: Any) -> Callable[[], Any]:
    def call() -> Any:
        with torch.no_grad():
            return module(*inputs, **options)

    return call


def with_grad(module: nn.Module, *inputs: Any) -> Callable[[], Any]:
    def call() -> Any:
        with torch.enable_grad():
            return module(*inputs)

    return call


def cast(module: nn.Module) -> Callable[[], Any]:
    """PyTorch asks only whether autocast is on for GPUs: without one it can be said so."""

    def call() -> Any:
        torch.set_autocast_enabled("cuda", True)
        try:
            return called(module, X)()
        finally:
            torch.set_autocast_enabled("cuda", False)

    return call


def forbidden() -> Any:
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        return called(layer(), X)()
    finally:
        torch.backends.mha.set_fastpath_enabled(True)


def hooked(remove: bool) -> nn.Module:
    made = layer()
    handle = made.linear1.register_forward_hook(lambda *_: None)
    if remove:
        handle.remove()
    return made


def other_eps(eps: float) -> nn.Module:
    made = layer()
    made.norm1.eps = eps
    return made


CAUSAL = torch.ones(6, 6, dtype=torch.bool).triu(1)
ADDED = torch.zeros(6, 6).masked_fill(CAUSAL, float("-inf"))
PADDED = {"src_key_padding_mask": PAD}


def mended() -> Iterator[tuple[str, Callable[[], Any], Callable[[], Any] | None]]:
    """Words of PyTorch's, a call that it says them of, and the same with the remedy applied.

    There is none where the remedy says that it is another model.
    """
    yield "get_fastpath_enabled() was not True", forbidden, called(layer(), X)
    yield "grad is enabled", with_grad(layer(), X), called(layer(), X)
    yield "training", called(layer().train(), X), called(layer().train().eval(), X)
    yield "not batched", called(layer(), X[0]), called(layer(), X[0].unsqueeze(0))
    yield (
        "batch_first was not True",
        called(layer(batch_first=False), X),
        called(layer(), X.transpose(0, 1)),
    )
    yield "autocast is enabled", cast(layer()), called(layer().bfloat16(), X.bfloat16())
    silu = layer(activation=functional.silu)
    yield (
        "activation_relu_or_gelu was not True",
        called(silu, X),
        called(layer(activation="gelu"), X),
    )
    yield "eps", called(other_eps(1e-3), X), called(other_eps(1e-5), X)
    yield "passed bias=False", called(layer(bias=False), X), None
    yield "hooks are attached", called(hooked(False), X), called(hooked(True), X)
    yield "is odd", called(layer(heads=1), X), None
    yield "is not even", called(attention(heads=1), X, X, X), None
    yield "not the same Tensor", called(attention(), X, X.clone(), X), called(attention(), X, X, X)
    yield (
        "floating-point masks",
        called(attention(), X, X, X, attn_mask=ADDED),
        called(attention(), X, X, X, attn_mask=CAUSAL),
    )
    yield "norm_first was True", called(encoder(norm_first=True), X, **PADDED), None
    flipped = {"src_key_padding_mask": PAD.flip(1)}
    yield (
        "not left aligned",
        called(encoder(), X, **flipped),
        called(encoder(), X.flip(1), **PADDED),
    )
    yield (
        "mask were both supplied",
        called(encoder(), X, mask=CAUSAL, **PADDED),
        called(encoder(), X, **PADDED),
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("words", "refused", "applied"), list(mended()), ids=lambda v: str(v)[:24])
def test_a_remedy_is_for_the_reason_that_it_names_and_helps(
    words: str, refused: Callable[[], Any], applied: Callable[[], Any] | None
) -> None:
    before: FastPathCall = calls_of(refused)[0]
    remedy = next(one for one in REMEDIES if one.words == words)
    assert not before.taken
    assert words in (before.made_so or before.reason)
    assert remedy_for(before) == remedy.text
    assert applied is None or calls_of(applied)[0].taken


def test_every_remedy_is_tried() -> None:
    of_dynamo = {"mask_check enabled with torch.compile", "make_fx tracing"}
    assert {words for words, *_ in mended()} | of_dynamo == {one.words for one in REMEDIES}


def test_a_layer_s_own_mask_is_not_the_reader_s_to_change() -> None:
    found = calls_of(called(layer(heads=1), X, **PADDED))
    assert [call.kind for call in found] == ["layer", "attention"]
    assert "floating-point masks" in found[1].reason or "not even" in found[1].reason
    assert remedy_for(found[1]) == ""


@pytest.mark.filterwarnings("ignore")
def test_what_dynamo_refuses_eager_takes_where_it_is_left_to_it() -> None:
    text = Text()
    untyped: Any = torch.compiler
    text.encoder = untyped.disable(text.encoder)
    asked = lab.fast_path(text, X, PAD, rounds=0)
    assert [call.taken for call in asked.trial.eager] == [True, True, True]
    assert asked.trial.compiled == ()
    assert "nothing" not in str(asked)
    assert "Dynamo met no call of it." in str(asked)


@pytest.mark.filterwarnings("ignore")
def test_it_is_asked_and_leaves_everything_as_it_was() -> None:
    asked = lab.fast_path(encoder(), X, src_key_padding_mask=PAD, rounds=0)
    assert [call.taken for call in asked.trial.eager] == [True, True, True]
    assert [one.call.taken for one in asked.trial.compiled] == [False, True, True]
    assert "<table>" in asked._repr_mimebundle_()["text/html"]
    assert torch.backends.mha.get_fastpath_enabled()
    trained = lab.fast_path(encoder(), X, grad=True, rounds=0)
    assert not any(call.taken for call in trained.trial.eager)


@pytest.mark.filterwarnings("ignore")
def test_results_are_compared_where_they_are_somebody_s() -> None:
    made = encoder()
    with_path = called(made, X, **PADDED)()
    made.enable_nested_tensor = made.use_nested_tensor = False
    without = called(made, X, **PADDED)()
    apart = difference(with_path, without, PAD)
    assert apart is not None
    assert apart < 1e-5 < (difference(with_path, without) or 0.0)
    assert difference(X, X[:1]) is None


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_all_four_ways_are_timed() -> None:
    asked = lab.fast_path(encoder(), X, src_key_padding_mask=PAD, rounds=2, seconds=0.01)
    assert [times.way for times in asked.trial.measured] == [
        "eager", "compiled", "fast path", "both",
    ]  # fmt: skip
    assert all(len(times.seconds) >= 2 for times in asked.trial.measured)
    assert max(times.difference or 0.0 for times in asked.trial.measured) < 1e-4


@pytest.mark.slow
def test_its_operator_is_called_as_it_is_and_without_it_the_parts_are_compiled() -> None:
    def calls_to_libraries() -> list[str]:
        with torch.no_grad():
            recording = lab.lower(layer(), X)
        return [buffer.kernel for buffer in recording.buffers if buffer.kernel]

    assert any(OPERATORS["layer"] in name for name in calls_to_libraries())
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        parts = calls_to_libraries()
    finally:
        torch.backends.mha.set_fastpath_enabled(True)
    assert parts
    assert not any(OPERATORS["layer"] in name for name in parts)
