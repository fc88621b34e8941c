"""A module of PyTorch's that Python calls is said to be left to it; what helps is tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording
from tests.findings.faults import findings_of

if TYPE_CHECKING:
    from dynamo_lab.view.findings.finding import Finding

SKIPPED = "frame is in the Dynamo skipfiles list"
TORCH = "/x/site-packages/torch/nn"


def recorded(caller: str = "/home/me/train.py", effect: str = "", name: str = "step") -> Recording:
    """A function of this file calls `nn.Sequential`, on line 2; `effect` is that of a break."""
    kind = "library" if "site-packages" in caller else "user"
    broke = Break(
        id=0, frame=0, compile_id="0/0", span=2, effect="skipped", gb_type="g", reason="r"
    )
    return Recording(
        title="step",
        sources=(
            Source(caller, kind, (Excerpt(1, "def step(x):\n    return net(x)"),)),
            Source(f"{TORCH}/modules/container.py", "library"),
        ),
        spans=(Span(0, 1, "step"), Span(1, 250, "forward"), Span(0, 2, "step")),
        frames=(
            Frame(id=0, name=name, span=0, outcome="skipped", reason="some reason"),
            Frame(
                id=1,
                name="Sequential.forward",
                span=1,
                outcome="skipped",
                reason=SKIPPED,
                caller=0,
                caller_line=2,
            ),
        ),
        breaks=(replace(broke, effect=effect),) if effect else (),
        state="done",
    )


def left(recording: Recording) -> list[Finding]:
    return [one for one in findings_of(recording) if one.rule == "left-to-python"]


def test_it_is_said_at_the_readers_line_with_the_reason() -> None:
    (found,) = left(recorded())
    assert found.sentence.startswith("`Sequential.forward` is called by Python, not by code that")
    assert found.sentence.endswith("Nothing was compiled.")
    assert found.where == "line 2"
    assert found.code == "model = torch.compile(model)"


def test_under_ddp_it_is_compiled_before_it_is_wrapped() -> None:
    (found,) = left(
        recorded(f"{TORCH}/parallel/distributed.py", name="DistributedDataParallel.forward")
    )
    assert "is called by DDP" in found.sentence
    assert found.where == "container.py:250"
    assert found.code == "model = DistributedDataParallel(torch.compile(model))"


def test_a_break_of_the_readers_is_the_cause_and_is_told_alone() -> None:
    assert not left(recorded(effect="skipped"))


@pytest.mark.parametrize(
    "change",
    [
        {"outcome": "compiled", "reason": ""},
        {"reason": "no tensor-related objects found in frame"},
        {"name": "Module._call_impl"},
    ],
)
def test_other_frames_are_not_meant(change: dict[str, Any]) -> None:
    known = recorded()
    frames = (known.frames[0], replace(known.frames[1], **change))
    assert not left(replace(known, frames=frames))
