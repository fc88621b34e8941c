"""The list of choices: each noun's own words, alike ones in one row, none where none is known."""

from collections.abc import Callable

from msgspec.structs import replace

from dynamo_lab.model.recording import Recording
from dynamo_lab.render import terminal
from dynamo_lab.render.fallback.choices.choices import blocks
from dynamo_lab.view import build
from dynamo_lab.view.choices.choice import ChoiceRow
from dynamo_lab.view.core.words import first_up

Make = Callable[[str], Recording]


def rows(recording: Recording, kind: str) -> list[ChoiceRow]:
    return [row for row in build(recording).choices if row.kind == kind]


def test_each_kind_has_its_line_its_reason_and_its_nodes(make: Make) -> None:
    found = build(make("choosing")).choices
    assert [(row.kind, row.line, row.nodes[0]) for row in found] == [
        ("precision", "line:0:2", "node:0:2"),
        ("quantization", "line:0:2", "node:1:4"),
        ("quantization", "line:0:4", "node:1:7"),
        ("quantization", "line:0:5", "node:1:8"),
        ("layout", "line:0:2", "node:1:4"),
        ("concatenation", "line:0:3", "node:1:5"),
    ]
    assert all(row.reason and row.tab for row in found)


def test_attention_has_the_reason_against_what_is_tried_before(make: Make) -> None:
    first, second, by_hand = rows(make("attending"), "attention")
    assert first.choice == by_hand.choice == "flash attention"
    assert (
        first.reason == by_hand.reason == "It is the first that PyTorch tries here, and it may run."
    )
    assert second.choice == "plain mathematics"
    assert second.reason.startswith("Flash attention: dropout_p is 0.1")
    assert second.remedy


def test_attention_on_a_gpu_that_is_not_named_is_not_explained(make: Make) -> None:
    recording = make("attending")
    calls = tuple(replace(one, device="cuda") for one in recording.attentions)
    assert {row.reason for row in rows(replace(recording, attentions=calls), "attention")} == {
        "Not known: PyTorch's rules were not asked for the device that it runs on."
    }


def test_attention_that_is_not_what_the_rules_say_is_not_explained(make: Make) -> None:
    recording = make("attending")
    first = recording.attentions[0]
    problem = replace(first.problem, dropout=0.5)  # for which the rules refuse what it became
    calls = (replace(first, problem=problem), *recording.attentions[1:])
    row = rows(replace(recording, attentions=calls), "attention")[0]
    assert row.choice == "flash attention"
    assert row.reason == "Not known: PyTorch's rules say plain mathematics."


def test_without_generated_code_the_rules_alone_are_told(make: Make) -> None:
    recording = make("attending")
    captured = replace(
        recording, graphs=recording.graphs[:1], attentions=recording.attentions[:2], links=()
    )
    first, second = rows(captured, "attention")
    assert first.choice == "by PyTorch's rules flash attention"
    assert second.choice == "by PyTorch's rules plain mathematics"
    assert first.effect == "What it became is not in the recording."


def test_flex_attention_is_no_choice_of_pytorch_s(make: Make) -> None:
    recording = make("attending")
    (call,) = (replace(one, kind="flex") for one in recording.attentions[:1])
    (row,) = rows(replace(recording, attentions=(call,)), "attention")
    assert (row.choice, row.effect) == ("flex_attention", "")
    assert "Inductor writes the kernel" in row.reason


def test_calls_that_are_alike_are_one_row(make: Make) -> None:
    recording = make("attending")
    once = rows(recording, "attention")
    twice = replace(recording, attentions=(recording.attentions[0], *recording.attentions))
    found = rows(twice, "attention")
    assert [row.count for row in found] == [2, *(1 for _ in once[1:])]
    assert found[0].nodes == once[0].nodes * 2


def test_an_old_recording_has_no_reasons_for_layouts(make: Make) -> None:
    assert rows(replace(make("choosing"), layout_choices=()), "layout") == []


def test_nothing_is_listed_where_nothing_is_known(make: Make) -> None:
    view = build(make("branch_and_print"))
    assert view.choices == ()
    assert list(blocks(view)) == []
    assert "Choices" not in terminal.render(view)


def test_what_has_its_own_section_is_not_said_twice_in_brief(make: Make) -> None:
    assert "\nChoices" not in terminal.render(build(make("attending")))
    assert "\nChoices" in terminal.render(build(make("choosing")))


def test_html_says_what_the_terminal_says(make: Make) -> None:
    view = build(make("choosing"))
    (html,) = blocks(view)
    full = terminal.render(view, sections=["choices"], width=200)
    for row in view.choices:
        assert row.where in html
        assert first_up(row.kind) in full
        assert row.reason.replace("`", "") in full


def test_hostile_text_is_text(make: Make) -> None:
    recording = make("choosing")
    choice = replace(recording.layout_choices[0], chosen=False, rule="said", said="</script>")
    view = build(replace(recording, layout_choices=(choice,)))
    (html,) = blocks(view)
    assert "</script>" not in html
    assert "&lt;/script&gt;" in html
    assert "</script>" in terminal.render(view, sections=["choices"])
