"""A log's guards are counted as a recording counts them, and its functions told apart."""

from collections.abc import Callable

from msgspec.structs import replace

from dynamo_lab.capture.traces.guards import guards
from dynamo_lab.capture.traces.texts import TraceTexts
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import frame_names

_TREE = """\
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- GuardManager: source=L['x'], accessed_by=FrameLocalsGuardAccessor(key='x')
| | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, size=[2, 8])  # y = x + 1  # m.py:9 in f
| | +- DIMENSION_DYNAMIC_MARKING_GUARD: hasattr(L['x'], '_dynamo_dynamic_indices') == False
| | +- DIMENSION_DYNAMIC_MARKING_GUARD: hasattr(L['x'], '_dynamo_static_indices') == False
| +- GuardManager: source=L['s'], accessed_by=FrameLocalsGuardAccessor(key='s')
| | +- TYPE_MATCH: ___check_type_id(L['s'], 1)  # y = s.a(x)  # m.py:9 in f (HINT: type Net)
"""


def test_the_marks_of_a_tensor_are_of_its_guard_and_a_hint_of_no_check() -> None:
    tensor, kind = guards(_TREE, 0, "0/0", TraceTexts())
    assert tensor.kind == "TENSOR_MATCH"
    assert len(tensor.expressions) == 3
    assert kind.expressions == ("___check_type_id(L['s'], 1)",)
    assert kind.stack is not None


def test_functions_of_one_name_are_told_apart_by_their_line(
    make: Callable[[str], Recording],
) -> None:
    recording = make("recompiled")
    [frame] = recording.frames
    span = recording.spans[frame.span]
    other = replace(frame, id=1, span=len(recording.spans))
    spans = (*recording.spans, replace(span, line=span.line + 1))
    both = replace(recording, frames=(frame, other), spans=spans)
    plain = frame_names(recording)[0]
    assert frame_names(both) == (f"{plain} (line {span.line})", f"{plain} (line {span.line + 1})")
