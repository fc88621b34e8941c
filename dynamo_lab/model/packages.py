"""Packages: AOTInductor's ahead-of-time output, to be loaded without Python (`model.pt2`)."""

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
