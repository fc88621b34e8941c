"""The forms in which lines of a log are pasted, and which lines are one message."""

from __future__ import annotations

import pytest

from dynamo_lab.capture.logs.messages import Message, Stray, messages
from dynamo_lab.capture.traces.lines import Line
from dynamo_lab.model.logs import component_of, module_of, short_path

NEW = "V1121 17:21:00.894000 5669 torch/_dynamo/guards.py:5394] [2/1] [__recompiles]"


def read(text: str) -> tuple[list[Message], Stray]:
    stray = Stray()
    lines = [Line(at, row) for at, row in enumerate(text.split("\n"), 1)]
    return list(messages(lines, stray)), stray


@pytest.mark.parametrize(
    "before",
    ["", "> ", "\x1b[33m", "2026-01-02T03:04:05.678Z ", "(Worker_TP0 pid=77) ", "[rank3]:"],
)
def test_what_may_stand_before_a_prefix(before: str) -> None:
    (message,), stray = read(f"{before}{NEW} Recompiling function f in a.py:3")
    assert message.text == "Recompiling function f in a.py:3"
    assert (message.head.name, message.head.compile_id) == ("recompiles", "2/1")
    assert message.head.rank == (3 if "rank" in before else None)
    assert stray.lines == []


@pytest.mark.parametrize(
    ("line", "name", "place", "level"),
    [
        (
            "V1121 17:21:00.894000 5669 site-packages/torch/_inductor/graph.py:2333] [0/0] "
            "[__output_code] x",
            "output_code",
            "torch/_inductor/graph.py:2333",
            "V",
        ),
        (
            r"W1121 17:21:00.894000 12 C:\a b\site-packages\torch\_dynamo\convert_frame.py:9] x",
            "dynamo",
            "torch/_dynamo/convert_frame.py:9",
            "W",
        ),
        (
            "I1121 17:21:00.894000 140266518349376 torch/fx/experimental/symbolic_shapes.py:4058] "
            "[0/0_1] x",
            "dynamic",
            "torch/fx/experimental/symbolic_shapes.py:4058",
            "I",
        ),
        (
            "[2023-11-21 19:02:13,073] torch._dynamo.guards.__recompiles: [DEBUG] x",
            "recompiles",
            "torch._dynamo.guards",
            "V",
        ),
        (
            "[2023-11-21 19:02:13,073] [3/1] torch._dynamo.convert_frame: [WARNING] x",
            "dynamo",
            "torch._dynamo.convert_frame",
            "W",
        ),
    ],
)
def test_forms_of_prefixes(line: str, name: str, place: str, level: str) -> None:
    (message,), _ = read(line)
    assert message.text == "x"
    assert (message.head.name, message.head.place, message.head.level) == (name, place, level)


@pytest.mark.parametrize(
    "line",
    ["a diary", "V1121 is no prefix", "[2023-11-21] said nothing", "see torch/_dynamo/a.py:3] x"],
)
def test_what_is_no_message_is_counted(line: str) -> None:
    found, stray = read(line)
    assert (found, stray.lines) == ([], [line])


def test_lines_with_the_same_prefix_are_one_message() -> None:
    found, stray = read(f"{NEW} Recompiling function f in a.py:3\nprinted\n{NEW}     - 2/0: n == 1")
    assert [message.text for message in found] == [
        "Recompiling function f in a.py:3\n    - 2/0: n == 1"
    ]
    assert stray.lines == ["printed"]


def test_a_beginning_in_the_same_millisecond_is_another_message() -> None:
    found, _ = read(
        f"{NEW} Recompiling function f in a.py:3\n{NEW} Recompiling function g in a.py:9"
    )
    assert [message.text[-6:] for message in found] == ["a.py:3", "a.py:9"]


def test_two_processes_may_write_in_turn() -> None:
    first, second = NEW.replace("5669", "1"), NEW.replace("5669", "2")
    text = f"{first} Recompiling a\n{second} Recompiling b\n{first}   - one\n{second}   - two"
    found, _ = read(text)
    assert sorted(message.text for message in found) == [
        "Recompiling a\n  - one",
        "Recompiling b\n  - two",
    ]


def test_lines_without_a_prefix_belong_to_a_message_of_an_old_release() -> None:
    head = "[2023-04-13 21:42:54,179] torch._dynamo.output_graph.__graph_code: [DEBUG]"
    (message,), stray = read(f"{head} TRACED GRAPH\n ===== a =====\n")
    assert message.text == "TRACED GRAPH\n ===== a ====="
    assert stray.lines == []


def test_components() -> None:
    assert component_of("torch._inductor.async_compile") == "async_compile"
    assert component_of("torch._inductor.compile_fx") == "inductor"
    assert component_of("torch._dynamo.backends.distributed") == "ddp"
    assert component_of("torch.jit.frontend") == "torch"
    assert (
        module_of("/opt/torch/lib/site-packages/torch/_dynamo/guards.py") == "torch._dynamo.guards"
    )
    assert short_path("/opt/site-packages/torch/_dynamo/guards.py") == "torch/_dynamo/guards.py"
