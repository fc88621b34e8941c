"""Packages: what was compiled ahead of time, and what it contains."""

from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.model.packages import Constant, FileKind, Package
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.words import library_kernels, listed, plural, size

_KINDS: dict[FileKind, str] = {
    "wrapper": "the C++ that calls the kernels",
    "kernels": "the kernels, in C++",
    "library": "both of them built: the part that is loaded",
    "binary": "a kernel, built for a GPU",
    "weights": "values of constants",
    "metadata": "facts",
    "other": "",
}
_ROLES = {
    "Parameter": "parameter",
    "Buffer": "buffer",
    "TensorConstant": "tensor in the code",
    "FoldedConstant": "computed from others",
}
_FACTS = {
    "AOTI_DEVICE_KEY": "device",
    "AOTI_PLATFORM": "system",
    "AOTI_MACHINE": "machine",
    "AOTI_CPU_ISA": "CPU instructions",
    "AOTI_COMPUTE_CAPABILITY": "GPU",
}


class ConstantView(Struct, frozen=True, kw_only=True):
    """A constant, or an inlined parameter; `entity` is the node that represents it."""

    name: str
    value: str
    role: str
    size: str = ""
    entity: str = ""


class FileView(Struct, frozen=True, kw_only=True):
    """A file in a package."""

    path: str
    what: str
    size: str


class PackageView(Struct, frozen=True, kw_only=True):
    """A model in a package. `facts` are labels and values; `inlined` are not stored in it.

    `origin`, the last of the sentences, says what captured the model, and what is missing.
    """

    title: str
    model: str
    sentences: tuple[str, ...]
    origin: str
    facts: tuple[tuple[str, str], ...]
    constants: tuple[ConstantView, ...]
    inlined: tuple[ConstantView, ...]
    files: tuple[FileView, ...]
    wrapper: int | None = None


def build(recording: Recording) -> tuple[PackageView, ...]:
    """Each package that was written or opened."""
    return tuple(
        _package(package, recording, _entities(recording, package))
        for package in recording.packages
    )


def _entities(recording: Recording, package: Package) -> dict[str, str]:
    """The nodes of parameters and buffers in the exported program, by their names."""
    lowered = None if package.wrapper is None else recording.wrappers[package.wrapper].graph
    if lowered is None:
        return {}
    exported = [graph for graph in recording.captured_graphs() if graph.id < lowered]
    return {
        node.target: f"node:{graph.id}:{node.index}"
        for graph in exported[-1:]
        for node in graph.nodes
        if node.op == "get_attr"
    }


def _package(package: Package, recording: Recording, nodes: dict[str, str]) -> PackageView:
    return PackageView(
        title=package.file,
        model=package.model,
        sentences=(*_sentences(package, recording), _origin(recording)),
        origin=_origin(recording),
        facts=tuple(_facts(package)),
        constants=tuple(_constant(item, nodes) for item in package.constants),
        inlined=tuple(
            ConstantView(
                name=item.name,
                value=item.value,
                role="in the code",
                entity=nodes.get(item.name, nodes.get(f"self.{item.name}", "")),
            )
            for item in package.inlined
        ),
        files=tuple(
            FileView(path=file.path, what=_KINDS[file.kind], size=size(file.bytes))
            for file in sorted(package.files, key=lambda file: -file.bytes)
        ),
        wrapper=package.wrapper,
    )


def _sentences(package: Package, recording: Recording) -> Iterator[str]:
    own = [k for k in recording.kernels if k.wrapper == package.wrapper]
    written = sum(k.language != "extern" for k in own)
    called = len(own) - written
    library = f" and calls {library_kernels(called)}" if called else ""
    yield (
        f"A C++ program that needs no Python: it contains {plural(written, 'kernel')}{library}, "
        f"and {plural(len(package.constants), 'constant')}, "
        f"{size(sum(item.bytes for item in package.constants))}."
    )
    if package.inlined:
        names = listed([f"`{item.name}`" for item in package.inlined])
        is_one = len(package.inlined) == 1
        what = "is not among the constants" if is_one else "are not among the constants"
        yield (
            f"{names} {what}: the compiler wrote the numbers into the code, computed with them, "
            "or found that nothing reads them. They cannot be replaced in the package."
        )


def _origin(recording: Recording) -> str:
    if not recording.graphs:
        return (
            "It was opened, not recorded when compiled, so there are no graphs and no lines of "
            "the model: create it with `lab.package` to see them."
        )
    if recording.frames:
        return (
            "Dynamo captured the model for `torch.export` (strict=True), as one graph without a "
            "break. The package has no guards: it is never recompiled."
        )
    return (
        "`torch.export` captured the model by running it, without Dynamo, so there are no frames, "
        "breaks or guards: it is compiled once, as exported. Lines are from the graph."
    )


def _facts(package: Package) -> Iterator[tuple[str, str]]:
    yield "size", size(package.bytes)
    yield from ((_FACTS.get(key, key), value) for key, value in package.facts.items())
    if package.flags:
        yield "compiler flags", " ".join(package.flags)
    yield "takes", plural(len(package.inputs), "tensor")
    yield "returns", plural(len(package.outputs), "tensor")


def _constant(item: Constant, nodes: dict[str, str]) -> ConstantView:
    role = _ROLES.get(item.role, item.role)
    if item.role == "Unknown":  # which PyTorch writes of what it took from the model by its name
        role = "of the model" if item.source else ""
    is_folded = item.folded and item.role != "FoldedConstant"
    return ConstantView(
        name=item.source or item.name,
        value=f"{_short(item.dtype)}{list(item.shape)}",
        role=f"{role}, computed from others" if is_folded else role,
        size=size(item.bytes),
        entity=nodes.get(item.source, nodes.get(f"self.{item.source}", "")) if item.source else "",
    )


def _short(dtype: str) -> str:
    """'f32' for "float32"."""
    for long, short in (
        ("bfloat", "bf"),
        ("float", "f"),
        ("uint", "u"),
        ("int", "i"),
        ("bool", "b8"),
    ):
        if dtype.startswith(long):
            return dtype.replace(long, short, 1)
    return dtype
