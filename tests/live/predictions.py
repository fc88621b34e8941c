"""Is the code that `lower` foretells for a GPU what that GPU's own compilation writes?

    CUDA_VISIBLE_DEVICES= python tests/live/predictions.py foretell cuda:sm_90 OUT
    python tests/live/predictions.py compile cuda OUT
    python tests/live/predictions.py compare OUT

The first command needs no GPU, the second one does, and the third prints a table of the programs
of `programs.py`: how many kernels there are, and how many are the same, by the operators that they
fuse and by their code.
"""

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))


def foretell(target: str, out: Path) -> None:
    """Lower every program for a target."""
    import dynamo_lab as lab
    from tests.live.programs import PROGRAMS

    for name, build in PROGRAMS.items():
        fn, args, options = build()
        lab.lower(fn, *args, target=target, **options).save(out / f"{name}.foretold.json.gz")


def compile_here(device: str, out: Path) -> None:
    """Compile and run every program on the GPU at hand."""
    import torch

    import dynamo_lab as lab
    from tests.live.programs import PROGRAMS

    for name, build in PROGRAMS.items():
        with torch.device("cpu"):  # the same numbers as without a GPU
            fn, args, options = build()
        moved = [_on(a, device) for a in args]
        options = {key: _on(value, device) for key, value in options.items()}
        for owner in [fn, *(c.cell_contents for c in getattr(fn, "__closure__", None) or ())]:
            if isinstance(owner, torch.nn.Module):
                owner.to(device)
        lab.explore(fn, *moved, **options).save(out / f"{name}.compiled.json.gz")


def _on(value: Any, device: str) -> Any:
    import torch

    return value.to(device) if isinstance(value, torch.Tensor) else value


def compare(out: Path) -> None:
    """Print how the two agree, and the kernels that only one of them has."""
    import dynamo_lab as lab

    print(f"{'program':18}{'kernels':>9}{'groups':>9}{'code':>7}   of the compiled ones")
    for path in sorted(out.glob("*.compiled.json.gz")):
        name = path.name.partition(".")[0]
        real = lab.load(path)
        foretold = lab.load(out / f"{name}.foretold.json.gz")
        groups = [Counter(map(_group, _kernels(one))) for one in (foretold, real)]
        codes = [Counter(map(_body, _kernels(one))) for one in (foretold, real)]
        count = len(_kernels(real))
        same = [sum((a & b).values()) for a, b in (groups, codes)]
        print(f"{name:18}{count:9}{same[0]:9}{same[1]:7}")
        for label, only in (
            ("foretold", groups[0] - groups[1]),
            ("compiled", groups[1] - groups[0]),
        ):
            for group, times in only.items():
                print(f"    only {label}: {times} x {group[:160]}")
        for one in (foretold, real):
            if one.failure:
                print("    failed:", one.failure.type, one.failure.message[:300])


def _kernels(recording: Any) -> list[Any]:
    return [(kernel, recording) for kernel in recording.kernels]


def _group(item: Any) -> str:
    """The kind of a kernel and the operators it fuses."""
    kernel, recording = item
    kind = "_".join(kernel.name.split("_")[:2]) if kernel.language == "triton" else kernel.name
    if kernel.graph is None:
        return kind
    table = recording.graphs[kernel.graph].nodes
    operators = sorted(table.strings[table.target[node]] for node in kernel.nodes)
    return f"{kind}: {' '.join(operators)}"


def _body(item: Any) -> str:
    """The code from the function on, without its name: what stands before it is of the device."""
    kernel, _ = item
    body = kernel.code[kernel.code.find("@triton.jit") :]
    return re.sub(r"triton_\w+", "kernel", body) or kernel.name


if __name__ == "__main__":
    task, *rest = sys.argv[1:]
    folder = Path(rest[-1])
    folder.mkdir(parents=True, exist_ok=True)
    if task == "compare":
        compare(folder)
    else:
        {"foretell": foretell, "compile": compile_here}[task](rest[0], folder)
