"""Let fake tensors lie on a target, for whoever asks in Python.

A PyTorch that was built without a device cannot trace for it: autograd and many methods turn to
the device in C++, also of a tensor without memory. So a fake tensor keeps the host's device and
says it to C++, and says the target's to all that is written in Python: decompositions, passes and
lowerings, which is where torch.compile asks.
"""

import copy
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import fx
from torch.overrides import TorchFunctionMode

from dynamo_lab.capture.core.hooks import PYTREE
from dynamo_lab.capture.core.undo import Changes, Undo
from dynamo_lab.capture.targets import hooks

HOST = torch.device("cpu")

_KINDS = ("cpu", "cuda", "mps", "xpu")


def indexed(kind: str) -> torch.device:
    """The device of a kind that programs are lowered for."""
    return HOST if kind == "cpu" else torch.device(kind, 0)


def fakes_on(kind: str) -> Changes[None]:
    """For the block, fake tensors of the host lie on a device of this kind."""
    return Changes(lambda undo: None if kind == "cpu" else _put_on(kind, undo))


def _put_on(kind: str, undo: Undo) -> None:
    fakes, functional = hooks.FAKE_TENSOR.get(), hooks.FUNCTIONAL_TENSOR.get()
    there = indexed(kind)
    forget = hooks.FAKE_MODE.get().cache_clear  # it remembers the devices of results
    undo.add(forget)
    forget()
    key = "_fake_device" if hooks.FAKE_DEVICE.exists else "fake_device"
    undo.replace(fakes, "fake_device", _seen_device(key, there))
    undo.replace(fakes, "__new__", staticmethod(_made_on_host(fakes.__new__, kind)))
    undo.replace(fakes, "__torch_dispatch__", _for_cpp(fakes))
    tracing = hooks.TRACING.get()
    undo.replace(tracing, "__torch_dispatch__", _moved(tracing.__torch_dispatch__, there))
    undo.replace(
        hooks.FAKE_MODE.get(), "avoid_device_init", property(lambda _: True)
    )  # constants are made on the host
    folding, name = hooks.FOLDING.place()
    undo.replace(folding, name, _on_host(folding.run, kind))
    if hooks.PRODUCTS_OF_ZERO.exists:
        folding, name = hooks.PRODUCTS_OF_ZERO.place()
        undo.replace(folding, name, _made_for_host(getattr(folding, name), kind))
    graphs, name = hooks.CONSTANT_OF_GRAPH.place()
    undo.replace(graphs, name, _lying_on(kind, getattr(graphs, name)))
    running, name = hooks.RUN_FOR_FAKES.place()
    undo.replace(running, name, _run_on_host(getattr(running, name), fakes))
    asked_by_cpp = torch.ops.prim.device.default
    undo.put(hooks.FAKE_HANDLERS.get(), asked_by_cpp, lambda args: _told(args[0]))
    undo.replace(functional, "device", property(lambda self: _seen(self.elem.device, there)))
    for owner in (fakes, functional):
        for asked in _KINDS:
            undo.replace(owner, f"is_{asked}", _is_of(asked))


def stays_here(kind: str, reached: Callable[[], Iterable[torch.Tensor]]) -> bool:
    """Whether a program for a device of this kind is captured on the host, with all that it makes.

    `reached` gives the program's tensors. That the machine has such a device says nothing of where
    they lie; one that has no tensors yet is taken to make them there.
    """
    if kind == "cpu" or not _is_there(kind):
        return kind != "cpu"
    lying = {tensor.device.type for tensor in reached()}
    return bool(lying) and kind not in lying


def stay_here(undo: Undo, kind: str) -> None:
    """From now on, what a program puts on a device of this kind stays on the host.

    That is where Dynamo captures: in C++ a fake tensor would look for the device.
    """
    for owner in (hooks.FAKE_TENSOR.get(), hooks.FUNCTIONAL_TENSOR.get()):
        undo.replace(owner, "to", _stays(owner.to, kind))
        if kind == "cuda":
            undo.replace(owner, kind, _made_here)


def here(graph_module: fx.GraphModule, kind: str) -> fx.GraphModule:
    """The same graph to run on the host, where its tensors are, whatever device it names."""
    made = copy.copy(graph_module)
    made.graph = copy.deepcopy(graph_module.graph)
    for node in made.graph.nodes:
        if node.op == "call_method" and node.target in ("to", "cuda"):
            _name_host(node, kind)
    made.recompile()
    return made


def _name_host(node: fx.Node, kind: str) -> None:
    if node.target == "cuda":
        node.target, node.args, node.kwargs = "to", (node.args[0], HOST), {}
        return
    node.args = tuple(_host(one, kind) if _is_device(one) else one for one in node.args)
    if "device" in node.kwargs:
        node.kwargs = {**node.kwargs, "device": _host(node.kwargs["device"], kind)}


def _is_there(kind: str) -> bool:
    return kind == "cuda" and torch.cuda.is_available()


def _made_here(self: Any, *_: Any, **named: Any) -> Any:
    """`cuda()`, which names the device by its own name."""
    return self.to(HOST, **{name: one for name, one in named.items() if name != "device"})


def _stays(to: Any, kind: str) -> Any:
    """`to` for a program that names the target's device: C++ would look for such a device."""

    def stay(self: Any, *args: Any, **named: Any) -> Any:
        placed = [_host(one, kind) if _is_device(one) else one for one in args]
        if "device" in named:
            named["device"] = _host(named["device"], kind)
        return to(self, *placed, **named)

    return stay


def _is_device(one: Any) -> bool:
    return isinstance(one, (str, torch.device))


def _is_of(kind: str) -> property:
    return property(lambda self: self.device.type == kind)


def _seen(device: torch.device, there: torch.device) -> torch.device:
    return there if device.type == "cpu" else device


def _seen_device(key: str, there: torch.device) -> property:
    """What the device is for Python; it is kept where this PyTorch keeps it."""

    def get(self: Any) -> torch.device:
        return _seen(_kept(self), there)

    def put(self: Any, device: torch.device) -> None:
        vars(self)[key] = HOST if device.type == there.type else device

    return property(get, put)


def _kept(fake: Any) -> torch.device:
    """The device that a fake tensor has for C++."""
    own = vars(fake)
    return own.get("_fake_device") or own["fake_device"]


def _told(fake: Any) -> torch.device:
    """The device that C++ is told."""
    return torch.device("meta") if fake.fake_mode.in_kernel_invocation else _kept(fake)


def _made_on_host(new: Any, kind: str) -> Any:
    """Makes a fake tensor of the target with the dispatch keys of the host."""

    def made(cls: Any, *args: Any, **named: Any) -> Any:
        mode_and_memory, place = args[:2], [_host(device, kind) for device in args[2:3]]
        if "device" in named:
            named["device"] = _host(named["device"], kind)
        return new(cls, *mode_and_memory, *place, *args[3:], **named)

    return made


def _host(device: Any, kind: str) -> Any:
    return HOST if device is not None and torch.device(device).type == kind else device


def _for_cpp(fakes: Any) -> Any:
    """What fake tensors answer to C++: its question about the device comes as an operator."""
    dispatch = fakes.__torch_dispatch__.__func__

    def answer(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.prim.device.default:
            return _told(args[0])
        return dispatch(cls, func, types, args, kwargs or {})

    return classmethod(answer)


def _moved(dispatch: Any, there: torch.device) -> Any:
    """Traces what C++ or the program makes or puts on the host as on the target."""

    def trace(mode: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        named = dict(kwargs or {})
        if isinstance(named.get("device"), torch.device):
            named["device"] = _seen(named["device"], there)
        return dispatch(mode, func, types, args, named)

    return trace


def _run_on_host(run: Any, fakes: Any) -> Any:
    """Runs an operator that has no rule for fake tensors on zeros of the host."""

    def computed(*args: Any, **named: Any) -> Any:
        host = property(_kept, fakes.fake_device.fset)
        with Changes(lambda undo: undo.replace(fakes, "fake_device", host)):
            return run(*args, **named)

    return computed


def _lying_on(kind: str, found: Any) -> Any:
    """Gives Inductor a graph's constants: the numbers stay on the host, Python is told the target.

    So they lie where the program makes them with `device=x.device`; a number alone is no memory.
    """
    constants = type("Constant", (torch.Tensor,), {"device": property(lambda _: indexed(kind))})

    def lying(graph_module: Any, name: str) -> Any:
        value = found(graph_module, name)
        is_memory = isinstance(value, torch.Tensor) and value.dim() and value.device == HOST
        return value.as_subclass(constants) if is_memory else value

    return lying


def _made_for_host(make: Any, kind: str) -> Any:
    """Makes a constant on the host: PyTorch's functions look for the device before any operator."""

    class Host(TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            named = dict(kwargs or {})
            if "device" in named:
                named["device"] = _host(named["device"], kind)
            return func(*args, **named)

    def made(folder: Any) -> Any:
        with Host():
            return make(folder)

    return made


def _on_host(run: Any, kind: str) -> Any:
    """Folds constants where they can be computed with: on the host."""

    def here(value: Any) -> Any:
        return HOST if isinstance(value, torch.device) and value.type == kind else value

    class Host(hooks.DISPATCH_MODE.get()):
        """Whatever is made on the target is made on the host."""

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            moved, named = PYTREE.tree_map(here, (args, kwargs or {}))
            return func(*moved, **named)

    def fold(folder: Any) -> Any:
        with Host():
            return run(folder)

    return fold
