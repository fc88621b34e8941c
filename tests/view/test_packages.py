"""Packages as sentences and rows."""

from collections.abc import Callable

from msgspec.structs import replace

from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.packages import PackageView

Make = Callable[[str], Recording]


def shown(recording: Recording) -> PackageView:
    [package] = build(recording).packages
    return package


def test_what_it_takes_along_leads_to_what_was_exported(make: Make) -> None:
    package = shown(make("packaged"))
    told = [(row.name, row.value, row.role, row.entity) for row in package.constants]
    assert told == [
        ("lin.weight", "f32[8, 8]", "parameter", "node:0:0"),
        ("_FOLDED_CONST_0", "bf16[8]", "computed from others", ""),
    ]
    assert [(row.name, row.entity) for row in package.inlined] == [("scale", "node:0:2")]
    assert "contains 1 kernel and calls 1 library kernel" in package.sentences[0]
    assert "2 constants, 320 B" in package.sentences[0]
    assert package.sentences[1].startswith("`scale` is not among the constants")


def test_it_says_who_captured_the_model(make: Make) -> None:
    recording = make("packaged")
    assert "without Dynamo, so there are no frames" in shown(recording).sentences[-1]
    assert build(recording).summary.sentence.startswith("`torch.export` captured the model")
    frame = Frame(id=0, name="forward", span=0, outcome="compiled")
    strict = replace(recording, frames=(frame,))
    assert "strict=True" in shown(strict).sentences[-1]


def test_one_that_was_opened_says_why_there_are_no_graphs(make: Make) -> None:
    recording = make("packaged")
    kernels = tuple(replace(kernel, graph=None, nodes=()) for kernel in recording.kernels)
    wrappers = tuple(replace(wrapper, graph=None) for wrapper in recording.wrappers)
    opened = replace(recording, graphs=(), links=(), kernels=kernels, wrappers=wrappers)
    assert "opened, not recorded" in shown(opened).sentences[-1]
    assert "nothing was compiled here" in build(opened).summary.sentence


def test_facts_of_later_releases_keep_their_names(make: Make) -> None:
    facts = dict(shown(make("packaged")).facts)
    assert (facts["device"], facts["AOTI_INVENTED"]) == ("cpu", "later")
    assert facts["compiler flags"] == "-O1 -march=native"
