"""The scan that is written instead of an unrolled loop compiles, and gives what the loop gives."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from dynamo_lab.capture.core.hooks import DYNAMO_SETTINGS
from dynamo_lab.view.findings.compile_time.unrolled_loop import SCAN

pytestmark = pytest.mark.live

LOOPS = {
    "a recurrence": ("torch.tanh(carry @ WEIGHT + x)", (4, 8)),
    "without steps": ("carry * 0.9 + 1", (3,)),
    "branches by torch.where": ("torch.where(carry > x, carry.sin(), x)", (2, 5)),
}


@pytest.mark.parametrize(("body", "shape"), LOOPS.values(), ids=LOOPS)
def test_the_scan_that_is_written_compiles_with_inductor(body: str, shape: tuple[int, ...]) -> None:
    code = SCAN.replace("carry = ...", f"carry = {body}")
    lines = [f"    {row}" for row in code.split("\n") if "config" not in row]
    setting = next(row for row in code.split("\n") if "config" in row)
    source = "\n".join(("def fn(init, xs):", *lines, "    return carry, all_of_them"))
    made: dict[str, Any] = {"torch": torch, "WEIGHT": torch.eye(8) / 2}
    exec(compile(source, "scanned", "exec"), made)
    args = torch.zeros(shape), torch.ones(20, *shape) / 3
    with DYNAMO_SETTINGS.get().patch(capture_scalar_outputs=False):
        exec(setting, made)
        compiled = torch.compile(made["fn"])(*args)
    expected, every = args[0], list[torch.Tensor]()
    for x in args[1]:
        expected = eval(body, {**made, "carry": expected, "x": x})
        every.append(expected)
    torch.testing.assert_close(compiled, (expected, torch.stack(every)))
