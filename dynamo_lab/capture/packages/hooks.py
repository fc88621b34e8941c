"""Private names of PyTorch for packages."""

from dynamo_lab.capture.core.private import Private

PACKAGE = Private(
    "torch._inductor", "aoti_compile_and_package", "no package can be compiled ahead of time."
)
CONTEXT = Private(
    "torch._guards",
    "compile_context",
    "what is compiled ahead of time without Dynamo is recorded only if Inductor was in use before.",
)
EXPORTED = Private(
    "torch._inductor.compile_fx",
    "compile_fx",
    "the exported graph of a package is not recorded.",
)
TRACED = Private(
    "torch._inductor.compile_fx",
    "aot_export_module",
    "the forward of a package is not recorded.",
)
PACKED = Private(
    "torch._inductor.package.package",
    "package_pt2",
    "what lies in a package that is compiled is not recorded.",
)
VIRTUALIZED = Private(
    "torch._inductor.virtualized", "V", "packages that are compiled are not recorded as such."
)
