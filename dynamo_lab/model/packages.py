"""Exports, and packages: AOTInductor's ahead-of-time output, to be loaded without Python."""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Ref

FileKind = Literal["wrapper", "kernels", "library", "binary", "weights", "metadata", "other"]
"""The C++ wrapper, the C++ kernels, the library built of both, one GPU kernel, constants, facts."""


class PackageFile(Struct, frozen=True, kw_only=True):
    """A file in a package."""

    path: str
    kind: FileKind
    bytes: int


class Constant(Struct, frozen=True, kw_only=True):
    """A tensor that the package includes.

    `name` is that of the code, `source` that of the module's parameter or buffer; empty if the
    compiler made it. `role` is PyTorch's term: "Parameter", "Buffer", "FoldedConstant".
    One that is `folded` is computed from others when the package is loaded.
    """

    name: str
    source: str = ""
    role: str = ""
    dtype: str = ""
    shape: tuple[int, ...] = ()
    bytes: int = 0
    device: str = ""
    folded: bool = False


class Inlined(Struct, frozen=True):
    """A parameter or buffer that the package does not include; `value` is like "f32[4]"."""

    name: str
    value: str


class Package(Struct, frozen=True, kw_only=True):
    """A model in a package. `bytes` is the size of the whole file.

    `facts` are PyTorch's: the device, the platform and the instructions that it was built for.
    `flags` are those of the C++ compiler. `inlined` is known only if the package was recorded when
    it was made.
    """

    file: str
    model: str = "model"
    bytes: int = 0
    files: tuple[PackageFile, ...] = ()
    constants: tuple[Constant, ...] = ()
    inlined: tuple[Inlined, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    facts: dict[str, str] = {}
    flags: tuple[str, ...] = ()
    wrapper: Annotated[int | None, Ref("wrappers")] = None


PackagingStage = Literal["call", "compile", "write"]
"""Before anything is compiled, while AOTInductor compiles, and when the file is written."""


class PackageFailure(Struct, frozen=True, kw_only=True):
    """A package that was asked for and not made. `error` is the type of what was raised.

    `span` is the user's line that asks for it; `given` the class of what it is to be made of.
    `operator` is the one that the compiler was about, if known, and `at` the user's line that
    calls it. `setting` is one of those passed that Inductor does not have, `near` the one of its
    own that is spelled like it. `path` is the name of the file.
    """

    stage: PackagingStage
    error: str
    message: str = ""
    given: str = ""
    path: str = ""
    span: Annotated[int | None, Ref("spans")] = None
    at: Annotated[int | None, Ref("spans")] = None
    operator: str = ""
    setting: str = ""
    near: str = ""


DimEvent = Literal["constant", "equal", "guard"]


class DimFact(Struct, frozen=True, kw_only=True):
    """What an export assumed of a size that was to vary.

    `input` is how the program names the tensor ("d['a']"), `dim` the name it was given, or "AUTO"
    or "DYNAMIC". A "constant" or an "equal" size is `value`; a "guard" is a condition on it.
    """

    input: str
    axis: int
    dim: str
    event: DimEvent
    value: str
    span: Annotated[int | None, Ref("spans")] = None


class AskedDim(Struct, frozen=True, kw_only=True):
    """A size that was to vary, with what it is in the example. `varies` is what became of it."""

    input: str
    axis: int
    dim: str
    size: int
    varies: bool | None = None


class Export(Struct, frozen=True, kw_only=True):
    """A call of `torch.export.export`. `error` is the type of what it raised, empty for nothing.

    `span` is the user's line that calls it, `at` the user's innermost line where it failed.
    `shapes` is the `dynamic_shapes` that were asked for, as code; `suggested` are those that fit
    what the program assumes, as PyTorch says; `loosened` asks only for what can vary. `assigned`
    are the module's attributes that the program assigns and the exported one does not.
    `within` is the library that called it, if the user did not.
    """

    model: str
    strict: bool = False
    span: Annotated[int | None, Ref("spans")] = None
    at: Annotated[int | None, Ref("spans")] = None
    within: str = ""
    error: str = ""
    message: str = ""
    shapes: str = ""
    suggested: str = ""
    loosened: str = ""
    dims: tuple[AskedDim, ...] = ()
    facts: tuple[DimFact, ...] = ()
    assigned: tuple[str, ...] = ()
    graph: Annotated[int | None, Ref("graphs")] = None
