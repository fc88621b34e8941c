"""Attention as shown: where, what it became, and what to change."""

from collections.abc import Callable

from msgspec.structs import replace

from dynamo_lab.model.recording import Recording
from dynamo_lab.render import terminal
from dynamo_lab.view import build
from dynamo_lab.view.attention.attention import AttentionView

Make = Callable[[str], Recording]


def calls(recording: Recording) -> tuple[AttentionView, ...]:
    return build(recording).attentions


def test_each_call_once_with_its_line(make: Make) -> None:
    found = calls(make("attending"))
    assert [(call.line, call.node) for call in found] == [
        ("line:0:1", "node:0:3"),
        ("line:0:3", "node:0:5"),
        ("line:0:2", "node:1:4"),
    ]
    assert found[1].module == "layers.0.attention"


def test_what_it_became_and_that_the_rules_say_so(make: Make) -> None:
    masked, dropped, by_hand = calls(make("attending"))
    assert masked.became.startswith("It became `aten._scaled_dot_product_flash_attention_for_cpu`")
    assert dropped.became.startswith("It became 2 operators, not one kernel: plain mathematics")
    assert all(call.became.endswith("as PyTorch's rules say.") for call in (masked, dropped))
    assert by_hand.origin.startswith("`_sfdp_pattern_1` matched")
    assert not any(call.differs for call in (masked, dropped, by_hand))


def test_it_says_if_something_else_ran(make: Make) -> None:
    recording = make("attending")
    first, *others = recording.attentions
    changed = replace(first, problem=replace(first.problem, dropout=0.5))
    call = calls(replace(recording, attentions=(changed, *others)))[0]
    assert call.differs
    assert "PyTorch's rules say plain mathematics: why it differs is not known." in call.became


def test_what_was_not_compiled_further_is_not_in_the_recording(make: Make) -> None:
    recording = make("attending")
    captured = replace(
        recording,
        graphs=recording.graphs[:1],
        links=(),
        attentions=recording.attentions[:2],
    )
    assert {call.became for call in calls(captured)} == {"What it became is not in the recording."}


def test_a_restarted_analysis_has_no_calls(make: Make) -> None:
    recording = make("attending")
    again = replace(recording.graphs[0], stage="restarted")
    found = calls(replace(recording, graphs=(again, recording.graphs[1])))
    assert not any(call.node.startswith("node:0") for call in found)


def test_a_remedy_stands_where_it_helps(make: Make) -> None:
    masked, dropped, _ = calls(make("attending"))
    remedies = {
        choice.target: [verdict.remedy for verdict in choice.verdicts if verdict.remedy]
        for call in (masked, dropped)
        for choice in call.choices
    }
    assert remedies["cpu"] == ["Pass `dropout_p=0.0` where you do not train."]
    flash = masked.choices[1].verdicts[0]
    assert flash.remedy.startswith("If the mask only hides what is ahead, pass `is_causal=True`")


def test_without_attention_only_a_requested_section_says_so(make: Make) -> None:
    view = build(make("branch_and_print"))
    assert view.attentions == ()
    assert "Attention" not in terminal.render(view)
    assert "No call of scaled_dot_product" in terminal.render(view, sections=["attention"])
