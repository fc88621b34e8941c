"""Code for a device: lower a program, for one target or for several."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, cast, overload

from msgspec import structs

from dynamo_lab.api.recording import Recording, recording_of
from dynamo_lab.api.side_by_side import SideBySide
from dynamo_lab.errors import OptionError
from dynamo_lab.live.assembly.assembly import with_assemblies
from dynamo_lab.model.lowering import LAB
from dynamo_lab.record.lower import find_target
from dynamo_lab.record.lower import lower as lower_once
from dynamo_lab.record.recorders import Detail, refuse_uncallable
from dynamo_lab.record.run import Choice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@overload
def lower(
    fn: Callable[..., Any],
    *args: Any,
    target: str = "cpu",
    mode: str | None = None,
    dynamic: bool | None = None,
    fullgraph: bool = False,
    options: Mapping[str, Any] | None = None,
    grad: bool | None = None,
    detail: Detail = "normal",
    assembly: bool = False,
    backend: str = "inductor",
    **kwargs: Any,
) -> Recording: ...


@overload
def lower(
    fn: Callable[..., Any],
    *args: Any,
    target: Sequence[str],
    mode: str | None = None,
    dynamic: bool | None = None,
    fullgraph: bool = False,
    options: Mapping[str, Any] | None = None,
    grad: bool | None = None,
    detail: Detail = "normal",
    assembly: bool = False,
    backend: str = "inductor",
    **kwargs: Any,
) -> SideBySide: ...


def lower(
    fn: Callable[..., Any],
    *args: Any,
    target: str | Sequence[str] = "cpu",
    mode: str | None = None,
    dynamic: bool | None = None,
    fullgraph: bool = False,
    options: Mapping[str, Any] | None = None,
    grad: bool | None = None,
    detail: Detail = "normal",
    assembly: bool = False,
    backend: str = "inductor",
    **kwargs: Any,
) -> Recording | SideBySide:
    """Every stage of `torch.compile` down to code for a target, which this machine need not have.

    No code is built, and none runs on the target. To get past graph breaks, the captured graphs
    run eagerly, where the arguments are; so use small ones. Where autotuning would time
    candidates, one is chosen without timing, and a note says so.

    Args:
        fn: A function or an nn.Module; it is called as `fn(*args, **kwargs)`.
        *args: Arguments of `fn`.
        target: "cpu", "cpu:avx512", "cpu:avx2", "cpu:neon", "cpu:scalar", "cuda:sm_80" (A100),
            "cuda:sm_90" (H100), "cuda:sm_100" (B200), "rocm:gfx942" (MI300X), "mps" and more:
            `dynamo_lab.model.targets.known()`. Several make a SideBySide.
        mode: As for `torch.compile`.
        dynamic: As for `torch.compile`.
        fullgraph: As for `torch.compile`.
        options: Settings of `torch._inductor.config`, such as {"max_fusion_size": 1}.
        grad: True also lowers the backward, False runs under `torch.no_grad()`.
        detail: "steps" also records each instruction that Dynamo interprets.
        assembly: True also assembles each kernel, and stores that in the recording. It takes a
        second or two per kernel; `Recording.assembly` does it later for one.
        backend: "lab" has the compiler in `dynamo_lab.compiler` print its kernels, as C, Triton or
            Metal; else Inductor.
        **kwargs: Keyword arguments of `fn`.

    Raises:
        OptionError: there is no such target, backend, mode or setting.
    """
    refuse_uncallable(fn)
    if backend not in ("inductor", LAB):
        raise OptionError(
            f'backend={backend!r} prints no code for a target: "inductor" and "lab" do.'
        )
    settings = dict(options or {})
    if backend == LAB and settings:
        raise OptionError("options are settings of Inductor: the backend lab has none of them.")
    choice = Choice(
        mode=mode, dynamic=dynamic, fullgraph=fullgraph, grad=grad, settings=settings,
        backend=backend,
    )  # fmt: skip

    def lowered_for(name: str) -> Recording:
        chosen = structs.replace(choice, target=find_target(name).name)
        run = lower_once(fn, args, kwargs, chosen, detail)
        facts = with_assemblies(run.facts) if assembly else run.facts
        return recording_of(dataclasses.replace(run, facts=facts))

    if isinstance(target, str):
        return lowered_for(target)
    names = dict.fromkeys(find_target(name).name for name in _names(target))
    return SideBySide({name: lowered_for(name) for name in names})


def _names(given: Sequence[Any]) -> list[str]:
    if not isinstance(cast("object", given), list | tuple) or not given:
        raise OptionError(f'target={given!r} is not a target: pass "cpu", or a list of names.')
    return [str(name) for name in given]
