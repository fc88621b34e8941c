"""Private names of PyTorch for packages."""

from dynamo_lab.capture.core.private import Private

PACKAGE = Private(
    "torch._inductor", "aoti_compile_and_package", "no package can be compiled ahead of time."
)
_UNPACKED = "a package that cannot be made is recorded only if the program does not catch it."
AOT_COMPILE = Private("torch._inductor", "aot_compile", _UNPACKED)
WRITE_PACKAGE = Private("torch._inductor.package", "package_aoti", _UNPACKED)
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
_FAILED = "an export that fails is recorded only if the program does not catch it."
BEFORE_EXPORT = Private("torch.export.exported_program", "unset_fake_temporarily", _FAILED)
EXPORT = Private("torch.export._trace", "_export_for_training", _FAILED)
REFINED = Private(
    "torch.export.dynamic_shapes",
    "refine_dynamic_shapes_from_suggested_fixes",
    "no `dynamic_shapes` are suggested where an export fails.",
)
FLATTEN = Private(
    "torch.utils._pytree",
    "tree_flatten_with_path",
    "the sizes that an export was to keep open are not recorded.",
)
UNFLATTEN = Private(
    "torch.utils._pytree",
    "tree_unflatten",
    "an export that is made again is compared with eager at no other sizes.",
)
PATH = Private(
    "torch.utils._pytree", "keystr", "the inputs of an export are not named.", otherwise=repr
)
PYTHON_RAN = Private(
    "torch.fx.experimental.proxy_tensor",
    "_MakefxTracer.trace",
    "that an exported program leaves out an assignment is not recorded.",
)
