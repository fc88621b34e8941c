"""A process that runs the Triton baselines in Triton's interpreter, and prints what differs.

TRITON_INTERPRET is read when Triton is imported, so this needs a process of its own.
"""

from __future__ import annotations

import json

import torch

from dynamo_lab.measure.baselines import baselines_of
from dynamo_lab.measure.cases import all_cases

DTYPES = ("float32", "float16")  # the interpreter's products know no bfloat16


def main() -> None:
    found: dict[str, str] = {}
    for case in all_cases():
        for baseline in baselines_of(case):
            if baseline.language != "triton":
                continue
            for dtype in DTYPES:
                if dtype in case.tolerance:
                    found[f"{case.name} {dtype}"] = problem_of(case, baseline.load(), dtype)
    print(json.dumps(found))


def problem_of(case, run, dtype) -> str:
    relative, absolute = case.tolerance[dtype]
    expected = case.eager(*case.make("cpu", dtype, "small"))
    try:
        got = run(*case.make("cpu", dtype, "small"))
        torch.testing.assert_close(got, expected, rtol=relative, atol=absolute)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


if __name__ == "__main__":
    main()
