"""Lower graphs to code for a target, without building or running it.

Dynamo captures on the machine at hand. From there on the fake tensors of a graph lie on the target,
for AOTAutograd, its decompositions, Inductor's passes and lowerings. So that a program goes on
after a break, its graphs then run eagerly, where they are.
"""

import copy
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import torch
from torch import fx
from torch.fx.node import map_aggregate

from dynamo_lab.capture.core.private import nothing
from dynamo_lab.capture.core.undo import Changes, Undo, whole
from dynamo_lab.capture.lowering.hooks import CUDA_GRAPHS, CURRENT_NODE
from dynamo_lab.capture.targets import hooks
from dynamo_lab.capture.targets.composites import composed_for
from dynamo_lab.capture.targets.fakes import fakes_on, here, indexed, stay_here, stays_here
from dynamo_lab.capture.targets.padding import Padded, unpadded
from dynamo_lab.capture.targets.sparing import few_collections, spare
from dynamo_lab.capture.targets.targets import pretend
from dynamo_lab.errors import LoweringError, OptionError
from dynamo_lab.model.targets import Target

Chosen = Callable[[str, int, str, str], None]
"""Called where autotuning would time candidates: the operator, how many there are, the chosen, and
the name of the node that is lowered, if it is known."""

Asked = Callable[[tuple[bool, bool], frozenset[int]], None]
"""Called before a graph is lowered: whether the program asks for CUDA graphs, forward and backward,
and which inputs of the graph stay where they are in memory, such as parameters."""

Wrote = Callable[[Any, str], None]
"""Called with Inductor's lowering of a graph, and the module that it wrote for it."""


def lower_for(
    undo: Undo,
    target: Target,
    settings: Mapping[str, Any],
    chosen: Chosen,
    padded: Padded,
    wrote: Wrote,
    asked: Asked,
    reached: Callable[[], Iterable[torch.Tensor]],
) -> None:
    """From now on, Inductor lowers each graph for the target, and what is called runs eagerly.

    `settings` are Inductor's, by their names in `torch._inductor.config`; they win over those that
    a call of `torch.compile` names. `reached` gives the program's tensors.

    Raises:
        OptionError: there is no such setting.
    """
    with few_collections():
        compile_fx = hooks.INDUCTOR.get()  # its import makes many objects
    spare(undo)
    forget_rules = getattr(hooks.RANDOM_RULES.get(), "cache_clear", nothing)
    forget_rules()  # or a rule registered since were not seen
    of, known = compile_fx.compile_fx, _known(settings)
    stays = stays_here(target.device, reached)
    lowers = _Lowering(of, target, known, chosen, padded, wrote, asked, stays)
    if stays:
        stay_here(undo, target.device)
    undo.replace(compile_fx, "compile_fx", lowers)


def lower_once(
    fn: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    mode: str | None = None,
    dynamic: bool | None = None,
    fullgraph: bool = False,
    grad: bool | None = None,
) -> Any:
    """Call `fn` under `torch.compile`; with `grad`, graphs are compiled for the way back too."""
    options = _mode_settings(mode, dynamic)
    compiled: Any = torch.compile(fn, dynamic=dynamic, fullgraph=fullgraph, options=options)
    backwards = hooks.AOTAUTOGRAD_SETTINGS.get().patch(
        force_non_lazy_backward_lowering=grad is True
    )
    with backwards, torch.no_grad() if grad is False else nullcontext():
        return compiled(*args, **kwargs)


def settings_in_force(mode: str | None, dynamic: bool | None) -> dict[str, Any]:
    """Inductor's settings as they are now, with those of a mode."""
    return {**hooks.SETTINGS.get().get_config_copy(), **_mode_settings(mode, dynamic)}


def _mode_settings(mode: str | None, dynamic: bool | None) -> dict[str, Any]:
    if mode in (None, "default"):
        return {}
    try:
        return hooks.LIST_MODES.get()(mode, dynamic)
    except RuntimeError:
        modes = ", ".join(hooks.LIST_MODES.get()())
        raise OptionError(f"There is no mode {mode!r}: use one of {modes}.") from None


def _known(settings: Mapping[str, Any]) -> dict[str, Any]:
    known = hooks.SETTINGS.get().get_config_copy()
    for name in settings:
        if name not in known:
            raise OptionError(f"This PyTorch has no setting torch._inductor.config.{name}.")
    return dict(settings)


_CUDA_GRAPHS = "triton.cudagraphs"
_ESTIMATES = "aten_distributed_optimizations.compute_estimator"
_OVERRIDE = "cudagraph_annotation"
"""What Dynamo notes of a graph whose program says for it alone whether CUDA graphs are used."""
_FIXED = "_dynamo_static_input_type"
"""What Dynamo notes of an input that stays where it is."""


class _Lowering:
    """Stands for Inductor: lowers a graph that Dynamo captured, and gives it back to run."""

    def __init__(
        self,
        compile_fx: Callable[..., Any],
        target: Target,
        settings: dict[str, Any],
        chosen: Chosen,
        padded: Padded,
        wrote: Wrote,
        asked: Asked,
        stays: bool,
    ) -> None:
        self._stays = stays
        self._compile_fx, self._target = compile_fx, target
        self._chosen, self._padded, self._wrote = chosen, padded, wrote
        self._settings, self._asked = settings, asked
        self._local = threading.local()

    def __call__(
        self,
        graph_module: fx.GraphModule,
        inputs: Sequence[Any],
        *args: Any,
        config_patches: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        if getattr(self._local, "is_inside", False):  # Inductor calls itself
            patches = {} if config_patches is None else {"config_patches": config_patches}
            return self._compile_fx(graph_module, inputs, *args, **patches, **kwargs)
        _refuse_packages()
        prepared = _copied(graph_module)
        settings = {**(config_patches or {}), **self._settings}
        asked = bool(settings.get(_CUDA_GRAPHS, CUDA_GRAPHS.get()))
        self._asked(_overridden(asked, prepared), _fixed(graph_module))
        settings[_CUDA_GRAPHS] = False  # they record what runs
        if _ESTIMATES in hooks.SETTINGS.get().get_config_copy():
            settings[_ESTIMATES] = "analytical"  # the other one times operators on the device
        self._local.is_inside = True
        try:
            with self._elsewhere():
                self._compile_fx(
                    prepared, list(inputs), inner_compile=self._inner, config_patches=settings
                )
        finally:
            self._local.is_inside = False
        runs = here(graph_module, self._target.device) if self._stays else graph_module
        return runs.forward

    @whole
    def _elsewhere(self) -> Generator[None, None, None]:
        """For the block, everything is as on the target, as far as it does not run."""
        target = self._target
        generators = hooks.AOTAUTOGRAD_SETTINGS.get().patch(graphsafe_rng_functionalization=False)
        with (
            generators,  # those of the device are not there
            pretend(target),
            fakes_on(target.device),
            composed_for(target),
            unpadded(self._padded),
        ):
            yield

    def _inner(self, graph_module: fx.GraphModule, inputs: Sequence[Any], **kwargs: Any) -> Any:
        """Inductor's own compilation of one graph, on the target and without a build."""
        on_target = moved(graph_module, self._target.device)
        with few_collections(), _unbuilt(self._chosen, self._wrote):  # a backward's comes late
            try:
                return hooks.INDUCTOR_INNER.get()(on_target, inputs, **kwargs)
            except Exception as error:
                if refusal := _about_doubles(error, graph_module, self._target):
                    raise refusal from error
                raise


def _about_doubles(
    error: Exception, graph_module: fx.GraphModule, target: Target
) -> LoweringError | None:
    """A failure for Metal over numbers that it does not have, as a sentence; None if it is another.

    Only a failure asks: a decomposition may compute in float64 what Inductor then leaves out.
    """
    if target.kind != "mps":
        return None
    for node in graph_module.graph.nodes:
        dtype = getattr(node.meta.get("val"), "dtype", None)
        if dtype in (torch.float64, torch.complex128) and str(dtype) in str(error):
            return LoweringError(
                f"{target.name} has no {str(dtype).removeprefix('torch.')}, which `{node.name}` "
                "is of: PyTorch refuses such a tensor there. Use float32."
            )
    return None


def _fixed(graph_module: fx.GraphModule) -> frozenset[int]:
    """The inputs that Dynamo found to stay where they are; the copy of a graph does not say it."""
    inputs = graph_module.graph.find_nodes(op="placeholder")
    known = (node.meta.get("tensor_dict") or {} for node in inputs)
    return frozenset(at for at, facts in enumerate(known) if facts.get(_FIXED))


def _overridden(asked: bool, prepared: fx.GraphModule) -> tuple[bool, bool]:
    """What `override_cudagraphs` makes of it; it leaves the graph, as nothing is recorded here."""
    override = prepared.meta.pop(_OVERRIDE, None)
    forward = asked if override is None or override.fwd is None else override.fwd
    return forward, forward and not (override and override.bwd is False)


def _refuse_packages() -> None:
    if hooks.VIRTUALIZED.get().aot_compilation:
        raise OptionError(
            "A package is built for this machine: make it without a target, or lower the "
            "model with dynamo_lab.lower(model, *args, target=...)."
        )


def _copied(graph_module: fx.GraphModule) -> fx.GraphModule:
    """A graph and the bodies in it, to be changed; parameters are shared."""
    made = copy.copy(graph_module)
    made.graph, made.meta = copy.deepcopy(graph_module.graph), dict(graph_module.meta)
    for node in made.graph.nodes:
        body = getattr(made, str(node.target), None) if node.op == "get_attr" else None
        if isinstance(body, fx.GraphModule):
            setattr(made, str(node.target), _copied(body))
    return made


def _unbuilt(chosen: Chosen, wrote: Wrote) -> Changes[None]:
    """Inductor writes code, and nothing compiles, loads or times it."""
    config, graphs = hooks.SETTINGS.get(), hooks.GRAPH.get()
    autotuning, virtualized = hooks.AUTOTUNING.get(), hooks.VIRTUALIZED.get()

    def write(lowering: Any) -> Any:
        generate = lowering.codegen_with_cpp_wrapper if lowering.cpp_wrapper else lowering.codegen
        code, _ = generate()
        wrote(lowering, code.value)
        return SimpleNamespace(call=_not_built, runner=None, __file__="<not built>")

    select = autotuning.__call__

    def select_one(cache: Any, name: str, choices: list[Any], *args: Any, **kwargs: Any) -> Any:
        taken = _sensible(choices)
        if len(choices) > 1:
            node = CURRENT_NODE.of(virtualized.graph)
            chosen(name, len(choices), taken[0].name, node.name if node else "")
        return select(cache, name, taken, *args, **kwargs)

    def make(undo: Undo) -> None:
        undo.set(config, "force_disable_caches", True)  # one hides the stages
        undo.replace(graphs, "compile_to_module", write)
        undo.replace(autotuning, "__call__", select_one)

    return Changes(make)


def _sensible(choices: list[Any]) -> list[Any]:
    """One way to compute a matrix product, an attention or a convolution, chosen without a clock.

    Autotuning would time them all. A template comes before an extern kernel, since its code can
    be shown; among templates Inductor puts the likeliest first.
    """
    templates = [choice for choice in choices if "Template" in type(choice).__name__]
    return (templates or choices)[:1]


def _not_built(*_: Any) -> Any:
    raise RuntimeError("This graph was lowered to code, which was not built: it cannot be called.")


def moved(graph_module: fx.GraphModule, device: str) -> fx.GraphModule:
    """The same graph for another device: where it names one, it names this one.

    Constants stay where they are. Inductor determines again the devices of all that is computed.
    """
    made = copy.copy(graph_module)
    made.graph = copy.deepcopy(graph_module.graph)
    made.meta = graph_module.meta
    for node in list(made.graph.nodes):
        if node.op == "get_attr":
            body = getattr(made, str(node.target), None)
            if isinstance(body, fx.GraphModule):  # of a higher-order operator
                setattr(made, str(node.target), moved(body, device))
        elif node.op == "call_function":
            node.args = map_aggregate(node.args, lambda a: _moved_argument(a, device))
            node.kwargs = map_aggregate(node.kwargs, lambda a: _moved_argument(a, device))
    made.recompile()
    return made


def _moved_argument(argument: Any, device: str) -> Any:
    if isinstance(argument, torch.device) and argument.type != "meta":
        return indexed(device)
    return argument
