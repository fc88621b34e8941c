"""Is the code that `lower` foretells for a GPU what that GPU's own compilation writes?

    CUDA_VISIBLE_DEVICES= python tests/live/predictions.py foretell cuda:sm_90 OUT
    python tests/live/predictions.py compile cuda OUT
    python tests/live/predictions.py compare OUT

The first command needs no GPU; the second one does, though it only writes code and lets nothing
run on it but what Inductor times; the third one prints a table of the programs of `programs.py`
and `foreign/`, and writes the differences with both texts to OUT/differences.md and a count to
OUT/summary.json. `--corpus 250` takes so many programs of the suite's corpus instead, in inference,
others with another `--seed`, `--jobs 8` are processes, `--limit 60` the seconds that a program may
take, `--only attention` the programs whose names hold one of the words.
"""

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[2]))

KERNEL = re.compile(r"^(\w+) = async_compile\.triton\('\w+', '''(.*?)''', ", re.DOTALL | re.M)
CALLED = re.compile(r"(extern_kernels\.\w+|torch\.ops\.[\w.]+)\(")


@cache
def programs(corpus: int, seed: int) -> dict[str, Any]:
    """Every program that is compared, or so many of the corpus: the same with the same packages."""
    if corpus:
        from dynamo_lab.suite.corpus.corpus import chosen, sampled

        return {name: partial(_of_corpus, name) for name in sampled(chosen(""), corpus, seed)}
    from tests.live.foreign.every import FOREIGN
    from tests.live.programs import PROGRAMS

    return {**PROGRAMS, **FOREIGN}


def _of_corpus(name: str) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """A program of the corpus, without gradients."""
    import numpy
    import torch

    from dynamo_lab.suite.corpus.corpus import program_of

    torch.manual_seed(0)
    numpy.random.seed(0)
    random.seed(0)
    program = program_of(name).build()
    if isinstance(program.fn, torch.nn.Module):
        program.fn.eval()
    return program.fn, program.args, {**program.kwargs, "grad": False}


def foretold(target: str, program: Any) -> list[str]:
    """The modules that lowering writes for a program."""
    import dynamo_lab as lab

    fn, args, options = program()
    recording = lab.lower(fn, *args, target=target, **options)
    if recording.failure is not None:
        raise RuntimeError(recording.failure.message)
    whole = (wrapper.code for wrapper in recording.wrappers)
    return [code for code in whole if code.startswith("# AOT ID")]  # with branches' code inside


def compiled(device: str, program: Any) -> list[str]:
    """The modules that Inductor writes for a program on the GPU at hand."""
    import torch
    from torch.utils._pytree import tree_map

    with torch.device("cpu"):  # the same numbers as without a GPU
        fn, args, options = program()
    for owner in [fn, *(c.cell_contents for c in getattr(fn, "__closure__", None) or ())]:
        if isinstance(owner, torch.nn.Module):
            owner.to(device)
    there: dict[int, Any] = {}  # one tensor is one there, too
    moved, named = tree_map(lambda v: there.setdefault(id(v), _on(device, v)), (args, options))
    grad = named.pop("grad", None)
    with _written() as codes, torch.set_grad_enabled(grad is not False), _backwards(grad is True):
        torch.compile(fn, dynamic=named.pop("dynamic", None))(*moved, **named)
    return codes


def _on(device: str, value: Any) -> Any:
    import torch

    if not isinstance(value, torch.Tensor):
        return value
    if value.layout is not torch.strided:
        return value.to(device)
    memory = torch.empty(0, dtype=value.dtype).set_(value.detach().untyped_storage())
    there = memory.to(device).as_strided(value.size(), value.stride(), value.storage_offset())
    return there.requires_grad_(value.requires_grad)


def _backwards(wanted: bool) -> Any:
    from torch._functorch import config

    return config.patch(force_non_lazy_backward_lowering=wanted)


@contextmanager
def _written() -> Generator[list[str], None, None]:
    """The code that Inductor writes in the block: none is built, graphs run eagerly."""
    import torch._dynamo
    from torch._inductor import compile_fx, config

    from tests.fixtures.unbuilt import unbuilt

    inductor, inside = compile_fx.compile_fx, list[bool]()

    def lower_only(module: Any, *args: Any, **kwargs: Any) -> Any:
        if inside:  # Inductor calls itself
            return inductor(module, *args, **kwargs)
        inside.append(True)
        try:
            inductor(module, *args, **kwargs)
        finally:
            inside.clear()
        return module.forward

    torch._dynamo.reset()  # no size is dynamic because of the program before
    with (
        config.patch({"force_disable_caches": True, "triton.cudagraphs": False}),
        unbuilt() as codes,
        mock.patch.object(compile_fx, "compile_fx", lower_only),
    ):
        yield codes


def work(task: str, where: str, out: Path, options: Any) -> None:
    """Do a task for some programs, one file each."""
    one: Callable[[str, Any], list[str]] = {"foretell": foretold, "compile": compiled}[task]
    signal.signal(signal.SIGALRM, _too_long)
    for name in options.work:
        signal.alarm(options.limit)
        try:
            codes = one(where, programs(options.corpus, options.seed)[name])
            made: dict[str, Any] = {"codes": codes, "timed": _timed()}
        except BaseException as error:  # the table says so
            trace = traceback.format_exc()
            made = {"error": f"{type(error).__name__}: {error}"[:2000], "traceback": trace[-4000:]}
        signal.alarm(0)
        (out / f"{name.replace('/', '_')}.{task}.json").write_text(json.dumps(made))


def _timed() -> int:
    """How many products Inductor has timed since the last call, to pad them or not."""
    from torch._dynamo.utils import counters

    return counters["inductor"].pop("pad_mm_bench", 0)


def _too_long(*_: Any) -> None:
    raise TimeoutError("the program took longer than it may")


def spread(task: str, where: str, out: Path, names: list[str], options: Any) -> None:
    """Do a task for all programs in several processes."""
    shares = [names[start :: options.jobs] for start in range(options.jobs)]
    command = [sys.executable, __file__, task, where, str(out), "--limit", str(options.limit)]
    command += ["--corpus", str(options.corpus), "--seed", str(options.seed)]
    ordered = {**os.environ, "PYTHONHASHSEED": "0"}  # sets of types, too
    running = [subprocess.Popen([*command, "--work", *one], env=ordered) for one in shares if one]
    for process in running:
        process.wait()


def kernels(codes: list[str]) -> list[tuple[str, str]]:
    """The kernels of some modules: those of Triton with their text, the called ones by name."""
    found: list[tuple[str, str]] = []
    for code in codes:
        found += [(m.group(1), m.group(2)) for m in KERNEL.finditer(code)]
        found += [(name, "") for name in sorted(set(CALLED.findall(KERNEL.sub("", code))))]
    return found


def _parts(text: str) -> tuple[str, str]:
    """The code of a kernel and what stands before it: how it is launched, and for which device."""
    start = max(text.find("@triton.jit"), 0)
    return text[start:], text[:start]


def compared(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """How many kernels of the device were foretold, and which are only on one side."""
    sides = [kernels(one.get("codes", [])) for one in (before, after)]
    foretold_ones, real = (Counter((name, _parts(text)[0]) for name, text in s) for s in sides)
    metadata = [Counter((name, _parts(text)[1]) for name, text in side) for side in sides]
    return {
        "kernels": len(sides[1]),
        "code": sum((foretold_ones & real).values()),
        "metadata": sum((metadata[0] & metadata[1]).values()),
        "only foretold": sorted((foretold_ones - real).elements()),
        "only compiled": sorted((real - foretold_ones).elements()),
        "other metadata": [sorted((a - b).elements()) for a, b in (metadata, metadata[::-1])],
        "errors": [one.get("error", "") for one in (before, after)],
        "timed": after.get("timed", 0),
    }


def compare(out: Path) -> None:
    """Print how the two agree, and write down where they do not."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(out.glob("*.compile.json")):
        name = path.name.removesuffix(".compile.json")
        before = out / f"{name}.foretell.json"
        if before.exists():
            found[name] = compared(json.loads(before.read_text()), json.loads(path.read_text()))
    print(f"{'program':28}{'kernels':>8}{'code':>6}{'metadata':>9}")
    for name, one in found.items():
        print(f"{name:28}{one['kernels']:8}{one['code']:6}{one['metadata']:9}  {_told(one)}")
    untimed = {name: one for name, one in found.items() if not one["timed"]}
    total = _total("all", found)
    _total("no product timed", untimed)
    (out / "summary.json").write_text(json.dumps({"total": total, "programs": found}, indent=1))
    (out / "differences.md").write_text("\n".join(_written_down(found)))


def _total(title: str, found: dict[str, dict[str, Any]]) -> dict[str, int]:
    total = {key: sum(one[key] for one in found.values()) for key in _COUNTED}
    whole = sum(not _differs(one) for one in found.values())
    print(f"{title:28}{total['kernels']:8}{total['code']:6}{total['metadata']:9}", end="  ")
    print(f"{whole} of {len(found)} programs wholly")
    return total


_COUNTED = ("kernels", "code", "metadata")


def _differs(one: dict[str, Any]) -> bool:
    return bool(one["only foretold"] or one["only compiled"] or any(one["errors"]))


def _told(one: dict[str, Any]) -> str:
    sides = zip(("foretelling", "compiling"), one["errors"], strict=True)
    failed = [f"{side} failed: {error[:160]}" for side, error in sides if error]
    timed = [f"{one['timed']} products timed"] if one["timed"] else []
    return " ".join("; ".join(failed + timed).split())


def _written_down(found: dict[str, dict[str, Any]]) -> Generator[str, None, None]:
    for name, one in found.items():
        sides: dict[str, Any] = {key: one[key] for key in ("only foretold", "only compiled")}
        sides["metadata foretold"], sides["metadata compiled"] = one["other metadata"]
        for side, several in sides.items():
            for kernel, text in several:
                yield f"## {name}: {side}: {kernel}\n```\n{text}\n```\n"


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="+")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=int, default=120)
    parser.add_argument("--corpus", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--work", nargs="*", default=[])
    options = parser.parse_args()
    task, *rest = options.words
    out = Path(rest[-1])
    out.mkdir(parents=True, exist_ok=True)
    if task == "compare":
        compare(out)
    elif options.work:
        work(task, rest[0], out, options)
    else:
        every = programs(options.corpus, options.seed)
        names = [n for n in every if not options.only or any(w in n for w in options.only)]
        spread(task, rest[0], out, names, options)


if __name__ == "__main__":
    main()
