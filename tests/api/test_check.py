"""A check passes or says what it found, with places and reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from dynamo_lab.api.check import check, options
from dynamo_lab.errors import CheckFailed, OptionError
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.core.sources import Source, Span
from dynamo_lab.model.recording import Failure

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording

replace = msgspec.structs.replace


def message(recording: Recording, **expected: Any) -> str:
    with pytest.raises(CheckFailed) as caught:
        check(recording, **expected)
    return str(caught.value)


def test_the_recording_comes_back(sample: Recording) -> None:
    checked = check(sample, breaks=1, graphs=1, recompiles=1, frames=2, max_kernels=1)
    assert checked is sample


def test_a_break_is_named_with_place_kind_and_number(sample: Recording) -> None:
    assert message(sample, breaks=0) == (
        "cell 3 is not as expected:\n"
        "- expected 0 breaks, found 1:\n"
        "    cell 3, line 3: Data-dependent branching (GB0170)"
    )


def test_every_miss_is_listed(sample: Recording) -> None:
    text = message(sample, breaks=0, graphs=3, recompiles=0, frames=1, max_kernels=0)
    assert "expected 3 graphs, found 1:\n    graph 1: 2 operators of step (cell 3, line 1)" in text
    assert "step (cell 3, line 1), compilation 0/1: tensor 'x' size mismatch" in text
    assert "expected 1 frame, found 2:" in text
    assert "step after line 3 (cell 3, line 3): skipped, no tensors" in text
    assert "expected at most 0 kernels, found 1:\n    cpp_fused_add_relu_0 (cpp)" in text


def test_skipped_frames_of_libraries_do_not_count(sample: Recording) -> None:
    torch = Source("torch/nn.py", "library")
    spans = (*sample.spans, Span(1, 7, "forward"))
    skipped = replace(sample.frames[1], id=2, span=3)
    noisy = replace(
        sample, sources=(*sample.sources, torch), spans=spans, frames=(*sample.frames, skipped)
    )
    assert check(noisy, frames=2) is noisy
    compiled = replace(skipped, outcome="compiled")
    assert check(replace(noisy, frames=(*sample.frames, compiled)), frames=3)


def test_too_few_is_a_miss_but_not_of_a_limit(sample: Recording) -> None:
    assert "expected 2 breaks, found 1" in message(sample, breaks=2)
    assert check(sample, max_kernels=5) is sample


def test_none_expected_and_none_found_has_no_list(sample: Recording) -> None:
    empty = replace(sample, breaks=(), recompiles=())
    assert message(empty, breaks=2).endswith("- expected 2 breaks, found 0")


def test_long_lists_are_cut(sample: Recording) -> None:
    many = replace(sample, breaks=sample.breaks * 25)
    text = message(many, breaks=0)
    assert "found 25" in text
    assert text.endswith("    and 15 more")


class TestAnIncompleteRecordingNeverPasses:
    def test_a_failed_program(self, sample: Recording) -> None:
        failure = Failure(type="ValueError", message="bad \x1b shape\nmore", traceback="")
        text = message(replace(sample, failure=failure))
        assert r"the program failed: ValueError: bad \x1b shape" in text

    def test_one_still_being_recorded(self, sample: Recording) -> None:
        assert "was not finished" in message(replace(sample, state="recording"), breaks=1)

    def test_a_probe_that_failed(self, sample: Recording) -> None:
        note = Note(level="failure", about="breaks", message="the probe raised KeyError")
        blind = replace(sample, breaks=(), notes=(note,))
        text = message(blind, breaks=0)
        assert "expected 0 failed probes, found 1" in text
        assert "breaks: the probe raised KeyError" in text
        assert check(blind, breaks=0, failures=None) is blind
        assert check(blind, breaks=0, failures=1) is blind


class TestOptions:
    @pytest.mark.parametrize(
        ("typo", "meant"), [("break_", "breaks"), ("kernels", "max_kernels"), ("graph", "graphs")]
    )
    def test_an_unknown_one_names_the_nearest(
        self, sample: Recording, typo: str, meant: str
    ) -> None:
        with pytest.raises(TypeError, match=f"no option '{typo}': did you mean '{meant}'"):
            check(sample, **{typo: 0})

    def test_one_like_none_of_them(self, sample: Recording) -> None:
        with pytest.raises(TypeError, match="The options are breaks, graphs"):
            check(sample, zzz=0)

    @pytest.mark.parametrize("value", [-1, True, "0", 0.0])
    def test_a_value_that_is_no_count(self, sample: Recording, value: Any) -> None:
        with pytest.raises(OptionError, match=r"breaks=.* is not a count: pass an integer"):
            check(sample, breaks=value)

    def test_each_has_a_sentence(self) -> None:
        assert all(text.endswith(".") for text in options().values())
        assert "breaks" in options()


@pytest.mark.parametrize("value", [5, None, "run.json"])
def test_what_is_no_recording(value: Any) -> None:
    with pytest.raises(TypeError, match=r"check\(\) takes recordings, not \w+: pass what explore"):
        check(value, breaks=0)


def test_hostile_text_stays_text(sample: Recording) -> None:
    hostile = replace(sample.breaks[0], gb_type="\x1b[31mred\u2028\u202e</script>")
    text = message(replace(sample, breaks=(hostile,)), breaks=0)
    assert r"\x1b[31mred\u2028\u202e</script>" in text
