from collections.abc import Callable

from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.related import Relations, related

Make = Callable[[str], Recording]


def test_the_kin_of_a_line_are_all_below_it(make: Make) -> None:
    found = related(build(make("branch_and_print")), "line:1:6")
    assert found == {
        "line:1:6",
        "expression:7",
        "node:0:1",
        "node:4:1",
        "node:5:1",
        "node:5:2",
        "node:5:3",
        "node:5:4",
        "kernel:0",
    }


def test_the_kin_of_a_kernel_are_all_above_it(make: Make) -> None:
    found = related(build(make("branch_and_print")), "kernel:1")
    assert found == {
        "kernel:1",
        "node:5:6",
        "node:5:7",
        "node:4:3",
        "node:4:4",
        "line:0:2",
    }


def test_a_node_has_kin_on_both_sides_but_not_beside_it(make: Make) -> None:
    found = related(build(make("branch_and_print")), "node:4:2")
    assert found == {"node:4:2", "node:0:2", "node:5:5", "kernel:0", "expression:0", "line:0:1"}


def test_breaks_frames_and_guards_hang_below_their_lines(make: Make) -> None:
    kinship = Relations(build(make("branch_and_print")))
    assert kinship.of("break:0") == {"break:0", "line:0:2"}
    assert kinship.of("frame:0") == {"frame:0", "line:0:1"}
    assert kinship.of("guard:2") == {"guard:2", "line:0:3"}
    assert kinship.of("guard:3") == {"guard:3"}


def test_what_is_unknown_has_no_kin_but_itself(make: Make) -> None:
    assert related(build(make("skipped")), "kernel:9") == {"kernel:9"}


def test_the_kin_of_a_statement_are_its_own_nodes_and_their_lines(make: Make) -> None:
    kinship = Relations(build(make("assembled")))
    assert kinship.of("statement:0:5") == {
        "statement:0:5",
        "node:5:2",
        "node:4:1",
        "node:0:1",
        "expression:7",
        "expression:1",
        "line:1:6",
        "line:0:1",
    }
    assert kinship.of("statement:0:7") == {"statement:0:7"}
    assert {"statement:0:6", "statement:0:8", "kernel:0"} <= kinship.of("node:5:5")
    assert "statement:0:5" not in kinship.of("kernel:0")
