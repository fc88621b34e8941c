"""What differs between the releases of PyTorch from 2.11 to 2.15, each as a question.

Capabilities are asked of the installed release, not of its version number.
"""

import functools
import importlib
import inspect
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import CodeType
from typing import Any

import torch

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.errors import OptionError
from dynamo_lab.model.frames import AttemptOutcome

LookedAt = Callable[[CodeType, str, bool], None]
"""Called with a code object, why Dynamo skips it (or nothing), and whether it was compiled."""

_PACKAGE = Path(__file__).parents[1]
_PROGRAMS = ("suite", "course", "__pycache__")

GRAPH_BREAK_SITE = "https://meta-pytorch.github.io/compile-graph-break-site/gb/"


def watch_skips(patches: Patches, looked_at: LookedAt) -> None:
    """Call `looked_at` for each frame that Dynamo decides on.

    From torch 2.12 on, each decision passes through `_handle_skip` with its reason; before, only
    the call itself can be watched, and the reason worked out the way Dynamo does.
    """
    from torch._dynamo.convert_frame import CatchErrorsWrapper

    if hasattr(CatchErrorsWrapper, "_handle_skip"):

        def handled(wrapper: Any, result: Any, frame: Any) -> Generator[None, Any, None]:
            looked_at(frame.f_code, skip_reason(result), result.guarded_code is not None)
            yield

        patches.watch(CatchErrorsWrapper, "_handle_skip", handled)
    else:

        def called(wrapper: Any, frame: Any, *_: Any) -> Generator[None, Any, None]:
            result = yield
            compiled = result.guarded_code is not None
            looked_at(frame.f_code, "" if compiled else _skip_reason_before_2_12(frame), compiled)

        patches.watch(CatchErrorsWrapper, "__call__", called)


def skip_reason(result: Any) -> str:
    """Why a frame was skipped, from what ConvertFrame returned; torch 2.11 does not say."""
    return getattr(result, "skip_reason", None) or ""


def _skip_reason_before_2_12(frame: Any) -> str:
    from torch._dynamo import config, trace_rules
    from torch._dynamo.convert_frame import has_tensor_in_frame

    if trace_rules.check(frame.f_code):
        return "frame is in the Dynamo skipfiles list"
    if config.disable:
        return "Dynamo tracing is disabled"
    if not has_tensor_in_frame(frame):
        return "no tensor-related objects found in frame"
    return ""


def is_soft_failure(error: BaseException) -> bool:
    """Whether Dynamo answers this by running the frame eagerly, were it not for `fullgraph`."""
    from torch._dynamo import exc

    return isinstance(error, exc.Unsupported | exc.UserError)


def is_recompile_limit(error: BaseException) -> bool:
    """Whether a compilation was refused because there were too many before it."""
    from torch._dynamo import exc

    refused = getattr(exc, "FailOnRecompileLimitHit", ())
    return isinstance(error, refused) or "recompile limit" in str(error).partition("\n")[0]


def attempt_outcome(error: BaseException) -> AttemptOutcome:
    """What the exception that ended an analysis means."""
    from torch._dynamo import exc

    if isinstance(error, exc.RestartAnalysis):
        return "restarted"
    return "skipped" if isinstance(error, exc.SkipFrame) or is_soft_failure(error) else "failed"


def cache_entries(tried: Any) -> list[Any]:
    """The compiled code that a call was tried on: a chain in torch 2.11, a list since."""
    if isinstance(tried, list | tuple):
        return list(tried)
    found: list[Any] = []
    while tried is not None:
        found.append(tried)
        tried = tried.next
    return found


@functools.cache
def _registry() -> dict[str, str]:
    from torch._dynamo import exc

    load = getattr(exc, "_load_gb_type_to_gb_id_map", dict)
    return dict(load())


def registry_id(gb_type: str) -> str:
    """The number of a kind of break in the registry of the installed release: "GB0170"."""
    return _registry().get(gb_type, "")


def documentation_link(gb_type: str) -> str:
    """The page about a kind of break."""
    number = registry_id(gb_type)
    return f"{GRAPH_BREAK_SITE}gb{number.removeprefix('GB')}.html" if number else ""


def watch_caches(patches: Patches, owner: Any, name: str) -> None:
    """Compile everything anew, so that a compile cache hides nothing from the recording.

    Settings belong to a thread since torch 2.12, so they are set in the thread that compiles,
    around `owner.name`.
    """

    def without_caches(*_: Any, **__: Any) -> Generator[None, Any, None]:
        with _caches_off():
            yield

    patches.watch(owner, name, without_caches)


@contextmanager
def _caches_off() -> Iterator[None]:
    from torch._functorch import config as functorch
    from torch._inductor import config as inductor

    with ExitStack() as stack:
        for config, names in (
            (inductor, ("fx_graph_cache", "fx_graph_remote_cache")),
            (functorch, ("enable_autograd_cache", "enable_remote_autograd_cache")),
        ):
            present = {name: False for name in names if hasattr(config, name)}
            stack.enter_context(config.patch(present))
        yield


@contextmanager
def settings_kept() -> Iterator[None]:
    """Afterwards Dynamo's, AOTAutograd's and Inductor's settings are what they were before."""
    from torch._dynamo import config as dynamo
    from torch._functorch import config as functorch
    from torch._inductor import config as inductor

    before = [(config, config.get_config_copy()) for config in (dynamo, functorch, inductor)]
    try:
        yield
    finally:
        for config, settings in before:
            now = config.get_config_copy()
            for name in (name for name in settings if now[name] != settings[name]):
                setattr(config, name, settings[name])


@contextmanager
def our_frames_skipped() -> Iterator[None]:
    """Have Dynamo skip this package's own functions, as it skips those of PyTorch.

    The suite's models and the course's functions are programs like anyone's.
    """
    from torch._dynamo import trace_rules

    before = list(trace_rules.SKIP_DIRS)
    ours = (path for path in _PACKAGE.iterdir() if path.name not in _PROGRAMS)
    trace_rules.SKIP_DIRS.extend(path.as_posix() for path in ours)
    trace_rules._recompile_re()
    try:
        yield
    finally:
        trace_rules.SKIP_DIRS[:] = before
        trace_rules._recompile_re()


def modes() -> list[str]:
    """The modes that `torch.compile` takes."""
    import torch._inductor

    return ["default", *torch._inductor.list_mode_options()]


def forget_compiled_code() -> None:
    """Let Dynamo look at every function again, also at those that it has compiled or skipped."""
    import torch._dynamo

    torch._dynamo.reset()


def name_of(source: Any) -> str:
    """The expression of a source, or of what a guard is on: "L['x']"; empty where it has none."""
    try:
        name = source.name
        return str(name() if callable(name) else name)  # a method before torch 2.12
    except NotImplementedError:
        return ""


def minimum_cut() -> tuple[Any, str]:
    """Where the partitioner finds its min-cut: networkx, from torch 2.15 on a function of its own.

    networkx comes with torch; the partitioner imports it when it first cuts a graph.
    """
    from torch._functorch import partitioners

    if hasattr(partitioners, "minimum_cut"):
        return partitioners, "minimum_cut"
    import networkx

    return networkx, "minimum_cut"


def pattern_entries() -> dict[Any, type]:
    """The rules of Inductor's pattern matcher, by what they do where a pattern is found."""
    from torch._inductor import pattern_matcher

    return {
        "replacement": pattern_matcher.ReplacementPatternEntry,
        "graph": pattern_matcher.GraphPatternEntry,
        "lowering": pattern_matcher.LoweringPatternEntry,
    }


def group_fusions() -> list[type]:
    """The classes that fuse groups of like nodes into one, each where it defines how."""
    from torch._inductor.fx_passes import group_batch_fusion

    known: list[Any] = [*group_batch_fusion.PRE_GRAD_FUSIONS.values()]
    known += group_batch_fusion.POST_GRAD_FUSIONS.values()
    classes = [base for fusion in known for base in fusion.__mro__ if "fuse" in vars(base)]
    return list(dict.fromkeys(classes))


_STEPS = {
    "torch.fx": ("Graph.eliminate_dead_code",),
    "torch._inductor.fx_passes.quantization": ("quant_lift_up",),
    "torch._inductor.fx_passes.pre_grad": (
        "numpy_compat_normalization",
        "sink_cat_after_pointwise",
        "stable_topological_sort",
    ),
    "torch._inductor.fx_passes.joint_graph": (
        "canonicalize_aten_ir_passes",
        "stable_topological_sort",
    ),
    "torch._inductor.fx_passes.freezing_patterns": (
        "fake_tensor_prop",
        "stable_topological_sort",
    ),
    "torch._inductor.freezing": (
        "view_to_reshape",
        "replace_params_with_constants",
        "fx_graph_cse",
        "constant_fold",
    ),
}
"""Code of the phases that rewrites a graph and that no observer of passes watches."""


def unobserved_steps() -> Iterator[tuple[Any, str]]:
    """Where that code is found in this release, as owner and name."""
    for module, names in _STEPS.items():
        for path in names:
            owner: Any = importlib.import_module(module)
            *around, name = path.split(".")
            for part in around:
                owner = getattr(owner, part, None)
            if hasattr(owner, name):
                yield owner, name


def custom_passes(present: Any, more: list[Any]) -> Any:
    """The setting of a hook that runs `more` passes after those present.

    A hook takes several since torch 2.12, and one before.
    """
    from torch._inductor import custom_graph_pass

    held = list(present) if isinstance(present, list | tuple) else [present] if present else []
    if hasattr(custom_graph_pass, "get_custom_graph_passes"):
        return [*held, *more]
    if len(held) + len(more) > 1:
        raise OptionError("This PyTorch runs one pass a phase: pass one, or upgrade to 2.12.")
    return more[0]


def rules_of(mode: Any) -> Any:
    """The decompositions that a tracing mode applies; torch 2.11 keeps them in the module."""
    from torch.fx.experimental import proxy_tensor

    current = getattr(proxy_tensor, "CURRENT_DECOMPOSITION_TABLE", {})
    return getattr(mode, "decomposition_table", current)


def realize_limits(*, on_cpu: bool) -> tuple[int, int, int]:
    """Above how many reads where a value is reused, operations, and reads, Inductor stores it.

    From torch 2.12 on the last two can be unset, and then differ for CPUs.
    """
    from torch._inductor import config

    def limit(name: str) -> int:
        found = getattr(config, f"realize_{name}", None)
        if found is None:
            of = f"realize_cpu_{name}" if on_cpu else f"_realize_{name}_default"
            found = getattr(config, of, 0)
        return int(found)

    return config.realize_reads_threshold, limit("opcount_threshold"), limit("acc_reads_threshold")


@functools.cache
def heavy_operators() -> tuple[str, ...]:
    """What Inductor does not compute again for each reader on a CPU, from the code that decides.

    Two operators in torch 2.11, seven from 2.12 on, in a list inside of the function.
    """
    from torch._inductor.ir import StorageBox
    from torch._inductor.ops_handler import OpsHandler

    constants: Any = inspect.unwrap(StorageBox.should_realize_on_reuse).__code__.co_consts[1:]
    flat = (item for held in constants for item in (held if isinstance(held, tuple) else (held,)))
    return tuple(item for item in flat if isinstance(item, str) and hasattr(OpsHandler, item))


@contextmanager
def empty_compile_caches() -> Iterator[None]:
    """Compile as on the first day, but for the C++ headers that are precompiled once a machine."""
    from torch._inductor import utils

    raised = None
    with utils.fresh_cache():
        try:
            yield
        except BaseException as error:  # or else it keeps the folder, and logs so
            raised = error
    if raised is not None:
        raise raised


@contextmanager
def many_ways() -> Iterator[None]:
    """Compile one function in more ways than Dynamo's limit, beyond which it would run eagerly."""
    from torch._dynamo import config

    untyped: Any = config
    with untyped.patch(recompile_limit=256, accumulated_recompile_limit=4096):
        yield


def warm_up_inductor(device: str) -> None:
    """Compile something small, so that no program pays for what only a process's first one does."""

    def small(x: torch.Tensor) -> torch.Tensor:
        return x.sin()

    with torch.no_grad():
        torch.compile(small)(torch.ones(8, device=device))
